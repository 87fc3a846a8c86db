"""Rules about the quality of the measurements, which hold whatever the suite."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from orchestrator.protocol.foreign_load import MAX_PERCENT
from orchestrator.rulebooks.accepted_facts import GuaranteedOverlap
from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import CheckResult, rule
from orchestrator.wording import count_of
from workloads.description import ParameterRule, QualityTarget

CLOCK_CONTRADICTION_SECONDS = 1.0
"""How far clocks may contradict each other; drift and rounding stay far below."""
LEAST_TIME_SHARE = {"whole": 0.999, "part": 0.95}
"""Least (FOM time × timed steps) ÷ measured interval: of one process timed as a whole, where both are the
same two readings of a clock; and of timed steps or several ranks, where readings and waiting take some."""
GREATEST_TIME_SHARE = 1.001
"""Greatest such share: steps do not take longer than the interval that holds them."""
_PLAUSIBLE_ERROR = 0.5  # of that of the documented quality, which seeds change by a few percent of it

_Result = TypeVar("_Result", bound=CheckResult)


@rule("complete", "Every planned instance has an accepted attempt.")
def complete(found: Measurements) -> CheckResult:
    """Check that all planned instances were accepted, and that there was at least one."""
    text = f"{found.accepted:,} of {found.planned:,} planned instances accepted"
    return with_changes(CheckResult(0 < found.planned == found.accepted, text), found)


def with_changes(result: _Result, found: Measurements) -> _Result:
    """Return a result about the number of instances with those that users added, cancelled and ran again.

    What was chosen with results known is declared: who adds until a wave fits, or cancels what is slow,
    chooses among results.
    """
    changes = found.plan_changes
    text = str(replace(changes, pauses=0))
    if not text:
        return result
    known = changes.added_knowing or changes.cancelled_knowing
    again = changes.rerun or changes.stopped or changes.reopened
    elsewhere = changes.excluded_knowing or changes.copied_knowing
    chosen = known or changes.cancelled_started or elsewhere or again
    declared = (*result.declared, text) if chosen else result.declared
    return replace(result, reason=f"{result.reason}; {text}", declared=declared)


@rule(
    "time",
    "Every accepted instance has a FOM time of one whole run, without a resumed checkpoint, that "
    "agrees with its measured interval.",
)
def timed(found: Measurements, *, must_be_measured: bool = False) -> CheckResult:
    """Check that every accepted instance has a time, so that the longest is really the longest.

    Parameters
    ----------
    must_be_measured
        Whether a time that no measured interval confirms breaks the rule. It is declared otherwise.
    """
    if found.times.missing:
        return CheckResult(
            False, f"{count_of(found.times.missing, 'accepted instance', 'have')} no measured time"
        )
    if found.times.max_seconds is None:
        return CheckResult(False, "no time was measured")
    if not (math.isfinite(found.times.max_seconds) and found.times.max_seconds > 0):
        return CheckResult(False, f"the longest time, {found.times.max_seconds:g} s, cannot be a time")
    if found.times.resumed and found.design.search:
        return CheckResult(None, "a trial of a search went on from a checkpoint; its time is not compared")
    if found.times.resumed:
        return CheckResult(False, "an accepted instance went on from a checkpoint; its time is not the whole")
    if reason := _disagreement(found):
        return CheckResult(False, reason)
    if 0 < (without := found.marks.without_interval) < found.accepted:
        return CheckResult(False, f"{count_of(without, 'accepted instance', 'have')} no measured interval")
    text = f"the longest of {found.accepted:,} took {found.times.max_seconds:.10g} {found.times.unit}"
    if found.times.share is None:
        text += ", as stated; no measured interval confirms it"
        return CheckResult(False, text) if must_be_measured else CheckResult(None, text, (text,))
    return CheckResult(True, text)


def _disagreement(found: Measurements) -> str | None:
    """Return how stated times contradict the measured intervals; None if they agree."""
    if found.times.share is None:
        return None
    lowest, highest = found.times.share
    whole = found.times.unit == "s" and found.slots.ranks <= {1}
    interval = "run" if found.times.unit == "s" else "window of timed steps"
    if lowest < LEAST_TIME_SHARE["whole" if whole else "part"]:
        return f"the stated time of an accepted instance is {lowest:.2%} only of its measured {interval}"
    if highest > GREATEST_TIME_SHARE:
        return f"the stated time of an accepted instance is {highest:.2%} of its measured {interval}"
    return None


def contradiction(found: Measurements) -> str | None:
    """Return why measured intervals cannot be compared; None if they can."""
    if found.times.contradiction_seconds <= CLOCK_CONTRADICTION_SECONDS:
        return None
    apart = f"{found.times.contradiction_seconds:,.1f} s"
    return f"clocks differed by {apart}, or one was set back; what overlapped is not known"


@rule("clocks", "The clocks of driver and nodes do not contradict each other by more than one second.")
def clocks(found: Measurements) -> CheckResult:
    """Check that intervals measured by different clocks can be compared."""
    reason = contradiction(found)
    if reason:
        return CheckResult(False, reason)
    if found.overlap.guaranteed is not None and found.overlap.guaranteed.overlap < found.overlap.sustained:
        return CheckResult(True, uncertain_overlap(found.overlap.sustained, found.overlap.guaranteed))
    return CheckResult(True, "no clock contradicts another")


def uncertain_overlap(sustained: int, guaranteed: GuaranteedOverlap) -> str:
    """Return how much of the measured overlap is guaranteed, and which clock leaves the rest open."""
    text = f"{guaranteed.overlap:,} of {sustained:,} overlapped for certain: "
    low, high = guaranteed.ahead_seconds
    if low is None and high is None:
        return f"{text}nothing is known of the clock of node {guaranteed.node}"
    least = "-∞" if low is None else f"{low:+,.3f}"
    most = "+∞" if high is None else f"{high:+,.3f}"
    return f"{text}the clock of node {guaranteed.node} is known to {least} … {most} s only"


@rule(
    "slots",
    "Every instance saw exactly the cores and devices of its slot, on nodes of one pool, no other "
    f"campaign used them, other processes took at most {MAX_PERCENT} % of its cores' time, and no profiler "
    "took part of it.",
)
def slots(found: Measurements) -> CheckResult:
    """Check that every instance saw exactly the cores and devices of its slot."""
    if found.work.profiled:
        text = f"the kernels of {count_of(found.work.profiled, 'accepted instance')} were recorded"
        return CheckResult(False, f"{text}, which takes time: remove profile")
    if found.slots.cores_shared:
        return CheckResult(False, "another campaign ran on the same cores at the same time")
    if found.slots.mixed:
        return CheckResult(False, f"accepted instances ran on slots of different shapes: {found.slots.mixed}")
    pools = [f"{number:,} on pool {pool}" for pool, number in sorted(found.slots.pools.items())]
    if len(pools) > 1:
        text = f"accepted instances ran on nodes of different pools: {', '.join(pools)}"
        return CheckResult(False, text)
    wrong = found.slots.mismatches
    text = (
        f"{count_of(wrong, 'accepted instance')} did not prove their slot"
        if wrong
        else "every slot as assigned"
    )
    load = found.work.foreign_cpu_percent
    if not wrong and load is not None and load > MAX_PERCENT:
        text = f"other processes took up to {load} % of the time of an instance's cores"
        return CheckResult(False, f"{text}, allowed are {MAX_PERCENT} %")
    if not wrong and (unknown := found.work.foreign_cpu_unknown):
        number, reason = sum(unknown.values()), next(iter(unknown))
        text += f"; load by other processes is unknown for {count_of(number, 'instance')}: {reason}"
    text = "; ".join([text, *pools, *found.slots.site_changes])
    return CheckResult(not wrong, text)


@rule("devices", "Every instance with an assigned device computed on it.")
def devices(found: Measurements) -> CheckResult:
    """Check that instances with an assigned device computed on it."""
    text = {
        None: "no device was assigned, instances ran on cores",
        True: "every instance used its device",
        False: "an accepted instance did not prove that it used its device",
    }[found.slots.devices_used]
    return CheckResult(found.slots.devices_used is not False, text)


@rule("seeds", "No two accepted instances share a seed.")
def seeds(found: Measurements) -> CheckResult:
    """Check that no two instances are the same training."""
    text = "every seed differs" if found.distinct_seeds else "accepted instances share a seed"
    return CheckResult(found.distinct_seeds, text)


def own_target(found: Measurements, target: QualityTarget | None) -> CheckResult:
    """Check that every accepted instance reached a target that no suite sets."""
    if target is None:
        return CheckResult(None, "no quality target is set")
    if found.accuracy.missing:
        return CheckResult(
            False, f"{count_of(found.accuracy.missing, 'accepted instance', 'have')} no {target.metric}"
        )
    word, worst = (
        ("highest", found.accuracy.highest) if target.at_least is None else ("lowest", found.accuracy.lowest)
    )
    if worst is None:
        return CheckResult(False, f"no {target.metric} was measured")
    text = f"{word} {target.metric} is {worst:.10g}, target {target.bound:.10g}"
    if found.accuracy.below_target:
        return CheckResult(
            False, f"{text}; {count_of(found.accuracy.below_target, 'accepted instance', 'miss')} it"
        )
    return CheckResult(target.met_by(worst), text)


def far_above(name: str, quality: float, documented: float, perfect: float) -> tuple[str, ...]:
    """Return what is declared of a quality that leaves less than half of the documented error.

    Parameters
    ----------
    documented, perfect
        The suite's value, and the value without error.
    """
    if perfect - quality >= (perfect - documented) * _PLAUSIBLE_ERROR:
        return ()
    return (
        f"the {name}, {quality:.6g}, leaves less than half of the error of the documented "
        f"{documented:.6g}: the data may be other than the suite's",
    )


def disclosed(result: _Result, found: Measurements, target: QualityTarget | None) -> _Result:
    """Return the result of the rule about quality with the instances that missed it and were run again."""
    again = found.superseded
    if not again.number:
        return result
    reached = [one for one in (again.lowest_accuracy, again.highest_accuracy) if one is not None]
    if target is None or len(reached) < 2 or any(map(target.met_by, reached)):
        reason = f"{result.reason}; an instance was replaced that had not missed a target"
        return replace(result, passed=False, reason=reason, declared=())
    text = (
        f"{count_of(again.number, 'accepted instance')} missed it, from {reached[0]:.10g} to "
        f"{reached[1]:.10g}, and were run again with new seeds; their times count, their accuracies do not"
    )
    return replace(result, reason=f"{result.reason}; {text}", declared=(*result.declared, text))


def real_data(found: Measurements, sizes: Mapping[str, ParameterRule]) -> CheckResult:
    """Check that instances read the suite's data, of its sizes, not data made to stand in for it."""
    if not sizes:
        return CheckResult(True, "the benchmark generates its own input")
    if found.data.synthetic is None:
        return CheckResult(False, "no instance reported what data it read")
    if found.data.synthetic:
        return CheckResult(False, "an accepted instance read synthetic data")
    place = found.data.place
    if place is not None and place.changed:
        return CheckResult(False, f"files in {place.path} were changed after the launch")
    if place is not None and place.unlike_published:
        text = f"{place.unlike_published} of {place.path} has another checksum than is published"
        return CheckResult(False, f"not the suite's data: {text}: {place.published}")
    other = dict.fromkeys(text for facts in found.data.facts for text in _other_sizes(sizes, facts))
    if other:
        return CheckResult(False, f"not the suite's data: {'; '.join(other)}")
    size = "every instance read data of the suite's size that were not made here"
    if place is None or place.published is None:
        return CheckResult(True, size)
    if not place.published:
        return CheckResult(True, f"{size}; not compared with published checksums")
    return CheckResult(
        True, f"every instance read the suite's data: checksums published by {place.published}"
    )


def _other_sizes(sizes: Mapping[str, ParameterRule], facts: Mapping[str, object]) -> list[str]:
    """List how the data that a run read differ in size from the suite's."""
    return [
        f"{name} is {facts.get(name, 'not stated')}, the data set has {rule.reference}"
        for name, rule in sizes.items()
        if name not in facts or not rule.met_by(facts[name])
    ]


def listed(values: Iterable[str]) -> str:
    """Return values in one sorted, comma-separated text."""
    return ", ".join(sorted(values))
