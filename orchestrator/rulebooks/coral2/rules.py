"""The CORAL-2 rules: each checks the measurements of one benchmark and states its result and the reason.

Where the suite leaves a word open, the stricter reading is taken and its reason says so.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from orchestrator.rulebooks import common_rules, mark_rules, provenance_rules, straggler_rule, work_rules
from orchestrator.rulebooks.common_rules import listed
from orchestrator.rulebooks.coral2 import started_program
from orchestrator.rulebooks.coral2.reference import deviations, originals
from orchestrator.rulebooks.measurements import SUSTAINED_SHARE
from orchestrator.rulebooks.model import Rule
from orchestrator.wording import count_of
from workloads.description import FOM_UNITS, QualityTarget, broken_rules

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orchestrator.rulebooks.coral2.reference import (
        Accuracy,
        BenchmarkReference,
        Partition,
        Reference,
    )
    from orchestrator.rulebooks.measurements import Measurements

SENTENCES: Mapping[str, str] = {
    "suite": "The workload is a benchmark of the suite.",
    "sweep": "Points of a sweep count for nothing: the suite has one run of each benchmark.",
    "listed once": "The campaign runs the workload under one label only, so that one figure counts.",
    **{name: common_rules.SENTENCES[name] for name in ("complete", "time")},
    **straggler_rule.SENTENCES,
    **mark_rules.SENTENCES,
    "concurrency": "Instances count as far as their measured intervals overlapped, within the bounds of the "
    f"clocks, for {SUSTAINED_SHARE:.0%} of the shortest; ResNet-50 needs 50 at once.",
    "alone": "No instance was timed while another benchmark ran.",
    "source": "A base run executes the suite's own program, or this project's with its differences declared.",
    "quality": "Every accepted instance reached the suite's accuracy; optimized CANDLE runs within 1 %.",
    "precision": "A base run computes in FP32 only.",
    "framework": "A base run uses TensorFlow only.",
    "parameters": "A base run keeps the suite's parameters; epochs may be raised, never lowered.",
    "data": "Instances read data of the suite's size that this project did not make.",
    "global namespace": "Data files are read from a file system that all nodes share.",
    **{name: common_rules.SENTENCES[name] for name in ("slots", "devices", "seeds")},
    "single device": "An instance of a throughput benchmark holds one device, or one slot of cores.",
    "share of the system": "An instance of ResNet-50 holds at most 2 % of the system.",
    **work_rules.SENTENCES,
    "formula": "Every number that the formula needs was measured.",
    **provenance_rules.SENTENCES,
}


def rules_for(found: Measurements, benchmark: BenchmarkReference, reference: Reference) -> tuple[Rule, ...]:
    """Return every rule that applies to a benchmark of the suite."""
    rules = [
        common_rules.complete(found),
        timed(found, benchmark),
        mark_rules.marks(found),
        straggler_rule.stragglers(found, bound_counts=True),
        concurrency(found, benchmark.partition),
        alone(found),
        source(found),
        common_rules.disclosed(quality(found, benchmark.accuracy), found, _target(benchmark.accuracy)),
        precision(found, reference),
        framework(found, reference),
        fixed_parameters(found, benchmark, reference),
        real_data(found, benchmark),
        global_namespace(found, benchmark),
        common_rules.slots(found),
        common_rules.devices(found),
        common_rules.seeds(found),
    ]
    if benchmark.partition is None:
        rules.append(single_device(found))
    else:
        rules.append(share_of_system(found, benchmark.partition))
    return (*rules, *work_rules.rules(found, decisive=True))


def timed(found: Measurements, benchmark: BenchmarkReference) -> Rule:
    """Check the times as every rulebook does, and that they are the times that the suite asks for."""
    unit = FOM_UNITS[benchmark.time]
    if found.fom_unit != unit:
        return Rule("time", False, f"the program reports {found.fom_unit}, the suite asks for {unit}")
    return common_rules.timed(found, must_be_measured=found.run_class == "base")


def concurrency(found: Measurements, partition: Partition | None) -> Rule:
    """Check how many instances ran at once; only measured overlap counts."""
    name = "concurrency"
    if found.concurrent == 0:
        return Rule(name, False, "no instance was measured running")
    if reason := common_rules.contradiction(found):
        return Rule(name, False, reason)
    text = f"{found.sustained:,} of {found.accepted:,} accepted instances at once"
    if found.sustained > 1:
        text += f", for {found.sustained_seconds or 0:.4g} s, {SUSTAINED_SHARE:.0%} of the shortest"
    if found.sustained < found.concurrent:
        text += f"; {found.concurrent:,} at one instant, `start: synchronized` makes them overlap longer"
    if found.guaranteed is not None and found.counted < found.sustained:
        text += f"; {common_rules.uncertain_overlap(found.sustained, found.guaranteed)}"
    if partition is not None:
        return Rule(
            name, found.counted >= partition.instances, f"{text}; the rules ask for {partition.instances}"
        )
    if found.counted < found.accepted:
        text += f"; only {found.counted:,} count"
    return Rule(name, found.counted > 0, text)


def alone(found: Measurements) -> Rule:
    """Check that the benchmark had the system to itself."""
    if found.beside_others:
        return Rule(
            "alone",
            False,
            f"{count_of(found.beside_others, 'instance', 'were')} timed while another benchmark ran; the "
            "suite runs each individually on the entire system",
        )
    return Rule("alone", True, "no accepted instance was timed while another benchmark ran")


def quality(found: Measurements, accuracy: Accuracy | None) -> Rule:
    """Check that every accepted instance reached the suite's quality target."""
    name = "quality"
    if accuracy is None:
        return Rule(name, True, "the suite sets no quality target")
    if found.accuracy_metric not in ("", accuracy.metric):
        return Rule(
            name, False, f"the program reports {found.accuracy_metric}, the suite asks for {accuracy.metric}"
        )
    if found.missing_accuracies:
        text = f"{found.missing_accuracies:,} accepted instances have no {accuracy.label}"
        return Rule(name, False, text)
    lowest = found.min_accuracy
    if lowest is None or not math.isfinite(lowest):
        return Rule(name, False, f"no {accuracy.label} was measured")
    text = f"lowest {accuracy.label} is {lowest:.10g}, target {accuracy.minimum:.10g}"
    if lowest > accuracy.maximum:
        return Rule(name, False, f"{text}; a value above {accuracy.maximum:g} has another unit")
    needed = accuracy.minimum
    if found.run_class == "optimized" and accuracy.optimized_tolerance:
        needed *= 1 - accuracy.optimized_tolerance
        text += (
            f"; an optimized run may fall {accuracy.optimized_tolerance:.0%} of the target short"
            f" (relative, the stricter reading): {needed:.10g}"
        )
    elif found.below_target:
        return Rule(name, False, f"{text}; {found.below_target:,} accepted instances are below it")
    documented = accuracy.minimum if accuracy.documented is None else accuracy.documented
    declared = common_rules.far_above(f"lowest {accuracy.label}", lowest, documented, accuracy.maximum)
    return Rule(name, lowest >= needed, text, declared)


