"""From the observations of accepted attempts to what they measured of their work."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from orchestrator.protocol.foreign_load import PERCENT, UNKNOWN
from orchestrator.rulebooks.measured_work import MeasuredWork, NodeDifferences, StepCount
from workloads.expected_steps import expected_optimizer_steps, most_skipped_steps

if TYPE_CHECKING:
    from db.evidence.accepted import ObservationGroup
    from orchestrator.protocol.report import Observed
    from workloads.description import Workload

_TOOK_TIME = ("recorded", "failed")
"""States of a profile that took time from its run."""
_MISSING = ("not begun", "failed")
"""States of a profile that has no kernels."""


def measured_work(
    workload: Workload,
    parameters: Mapping[str, Any],
    groups: Sequence[ObservationGroup],
    observed: Sequence[Observed],
    nodes: NodeDifferences | None,
) -> MeasuredWork:
    """Return what the attempts of one benchmark measured of their work.

    Parameters
    ----------
    groups, observed
        Accepted attempts, grouped by their observation, and these observations.
    nodes
        Differences between their nodes; None where no node was described.
    """
    plan = workload.optimizer_steps
    both = list(zip(groups, observed, strict=True))
    percents = [one.facts.get(PERCENT) for one in observed]
    unknown: Counter[str] = Counter()
    for group, one in both:
        if (reason := one.facts.get(UNKNOWN)) is not None:
            unknown[str(reason)] += group.number
    known = [percent for percent in percents if isinstance(percent, int)]
    profiles: Counter[str] = Counter()
    missing: Counter[str] = Counter()
    for group, one in both:
        profiles[str(one.facts.get("profiled"))] += group.number
        names = one.facts.get("missing_numbers")
        missing.update(dict.fromkeys(map(str, names), group.number) if isinstance(names, list) else {})
    steps, unrecorded = _steps(workload, parameters, both)
    return MeasuredWork(
        expects_steps=plan is not None,
        in_epochs=plan is not None and plan.in_epochs,
        steps=steps,
        steps_unrecorded=unrecorded,
        precisions_asked=_precisions(both),
        foreign_cpu_percent=max(known, default=None),
        foreign_cpu_unknown=dict(unknown),
        nodes=nodes,
        profiled=sum(profiles[state] for state in _TOOK_TIME),
        numbers_missing=dict(missing),
        profiles_missing=sum(profiles[state] for state in _MISSING),
        sampled=_sampled(observed, "sources"),
        not_sampled=_sampled(observed, "absent"),
    )


def _sampled(observed: Iterable[Observed], what: str) -> tuple[str, ...]:
    """Return the distinct parts, each with its text, of attempts' observations of their sampling."""
    found = [one.facts.get("sampling") for one in observed]
    parts = [one.get(what) for one in found if isinstance(one, dict)]
    texts = {f"{part}: {text}" for one in parts if isinstance(one, dict) for part, text in one.items()}
    return tuple(sorted(texts))


def _steps(
    workload: Workload, parameters: Mapping[str, Any], both: Iterable[tuple[ObservationGroup, Observed]]
) -> tuple[tuple[StepCount, ...] | None, int]:
    """Return distinct counts of steps, None if no attempt has one, and the attempts without one."""
    numbers: Counter[tuple[int | None, int | None, int | None, int]] = Counter()
    unrecorded = 0
    for group, one in both:
        counted = one.facts.get("steps")
        if not isinstance(counted, dict):
            unrecorded += group.number
            continue
        epochs, steps = counted.get("epochs_run"), counted.get("optimizer_steps")
        expected = None
        if workload.optimizer_steps is not None:
            facts = json.loads(group.data or "{}")
            expected = expected_optimizer_steps(
                workload.optimizer_steps,
                parameters,
                facts if isinstance(facts, dict) else {},
                epochs,
                len(one.ranks or ()) or 1,
            )
        skipped = most_skipped_steps(one.precision or "", expected or 0)
        numbers[epochs, steps, expected, skipped] += group.number
    if unrecorded and not numbers:
        return None, unrecorded
    counts = tuple(
        StepCount(
            instances=number, epochs_run=epochs, optimizer_steps=steps, expected=expected, may_skip=skipped
        )
        for (epochs, steps, expected, skipped), number in numbers.items()
    )
    return counts, unrecorded


def _precisions(
    both: Iterable[tuple[ObservationGroup, Observed]],
) -> dict[tuple[str, str], int] | None:
    """Return attempts by precision asked and measured; None where none measured it."""
    numbers: Counter[tuple[str, str]] = Counter()
    for group, one in both:
        if (asked := one.facts.get("precision_asked")) is not None:
            numbers[str(asked), one.precision or "unknown"] += group.number
    return dict(numbers) or None
