"""The CORAL-2 rules: each looks at the evidence of one benchmark and says kept or broken, and why.

Where the suite leaves a word open, the stricter reading is taken and its reason says so.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from orchestrator.rulebooks.model import Rule

CLOCKS_APART_SECONDS = 1.0
"""How far clocks may differ; drift and rounding stay far below."""

if TYPE_CHECKING:
    from collections.abc import Iterable

    from orchestrator.rulebooks.coral2.reference import Accuracy, BenchmarkReference, Partition, Reference
    from orchestrator.rulebooks.model import Certainty, Evidence


def rules_for(evidence: Evidence, benchmark: BenchmarkReference, reference: Reference) -> tuple[Rule, ...]:
    """Return every rule that applies to a benchmark of the suite."""
    rules = [
        complete(evidence),
        timed(evidence),
        concurrency(evidence, benchmark.partition),
        quality(evidence, benchmark.accuracy),
        precision(evidence, reference),
        framework(evidence, reference),
        fixed_parameters(evidence, benchmark, reference),
        real_data(evidence, benchmark),
        slots(evidence),
        devices(evidence),
        seeds(evidence),
    ]
    if benchmark.partition is None:
        rules.append(single_device(evidence))
    else:
        rules.append(share_of_system(evidence, benchmark.partition))
    return tuple(rules)


def complete(evidence: Evidence) -> Rule:
    """Check that all planned instances were accepted, and that there was at least one."""
    text = f"{evidence.accepted:,} of {evidence.planned:,} planned instances accepted"
    return Rule("complete", 0 < evidence.planned == evidence.accepted, text)


def timed(evidence: Evidence) -> Rule:
    """Check that every accepted instance has a time, so that the longest is really the longest."""
    if evidence.without_seconds:
        return Rule("time", False, f"{evidence.without_seconds:,} accepted instances have no measured time")
    if evidence.max_seconds is None:
        return Rule("time", False, "no time was measured")
    if not (math.isfinite(evidence.max_seconds) and evidence.max_seconds > 0):
        return Rule("time", False, f"the longest time, {evidence.max_seconds:g} s, cannot be a time")
    if evidence.resumed:
        return Rule(
            "time", False, "an accepted instance went on from a checkpoint; its time is not the whole"
        )
    return Rule("time", True, f"the longest of {evidence.accepted:,} took {evidence.max_seconds:.10g} s")


def concurrency(evidence: Evidence, partition: Partition | None) -> Rule:
    """Check how many instances ran at once; only measured overlap counts."""
    name = "concurrency"
    if evidence.concurrent == 0:
        return Rule(name, False, "no instance was measured running")
    if evidence.clocks_apart_seconds > CLOCKS_APART_SECONDS:
        apart = f"{evidence.clocks_apart_seconds:,.1f} s"
        return Rule(
            name, False, f"clocks differed by {apart}, or one was set back; what overlapped is not known"
        )
    counted = evidence.concurrent if partition is None else min(evidence.concurrent, partition.instances)
    if evidence.certain is not None and evidence.certain.overlap < counted:
        return Rule(name, False, _uncertain(evidence.concurrent, evidence.certain))
    text = f"{evidence.concurrent:,} of {evidence.accepted:,} accepted instances were measured at once"
    if partition is not None:
        enough = evidence.concurrent >= partition.instances
        return Rule(name, enough, f"{text}; the rules ask for {partition.instances}")
    if evidence.concurrent < evidence.accepted:
        text += f"; only {evidence.concurrent:,} count"
    return Rule(name, True, text)


def quality(evidence: Evidence, accuracy: Accuracy | None) -> Rule:
    """Check that every accepted instance reached the suite's quality target."""
    name = "quality"
    if accuracy is None:
        return Rule(name, True, "the suite sets no quality target")
    if evidence.without_accuracy:
        text = f"{evidence.without_accuracy:,} accepted instances have no {accuracy.metric}"
        return Rule(name, False, text)
    lowest = evidence.min_accuracy
    if lowest is None or not math.isfinite(lowest):
        return Rule(name, False, f"no {accuracy.metric} was measured")
    text = f"lowest {accuracy.metric} is {lowest:.10g}, target {accuracy.minimum:.10g}"
    if lowest > accuracy.maximum:
        return Rule(name, False, f"{text}; a value above {accuracy.maximum:g} has another unit")
    needed = accuracy.minimum
    if evidence.run_class == "optimized" and accuracy.optimized_tolerance:
        needed *= 1 - accuracy.optimized_tolerance
        text += (
            f"; an optimized run may fall {accuracy.optimized_tolerance:.0%} of the target short"
            f" (relative, the stricter reading): {needed:.10g}"
        )
    elif evidence.below_target:
        return Rule(name, False, f"{text}; {evidence.below_target:,} accepted instances are below it")
    return Rule(name, lowest >= needed, text)


def precision(evidence: Evidence, reference: Reference) -> Rule:
    """Check that a base run computes in FP32 and nothing else."""
    return _allowed("precision", evidence, evidence.precisions, reference.base.precisions)


