"""Rules about what trainings measured of their own work and of their nodes, which hold whatever the suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.rulebooks.model import CheckResult, RuleResult, rule
from orchestrator.wording import count_of, few

if TYPE_CHECKING:
    from orchestrator.rulebooks.measured_work import StepCount
    from orchestrator.rulebooks.measurements import Measurements

DECISIVE_NODE_FACTS = ("cpu.model", "gpu.", "frameworks.", "packages.", "python.")
"""Facts, or groups of facts, of a node in which the nodes of a suite's benchmark must agree."""
_DECLARED_FACTS = ("gpu.models",)
"""Facts in which nodes of one machine may differ, and that are declared: a suite runs on the whole system."""
_INSTALLED = "installed."
"""Facts about files that packages installed: another build of one version, or another start of Python."""
_NAMED_NODES = 5


@rule("steps", "Every accepted instance took the optimizer steps that its parameters, data and epochs imply.")
def steps(found: Measurements) -> CheckResult:
    """Check that trainings took the optimizer steps that are expected of them."""
    work = found.work
    if not work.expects_steps:
        return CheckResult(None, "the workload states no optimizer steps")
    if work.steps is None:
        return CheckResult(None, "not recorded: the ledger is older than the count of optimizer steps")
    if problem := next(filter(None, (_problem(one, work.in_epochs) for one in work.steps)), None):
        return CheckResult(False, problem)
    if not work.steps:
        return CheckResult(None, "no accepted instance counted optimizer steps")
    if found.times.resumed:
        return CheckResult(None, "an accepted instance counted only its steps since a checkpoint")
    counted = sorted({one.optimizer_steps or 0 for one in work.steps})
    text = f"{counted[0]:,} to {counted[-1]:,}" if len(counted) > 1 else f"{counted[0]:,}"
    bad = [one for one in work.steps if not _as_expected(one)]
    if bad:
        first = bad[0]
        number = sum(one.instances for one in bad)
        expected = "unknown" if first.expected is None else f"{first.expected:,}"
        epochs = "" if first.epochs_run is None else f" in {first.epochs_run:,} epochs"
        return CheckResult(
            False,
            f"{count_of(number, 'accepted instance')} took other optimizer steps than expected, such as "
            f"{first.optimizer_steps or 0:,}{epochs}; expected are {expected}",
        )
    if work.steps_unrecorded:
        return CheckResult(
            None, f"{count_of(work.steps_unrecorded, 'accepted instance', 'are')} older than the count"
        )
    return CheckResult(True, f"every accepted instance took the {text} optimizer steps expected")


@rule("measured precision", "Every accepted instance computed in the precision that its parameters ask for.")
def measured_precision(found: Measurements) -> CheckResult:
    """Check that trainings computed in the precision that their parameters ask for."""
    asked = found.work.precisions_asked
    if asked is None:
        return CheckResult(None, "not recorded: no accepted instance measured its arithmetic")
    other = {pair: number for pair, number in asked.items() if pair[0] != pair[1]}
    if other:
        texts = [
            f"{count_of(number, 'accepted instance')} computed in {measured}, parameters ask for {wanted}"
            for (wanted, measured), number in sorted(other.items())
        ]
        return CheckResult(False, "; ".join(texts))
    return CheckResult(True, f"measured as asked: {', '.join(sorted({measured for _, measured in asked}))}")


@rule(
    "nodes",
    "Nodes of accepted instances have the same CPU model, GPU driver and packages; other models of "
    "GPUs are declared.",
)
def nodes(found: Measurements, *, decisive: bool) -> CheckResult:
    """Check that the nodes of accepted instances are alike; a note where nothing follows from it."""
    known = found.work.nodes
    if known is None:
        return CheckResult(None, "not recorded: no node was described")
    differing = {
        fact: names
        for fact, names in known.differing.items()
        if not decisive or (fact.startswith(DECISIVE_NODE_FACTS) and fact not in _DECLARED_FACTS)
    }
    notes = {fact: names for fact, names in known.differing.items() if fact not in differing}
    changed = {
        fact: names
        for fact, names in known.differing.items()
        if fact.startswith(_INSTALLED) or fact in _DECLARED_FACTS
    }
    declared = tuple(
        f"{fact.removeprefix(_INSTALLED)} differs between nodes or sessions: {few(names, _NAMED_NODES)}"
        for fact, names in sorted(changed.items())
    )
    text = f"{count_of(known.described, 'node')} described"
    if known.undescribed:
        text += f", {known.undescribed:,} not"
    if differing:
        named = "; ".join(f"{fact}: {few(names, _NAMED_NODES)}" for fact, names in sorted(differing.items()))
        return CheckResult(False if decisive else None, f"{text}; other than most: {named}", declared)
    if notes:
        named = "; ".join(f"{fact}: {few(names, _NAMED_NODES)}" for fact, names in sorted(notes.items()))
        text += f"; alike but for {named}"
    elif known.described > 1:
        text += "; all alike"
    return CheckResult(None if known.undescribed else True, text, declared)


RULES = (steps, measured_precision, nodes)


def results(found: Measurements, *, decisive: bool) -> tuple[RuleResult, ...]:
    """Return the results of all rules of this module.

    Parameters
    ----------
    decisive
        Whether nodes that differ in `DECISIVE_NODE_FACTS` break the rule ``nodes``.
    """
    return steps(found), measured_precision(found), nodes(found, decisive=decisive)


def _problem(one: StepCount, in_epochs: bool) -> str | None:
    """Return why a count is incomplete; None if it is not."""
    if in_epochs and one.epochs_run is None:
        return f"{count_of(one.instances, 'accepted instance')} did not report epochs_run"
    if one.optimizer_steps is None:
        return f"{count_of(one.instances, 'accepted instance')} did not report optimizer_steps"
    return None


def _as_expected(one: StepCount) -> bool:
    if one.expected is None or one.optimizer_steps is None:
        return False
    return one.expected - one.may_skip <= one.optimizer_steps <= one.expected
