"""The rules of HPC AI500 V2.0 about a training's repeats, time, quality, precision and power.

Where the suite leaves a word open, the stricter reading is taken, and the reason of the rule says so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from orchestrator.rulebooks import common_rules, mark_rules, provenance_rules, straggler_rule, work_rules
from orchestrator.rulebooks.common_rules import GREATEST_TIME_SHARE, listed
from orchestrator.rulebooks.hpcai500 import layers
from orchestrator.rulebooks.hpcai500.reference import reference
from orchestrator.rulebooks.hpcai500.repeats import SECONDS
from orchestrator.rulebooks.model import CheckResult, Rule, RuleResult, rule
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from orchestrator.rulebooks.hpcai500.reference import BenchmarkReference
    from orchestrator.rulebooks.hpcai500.repeats import Means
    from orchestrator.rulebooks.measurements import Measurements

UNMODIFIED = ("hardware",)


@rule("suite", "The workload is a training of the suite; micro-benchmarks have no figure of merit.")
def suite(found: Measurements, known: BenchmarkReference | None) -> CheckResult:
    """Check that the suite has the workload."""
    if known is not None:
        return CheckResult(True, f"{found.workload} is {known.title} of HPC AI500")
    if found.workload in reference().microbenchmarks:
        return CheckResult(None, f"{found.workload} is a micro-benchmark, for rooflines")
    return CheckResult(False, f"{found.workload} is no training of HPC AI500")


@rule("formula", "Every number that Valid FLOPS need was measured.")
def formula(found: Measurements, absent: str) -> CheckResult:
    """Check that no number of the headline is absent; `absent` says which."""
    stated = "quality, samples, training time and counted FLOP are as the program states them"
    declared = () if found.program == "shipped" else (stated,)
    return CheckResult(not absent, absent or "every number that it needs was measured", declared)


@rule(
    "repeats",
    "Repeats are at least as many as the stricter reading of the suite asks for, and none was "
    "replaced for its quality, or cancelled after its start.",
)
def repeats(found: Measurements, known: BenchmarkReference) -> CheckResult:
    """Check the number of repeats by both readings of the suite, and that none was chosen."""
    asked = known.repeats
    text = (
        f"{count_of(found.accepted, 'repeat')}; the suite's text asks for {asked.text} of "
        f"{known.title}, its table 2 "
        f"for {asked.table}, and either may be swapped: the stricter, {asked.stricter}, decides"
    )
    if number := found.superseded.number:
        return CheckResult(
            False,
            f"{text}; {count_of(number, 'repeat', 'were')} replaced when the quality was known, "
            "which chooses",
        )
    if number := found.plan_changes.cancelled_started + found.plan_changes.rerun:
        return CheckResult(
            False,
            f"{text}; {count_of(number, 'repeat', 'were')} cancelled after the start, which chooses",
        )
    return CheckResult(found.accepted >= asked.stricter, text)


@rule(
    "time",
    "Training times run from the read of the first training batch to the end of the last epoch, and "
    "agree with the measured runs.",
)
def timed(found: Measurements) -> CheckResult:
    """Check that stated training times fit the measured runs."""
    bounds, runs = reference().times, found.runs
    if found.times.resumed:
        return CheckResult(False, "an accepted repeat went on from a checkpoint; its time is not the whole")
    seconds = None if runs is None else runs.metrics.get(SECONDS)
    if runs is None or not seconds or any(map(math.isnan, seconds)):
        return CheckResult(False, f"not every accepted repeat reported {SECONDS}")
    if min(seconds) <= 0:
        return CheckResult(False, f"{SECONDS} of {min(seconds):g} s cannot be a time")
    measured = [(stop - start) / 1e6 for start, stop in zip(runs.start_us, runs.stop_us, strict=True)]
    if min(measured) <= 0:
        text = f"{SECONDS} as stated; not every repeat has a measured run that confirms it"
        return CheckResult(None, text, (text,)) if found.run_class == "free" else CheckResult(False, text)
    shares = [one / whole for one, whole in zip(seconds, measured, strict=True)]
    text = f"training takes {100 * min(shares):.4g} % to {100 * max(shares):.4g} % of the measured runs"
    if max(shares) > GREATEST_TIME_SHARE:
        return CheckResult(False, f"{text}; it cannot take longer than the run")
    if min(shares) < bounds.least_share:
        return CheckResult(
            False, f"{text}; below {bounds.least_share:.0%} it is no time of the whole training"
        )
    phases = [runs.metrics[one] for one in bounds.phases_outside if one in runs.metrics]
    accounted = min(
        (sum(one for one in (training, *outside) if not math.isnan(one))) / whole
        for training, whole, *outside in zip(seconds, measured, *phases, strict=True)
    )
    if accounted < bounds.least_accounted:
        return CheckResult(
            False, f"{text}; with phases outside of it only {100 * accounted:.4g} % are accounted for"
        )
    return CheckResult(True, text)


@rule("alone", "No repeat ran beside another benchmark, or beside another repeat on one node.")
def alone(found: Measurements) -> CheckResult:
    """Check that no repeat shared the machine with another benchmark, or its node with another repeat."""
    if found.overlap.beside_others:
        return CheckResult(
            False, f"{count_of(found.overlap.beside_others, 'repeat')} ran while another benchmark did"
        )
    most = 0 if found.runs is None else found.runs.most_on_a_node
    if most > 1:
        return CheckResult(
            False,
            f"{most:,} repeats ran on one node at the same time, where they share memory bandwidth, power "
            "and file access; give each a slot of the whole node",
        )
    if found.overlap.concurrent > 1:
        text = f"{found.overlap.concurrent:,} repeats ran at the same time on different nodes"
        return CheckResult(True, text, (text,))
    return CheckResult(True, "one repeat after another, and nothing beside them")


@rule(
    "quality",
    "Every repeat reports the suite's quality; below the target Valid FLOPS are less, and there "
    "is no time to quality.",
)
def quality(found: Measurements, known: BenchmarkReference) -> CheckResult:
    """Check that every repeat reports the suite's quality on its scale."""
    asked = known.quality
    if other := other_quality(found, known):
        return CheckResult(False, other)
    if found.accuracy.missing or found.accuracy.lowest is None or found.accuracy.highest is None:
        return CheckResult(
            False, f"{count_of(found.accuracy.missing, 'accepted repeat', 'have')} no {asked.label}"
        )
    least = found.accuracy.lowest
    text = _range(found, known)
    if found.accuracy.below_target or least < asked.target:
        text += "; where it is missed, Valid FLOPS are less, and there is no time to quality"
    declared = common_rules.far_above(
        f"highest {asked.label}", found.accuracy.highest, asked.target, asked.highest
    )
    return CheckResult(True, text, declared)