def _target(accuracy: Accuracy | None) -> QualityTarget | None:
    return QualityTarget(accuracy.metric, accuracy.minimum) if accuracy else None


def precision(found: Measurements, reference: Reference) -> Rule:
    """Check that a base run computes in FP32 and nothing else."""
    return _allowed("precision", found, found.precisions, reference.base.precisions)


def framework(found: Measurements, reference: Reference) -> Rule:
    """Check that a base run uses TensorFlow and nothing else."""
    rule = _allowed("framework", found, found.frameworks, reference.base.frameworks)
    versions = f" ({listed(found.versions)})" if found.versions else ""
    return Rule(rule.name, rule.passed, rule.reason + versions)


def fixed_parameters(found: Measurements, benchmark: BenchmarkReference, reference: Reference) -> Rule:
    """Check that fixed parameters are unmodified, epochs not lowered, timed steps as the suite says."""
    own = tuple(found.broken_parameters)
    named = {first_word(text) for text in own}
    suite = broken_rules(benchmark.parameters, found.parameters)
    broken = [*own, *(text for text in suite if first_word(text) not in named)]
    free = free_parameters(found.run_class, benchmark, reference)
    broken = [text for text in broken if first_word(text) not in free]
    epochs, trained = benchmark.parameters.get("epochs"), found.fewest_epochs_run
    if epochs is not None and trained is not None and "epochs" not in free and not epochs.met_by(trained):
        broken.append(f"an accepted instance stopped after {trained} epochs, rules say {epochs}")
    return Rule("parameters", not broken, "; ".join(broken) or "all as the rules say")


def free_parameters(run_class: str, benchmark: BenchmarkReference, reference: Reference) -> frozenset[str]:
    """Return the parameters that a run of a class may change, whatever their rule."""
    if run_class != "optimized":
        return frozenset()
    return reference.optimized_free_parameters | benchmark.optimized_free_parameters


def modifications(found: Measurements, benchmark: BenchmarkReference, reference: Reference) -> list[str]:
    """List the differences from a base run that an optimized run may have and must report."""
    free = free_parameters(found.run_class, benchmark, reference)
    changed = [
        text for text in broken_rules(benchmark.parameters, found.parameters) if first_word(text) in free
    ]
    if found.run_class == "optimized" and found.program != "shipped":
        changed.append(f"program: {_PROGRAMS[found.program]}")
    return changed


_PROGRAMS = {
    "shipped": "this project's implementation of the suite's program",
    "external": "an external command",
    "module": "a module of the user's",
}