def framework(evidence: Evidence, reference: Reference) -> Rule:
    """Check that a base run uses TensorFlow and nothing else."""
    rule = _allowed("framework", evidence, evidence.frameworks, reference.base.frameworks)
    versions = f" ({_listed(evidence.versions)})" if evidence.versions else ""
    return Rule(rule.name, rule.passed, rule.reason + versions)


def fixed_parameters(evidence: Evidence, benchmark: BenchmarkReference, reference: Reference) -> Rule:
    """Check that fixed parameters are unmodified, epochs not lowered, timed steps as the suite says."""
    freed = reference.optimized_frees if evidence.run_class == "optimized" else frozenset()
    broken = [text for text in evidence.broken_parameters if text.partition(" ")[0] not in freed]
    for name, demand in benchmark.parameters.items():
        value = evidence.parameters.get(name)
        told = any(text.partition(" ")[0] == name for text in broken)
        if not demand.met_by(value) and not told:
            what = "not stated" if value is None else f"{value}"
            broken.append(f"{name} is {what}, rules say {demand}")
    epochs, trained = benchmark.parameters.get("epochs"), evidence.fewest_epochs_run
    if epochs is not None and trained is not None and not epochs.met_by(trained):
        broken.append(f"an accepted instance stopped after {trained} epochs, rules say {epochs}")
    return Rule("parameters", not broken, "; ".join(broken) or "all as the rules say")


def real_data(evidence: Evidence, benchmark: BenchmarkReference) -> Rule:
    """Check that instances read the suite's data, not data made to stand in for it."""
    name = "data"
    if not benchmark.reads_data:
        return Rule(name, True, "the benchmark generates its own input")
    if evidence.synthetic_data is None:
        return Rule(name, False, "no instance told what data it read")
    if evidence.synthetic_data:
        return Rule(name, False, "an accepted instance read synthetic data")
    if evidence.other_data_sizes:
        return Rule(name, False, f"not the suite's data: {'; '.join(evidence.other_data_sizes)}")
    return Rule(name, True, "every instance read data of the suite's size that were not made here")


def slots(evidence: Evidence) -> Rule:
    """Check that every instance saw exactly the cores and devices of its slot."""
    if evidence.disturbed:
        return Rule("slots", False, "another campaign ran on the same cores at the same time")
    wrong = evidence.slot_mismatches
    text = f"{wrong:,} accepted instances did not prove their slot" if wrong else "every slot as assigned"
    return Rule("slots", not wrong, text)


def devices(evidence: Evidence) -> Rule:
    """Check that instances with an assigned device computed on it."""
    text = {
        None: "no device was assigned, instances ran on cores",
        True: "every instance used its device",
        False: "an accepted instance did not prove that it used its device",
    }[evidence.devices_used]
    return Rule("devices", evidence.devices_used is not False, text)


def seeds(evidence: Evidence) -> Rule:
    """Check that no two instances are the same training."""
    text = "every seed differs" if evidence.distinct_seeds else "accepted instances share a seed"
    return Rule("seeds", evidence.distinct_seeds, text)


def single_device(evidence: Evidence) -> Rule:
    """Check that an instance of a throughput benchmark holds one device."""
    if not evidence.accepted:
        return Rule("single device", False, "no accepted instance shows what it held")
    most = evidence.largest_devices
    unit = "slot of cores" if evidence.devices_used is None else "device"
    text = (
        f"each instance held one {unit}"
        if most == 1
        else f"an instance held {most:,} devices; the rules say one"
    )
    return Rule("single device", most == 1, text)


def share_of_system(evidence: Evidence, partition: Partition) -> Rule:
    """Check that no instance holds more of the system than the suite allows."""
    name, share = "share of the system", evidence.largest_share_of_system
    if share is None or not math.isfinite(share) or share <= 0:
        return Rule(name, False, "the share of the system an instance held is unknown")
    text = f"the largest instance held {share:.4%} of the system, allowed {partition.largest_share:.0%}"
    return Rule(name, share <= partition.largest_share, text)


def _uncertain(concurrent: int, certain: Certainty) -> str:
    text = f"{certain.overlap:,} of {concurrent:,} instances overlapped for certain: "
    low, high = certain.ahead_seconds
    if low is None and high is None:
        return f"{text}nothing is known of the clock of node {certain.node}"
    least = "-∞" if low is None else f"{low:+,.3f}"
    most = "+∞" if high is None else f"{high:+,.3f}"
    return f"{text}the clock of node {certain.node} is known to {least} … {most} s only"


def _allowed(name: str, evidence: Evidence, found: frozenset[str], allowed: frozenset[str]) -> Rule:
    if not found:
        return Rule(name, False, f"no accepted instance told its {name}")
    text = f"{name}: {_listed(found)}"
    if "external" in found:
        return Rule(name, False, f"{text}; an external command proves only what it says of itself")
    if evidence.run_class == "optimized":
        return Rule(name, True, f"{text}; free in an optimized run")
    others = {value for value in found if value.lower() not in allowed}
    return Rule(name, not others, f"{text}; a base run allows {_listed(allowed)} only" if others else text)


def _listed(values: Iterable[str]) -> str:
    return ", ".join(sorted(values))