def other_quality(found: Measurements, known: BenchmarkReference) -> str:
    """Return why what repeats report is not the suite's quality; empty where it is, or where none does."""
    asked = known.quality
    if found.accuracy.metric not in ("", asked.metric):
        return f"the program reports {found.accuracy.metric}, rules say {asked.metric}"
    if found.accuracy.lowest is None or found.accuracy.highest is None:
        return ""
    if found.accuracy.highest > asked.highest or found.accuracy.lowest < 0:
        return f"{_range(found, known)}; a value outside of 0 to {asked.highest:g} has another unit"
    return ""


def _range(found: Measurements, known: BenchmarkReference) -> str:
    asked = known.quality
    reached = found.accuracy
    return f"{asked.label} {reached.lowest:.6g} to {reached.highest:.6g}, target {asked.target:.6g}"


@rule("precision", "Trainings compute in FP32, FP16, BF16, INT8 or INT4.")
def precision(found: Measurements) -> CheckResult:
    """Check that trainings computed in one of the suite's precisions."""
    used = found.software.precisions - {"unknown"}
    if not used or "unknown" in found.software.precisions:
        return CheckResult(None, "not every accepted repeat stated its precision")
    others = used - reference().precisions
    text = f"precision {listed(used)}"
    return CheckResult(not others, f"{text}; not one of the suite's" if others else text)


@rule("synchronous", "Gradients are combined synchronously; an external program states it.")
def synchronous(found: Measurements) -> CheckResult:
    """Check that no training combines gradients asynchronously."""
    if found.program == "shipped":
        return CheckResult(True, "ranks average their gradients after every step")
    stated = found.parameters.get("synchronous")
    if stated is not None:
        return CheckResult(stated is True, f"its parameter synchronous is {str(stated).lower()}")
    if found.slots.ranks and found.slots.ranks <= {1}:
        return CheckResult(None, "one process as far as the ledger knows; the program states nothing")
    return CheckResult(None, "the program does not state it; give it the parameter `synchronous: true`")


@rule("power", "Every repeat that counts has a measured power; without it there is no figure per watt.")
def power(found: Measurements, means: Means) -> CheckResult:
    """Check that there is a power for the figures per watt; without one the others stand all the same."""
    if means.watts is not None:
        if not found.work.sampled:
            stated = "mean power as the program states it; no reading of a node confirms it"
            return CheckResult(None, stated, (stated,))
        return CheckResult(True, f"mean power of the measured runs, of {'; '.join(found.work.sampled)}")
    return CheckResult(None, f"no figure per watt: {no_power(found)}")


RULES: tuple[Rule[...], ...] = (
    suite,
    common_rules.complete,
    repeats,
    timed,
    straggler_rule.stragglers,
    alone,
    layers.epochs,
    quality,
    precision,
    synchronous,
    *layers.RULES.values(),
    power,
    formula,
    common_rules.slots,
    common_rules.devices,
    common_rules.seeds,
    mark_rules.marks,
    *work_rules.RULES,
    *provenance_rules.RULES,
)


def results_of(found: Measurements, known: BenchmarkReference, means: Means) -> tuple[RuleResult, ...]:
    """Return the result of every rule about a training of the suite but ``suite`` and ``formula``."""
    return (
        common_rules.complete(found),
        repeats(found, known),
        timed(found),
        mark_rules.marks(found),
        straggler_rule.stragglers(found),
        alone(found),
        layers.epochs(found, known),
        quality(found, known),
        precision(found),
        synchronous(found),
        *layers.results(found, known),
        power(found, means),
        common_rules.slots(found),
        common_rules.devices(found),
        common_rules.seeds(found),
        *work_rules.results(found, decisive=True),
        *provenance_rules.results(found, unmodified=found.run_class in UNMODIFIED),
    )


def no_power(found: Measurements) -> str:
    """Return why there is no power."""
    why = "; ".join(found.work.not_sampled) or "not sampled"
    return f"not every repeat that counts has a measured power ({why})"