def source(found: Measurements) -> Rule:
    """Check that a base run executes the suite's program, or this project's with declared differences."""
    text = f"the program is {_PROGRAMS[found.program]}"
    if found.program == "shipped":
        declared = [str(one) for one in deviations().get(found.workload, ()) if one.applies(found.parameters)]
        return Rule(
            "source",
            True,
            f"{text}; {count_of(len(declared), 'difference', 'are')} declared",
            tuple(declared),
        )
    if found.run_class == "optimized":
        return Rule("source", True, f"{text}; free in an optimized run, and listed as a modification")
    if found.program != "external":
        return Rule("source", False, f"{text}; a base run executes the suite's own")
    if (problem := started_program.problem(found)) is not None:
        return Rule("source", False, f"{text}; a base run executes the suite's own: {problem}")
    original, stated = originals()[found.workload], started_program.declared(found)
    name = f"{original.repository} {original.version}"
    return Rule("source", True, "; ".join([f"{text} that runs {name}, unmodified", *stated]), stated)


def real_data(found: Measurements, benchmark: BenchmarkReference) -> Rule:
    """Check that instances read the suite's data, not data made to stand in for it."""
    if benchmark.data and found.synthetic_data is None:
        return Rule("data", False, "no instance told what data it read")
    rule = common_rules.real_data(found, benchmark.data)
    if found.program != "external" or not rule.passed or not benchmark.data:
        return rule
    stated = "sizes of the data are those that the external command printed"
    return replace(rule, reason=f"{rule.reason}; {stated}", declared=(*rule.declared, stated))


GLOBAL_FILE_SYSTEMS = frozenset({
    "lustre", "gpfs", "nfs", "nfs4", "beegfs", "panfs", "ceph", "wekafs", "orangefs", "pvfs2", "glusterfs",
    "dfuse", "daos", "afs", "dvs", "cifs", "smb3",
})  # fmt: skip
LOCAL_FILE_SYSTEMS = frozenset({
    "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "tmpfs", "ramfs", "overlay", "f2fs", "squashfs",
})  # fmt: skip


def global_namespace(found: Measurements, benchmark: BenchmarkReference) -> Rule:
    """Check that data lay in a global namespace at launch, by the type of their file system."""
    name, place = "global namespace", found.data_place
    if not benchmark.data:
        return Rule(name, True, "the benchmark generates its own input")
    if place is None:
        return Rule(name, None, "not recorded: where the data files lay")
    kinds = {one.removeprefix("fuse.") for one in (place.file_system, *place.linked)}
    text = f"data files in {place.path} on {place.file_system}"
    if place.linked:
        text += f", with links to files on {', '.join(place.linked)}"
    if kinds <= GLOBAL_FILE_SYSTEMS:
        return Rule(name, True, f"{text}, which nodes share")
    if not kinds & LOCAL_FILE_SYSTEMS:
        return Rule(name, None, f"{text}; whether nodes share it is not known")
    if found.nodes_used > 1:
        return Rule(
            name,
            False,
            f"{text}, which is local to a node, and {count_of(found.nodes_used, 'node')} read data",
        )
    return Rule(name, None, f"{text}, which is local to a node; only one node ran")


def single_device(found: Measurements) -> Rule:
    """Check that an instance of a throughput benchmark holds one device."""
    if not found.accepted:
        return Rule("single device", False, "no accepted instance shows what it held")
    most = found.largest_devices
    unit = "slot of cores" if found.devices_used is None else "device"
    text = (
        f"each instance held one {unit}"
        if most == 1
        else f"an instance held {most:,} devices; the rules say one"
    )
    return Rule("single device", most == 1, text)


def share_of_system(found: Measurements, partition: Partition) -> Rule:
    """Check that no instance holds more of the system than the suite allows."""
    name, share = "share of the system", found.largest_share_of_system
    if share is None or not math.isfinite(share) or share <= 0:
        return Rule(name, False, "the share of the system an instance held is unknown")
    text = f"the largest instance held {share:.4%} of the system, allowed {partition.largest_share:.0%}"
    return Rule(name, share <= partition.largest_share, text)


def first_word(text: str) -> str:
    """Return the parameter that a sentence about a broken rule begins with."""
    return text.partition(" ")[0]


def _allowed(name: str, found: Measurements, used: frozenset[str], allowed: frozenset[str]) -> Rule:
    if not used:
        return Rule(name, False, f"no accepted instance told its {name}")
    text = f"{name}: {listed(used)}"
    if found.run_class == "optimized":
        return Rule(name, True, f"{text}; free in an optimized run")
    if (original := started_program.own_program(found)) is not None:
        return Rule(name, True, f"{text}; the suite's own program, {original.repository} {original.version}")
    if "external" in used:
        return Rule(name, False, f"{text}; an external command proves only what it says of itself")
    others = {value for value in used if value.lower() not in allowed}
    return Rule(name, not others, f"{text}; a base run allows {listed(allowed)} only" if others else text)
