"""Sections on the pages of instances: lists of them, and the story of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from db.rows import SHOWN
from orchestrator.monitoring.outcome_words import state_words
from orchestrator.report import figures
from orchestrator.report.blocks import Bar, Code, Link, Section, Table, Text, cell
from orchestrator.serve.pages.addresses import of_instance, of_instances
from orchestrator.serve.pages.live_drawings import DRAWING
from orchestrator.wording import ALL_DIGITS

if TYPE_CHECKING:
    from db.queries.instance_pages import InstanceLine

_EVENTS = 500
_PHASES = {
    "process_start": "wait for the process",
    "ready": "start of the process",
    "run_start": "wait for the run",
    "run_stop": "run",
    "process_stop": "end of the process",
}
"""Phase that ends at each time of an attempt, in their order; the first begins with the submission."""


def listing(name: str, lines: Sequence[InstanceLine], units: Mapping[str, str]) -> Section:
    """Return a list of instances as a section.

    Parameters
    ----------
    units
        Unit of the FOM time by benchmark.
    """
    columns = [
        "instance", "seed", "state", "attempts", "FOM time", "unit", "accuracy", "node", "slot",
        "last cause",
    ]  # fmt: skip
    rows = [
        [
            Link(one.label, of_instance(name, one.label)),
            one.seed,
            one.state.replace("_", " "),
            one.attempts,
            one.fom_seconds,
            None if one.fom_seconds is None else units.get(one.label.rpartition("/")[0]),
            one.accuracy,
            None if one.node is None else Link(one.node, of_instances(name, node=one.node)),
            one.slot_index,
            one.failure_reason,
        ]
        for one in lines
    ]
    table = Table("Instances, with the figures of the accepted, or else last, attempt", columns, rows)
    return Section("list", "List", [table] if rows else [Text("None is like that.")])


def story(facts: Mapping[str, Any], unit: str) -> list[Section]:
    """Return all that is known of an instance as sections, its last attempt first.

    Parameters
    ----------
    unit
        Unit of its FOM time.
    """
    attempts = [
        Section(
            f"attempt-{one['attempt']}",
            f"Attempt {one['attempt']}: {state_words(one['state'])}",
            list(_attempt(one, unit)),
        )
        for one in reversed(facts["attempts"])
    ]
    if not attempts:
        attempts = [Section("attempts", "Attempts", [Text("It has not been tried yet.")])]
    return [*attempts, Section("events", "Events", list(_events(facts["events"])))]


def head(facts: Mapping[str, Any]) -> dict[str, str]:
    """Return the facts for the head of an instance's page."""
    made = {"seed": str(facts["seed"]), "accepted attempt": cell(facts["accepted_attempt"])}
    if by := facts.get("superseded_by"):
        made["superseded by"] = by
    if "sweep" in facts:
        values = ", ".join(f"{axis} {cell(value, ALL_DIGITS)}" for axis, value in facts["axes"].items())
        made[f"point of sweep {facts['sweep']}"] = values
    return made


def _attempt(one: Mapping[str, Any], unit: str) -> Iterator[Any]:
    title = f"Attempt {one['attempt']}"
    known = [_fact(name, one[name], unit) for name in SHOWN if one[name] is not None]
    yield Table(f"{title}: facts", ["fact", "value"], known)
    if phases := _phases(one["times"]):
        yield Table(f"{title}: phases", ["phase", "seconds", "from submission to end"], phases)
    times = [[name.replace("_", " "), at] for name, at in one["times"].items() if at]
    yield Table(f"{title}: times", ["time", "UTC"], times)
    if metrics := one["metrics"]:
        rows = [[name, value["value"], value["unit"]] for name, value in metrics.items()]
        yield Table(f"{title}: metrics", ["metric", "value", "unit"], rows)
    if curves := one.get("curves"):
        panels = [figures.band_of(name, curve["axis"], [curve["points"]]) for name, curve in curves.items()]
        if drawn := [panel for panel in panels if panel.places]:
            name = f"curves-{one['attempt']}"
            with DRAWING:
                yield figures.bands(name, f"{title}: learning curves", "Values as reported.", drawn)
    for kind, key in (("observations of the process", "observed"), ("data", "data_facts")):
        if found := one[key]:
            rows = [[name, cell(value)] for name, value in found.items()]
            yield Table(f"{title}: {kind}", ["fact", "value"], rows, folded=True)
    if tail := one["stderr_tail"]:
        yield Code(f"{title}: end of stderr", tail)


def _fact(name: str, value: Any, unit: str) -> list[str]:
    """Return name and value of a fact, with its unit."""
    if name.endswith("_bytes"):
        return [name.removesuffix("_bytes").replace("_", " "), f"{value / 2**20:,.1f} MiB"]
    if name == "cpu_seconds":
        return ["CPU time", f"{cell(value)} s"]
    if name == "state":
        return [name, state_words(value)]
    if name == "fom_seconds":
        return ["FOM time", f"{cell(value)} {unit}"]
    return [name.replace("_", " "), cell(value)]


def _phases(times: Mapping[str, str | None]) -> list[list[Any]]:
    """Return name, seconds and place of the phases between those times that were measured."""
    names = ("submitted", *_PHASES)
    known = [(name, datetime.fromisoformat(at)) for name in names if (at := times.get(name))]
    if len(known) < 2:
        return []
    milliseconds = [round((at - known[0][1]).total_seconds() * 1000) for _, at in known]
    if any(later < earlier for earlier, later in pairwise(milliseconds)):
        return []  # clocks of the driver's host and of the node disagree
    follows = set(pairwise(names))
    return [
        [
            _PHASES[name] if (former, name) in follows else f"until {name.replace('_', ' ')}",
            (end - begin) / 1000,
            Bar(milliseconds[-1], {"before": begin, "phase": end - begin}),
        ]
        for (begin, end), ((former, _), (name, _)) in zip(
            pairwise(milliseconds), pairwise(known), strict=True
        )
    ]


def _events(events: Sequence[Mapping[str, Any]]) -> Iterator[Any]:
    yield Table(
        "Events, oldest first",
        ["at (UTC)", "event", "attempt", "from", "to", "detail"],
        [
            [one["at"], one["kind"].replace("_", " "), one["attempt"], one["from"], one["to"], one["detail"]]
            for one in events[-_EVENTS:]
        ],
    )
