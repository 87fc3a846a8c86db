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
from orchestrator.rulebooks.model import CheckResult, Rule, RuleResult, rule
from orchestrator.wording import count_of
from workloads.description import FOM_UNITS, QualityTarget, broken_rules

if TYPE_CHECKING:
    from orchestrator.rulebooks.coral2.reference import (
        Accuracy,
        BenchmarkReference,
        Partition,
        Reference,
    )
    from orchestrator.rulebooks.measurements import Measurements


@rule("suite", "The workload is a benchmark of the suite.")
def suite(found: Measurements, *, known: bool) -> CheckResult:
    """Check that the suite has the workload."""
    return CheckResult(known, f"{found.workload} is {'' if known else 'not '}a benchmark of CORAL-2")


@rule("sweep", "Points of a sweep count for nothing: the suite has one run of each benchmark.")
def sweep(found: Measurements) -> CheckResult:
    """Check that the benchmark is no point of a sweep."""
    return CheckResult(found.sweep is None, "" if found.sweep is None else swept(found.sweep))


def swept(name: str) -> str:
    """Return why a point of a sweep counts for nothing."""
    return f"a point of sweep {name}, which is no run of the suite: write the benchmark without a matrix"


@rule("listed once", "The campaign runs the workload under one label only, so that one figure counts.")
def listed_once(found: Measurements, times: int) -> CheckResult:
    """Check how many benchmarks of the campaign run the workload."""
    if times == 1:
        return CheckResult(True, "the only benchmark of its workload")
    text = f"{times} benchmarks of the campaign run {found.workload}, so which one counts is open"
    return CheckResult(False, text)


@rule("formula", "Every number that the formula needs was measured.")
def formula(lacking: str) -> CheckResult:
    """Check that no number of the formula is lacking; `lacking` says which."""
    text = f"no FOM can be stated: {lacking}" if lacking else "every number that it needs was measured"
    return CheckResult(not lacking, text)


@rule("time", common_rules.timed.sentence)
def timed(found: Measurements, benchmark: BenchmarkReference) -> CheckResult:
    """Check the times as every rulebook does, and that they are the times that the suite asks for."""
    unit = FOM_UNITS[benchmark.time]
    if found.times.unit != unit:
        return CheckResult(False, f"the program reports {found.times.unit}, the suite asks for {unit}")
    return common_rules.timed.check(found, must_be_measured=found.run_class == "base")


@rule(
    "concurrency",
    "Instances count as far as their measured intervals overlapped, within the bounds of the clocks, "
    f"for {SUSTAINED_SHARE:.0%} of the shortest; ResNet-50 needs 50 at once.",
)
def concurrency(found: Measurements, partition: Partition | None) -> CheckResult:
    """Check how many instances ran at once; only measured overlap counts."""
    if found.overlap.concurrent == 0:
        return CheckResult(False, "no instance was measured running")
    if reason := common_rules.contradiction(found):
        return CheckResult(False, reason)
    text = f"{found.overlap.sustained:,} of {found.accepted:,} accepted instances at once"
    if found.overlap.sustained > 1:
        text += f", for {found.overlap.sustained_seconds or 0:.4g} s, {SUSTAINED_SHARE:.0%} of the shortest"
    if found.overlap.sustained < found.overlap.concurrent:
        text += (
            f"; {found.overlap.concurrent:,} at one instant, `start: synchronized` makes them overlap longer"
        )
    if found.overlap.guaranteed is not None and found.overlap.counted < found.overlap.sustained:
        text += f"; {common_rules.uncertain_overlap(found.overlap.sustained, found.overlap.guaranteed)}"
    if partition is not None:
        return CheckResult(
            found.overlap.counted >= partition.instances, f"{text}; the rules ask for {partition.instances}"
        )
    if found.overlap.counted < found.accepted:
        text += f"; only {found.overlap.counted:,} count"
    return CheckResult(found.overlap.counted > 0, text)


@rule("alone", "No instance was timed while another benchmark ran.")
def alone(found: Measurements) -> CheckResult:
    """Check that the benchmark had the system to itself."""
    if found.overlap.beside_others:
        return CheckResult(
            False,
            f"{count_of(found.overlap.beside_others, 'instance', 'were')} timed while another benchmark ran; "
            "the suite runs each individually on the entire system",
        )
    return CheckResult(True, "no accepted instance was timed while another benchmark ran")


@rule("quality", "Every accepted instance reached the suite's accuracy; optimized CANDLE runs within 1 %.")
def quality(found: Measurements, accuracy: Accuracy | None) -> CheckResult:
    """Check that every accepted instance reached the suite's quality target."""
    if accuracy is None:
        return CheckResult(True, "the suite sets no quality target")
    if found.accuracy.metric not in ("", accuracy.metric):
        return CheckResult(
            False, f"the program reports {found.accuracy.metric}, the suite asks for {accuracy.metric}"
        )
    if found.accuracy.missing:
        text = f"{count_of(found.accuracy.missing, 'accepted instance', 'have')} no {accuracy.label}"
        return CheckResult(False, text)
    lowest = found.accuracy.lowest
    if lowest is None or not math.isfinite(lowest):
        return CheckResult(False, f"no {accuracy.label} was measured")
    text = f"lowest {accuracy.label} is {lowest:.10g}, target {accuracy.minimum:.10g}"
    if lowest > accuracy.maximum:
        return CheckResult(False, f"{text}; a value above {accuracy.maximum:g} has another unit")
    needed = accuracy.minimum
    if found.run_class == "optimized" and accuracy.optimized_tolerance:
        needed *= 1 - accuracy.optimized_tolerance
        text += (
            f"; an optimized run may fall {accuracy.optimized_tolerance:.0%} of the target short"
            f" (relative, the stricter reading): {needed:.10g}"
        )
    elif found.accuracy.below_target:
        return CheckResult(
            False, f"{text}; {count_of(found.accuracy.below_target, 'accepted instance', 'are')} below it"
        )
    documented = accuracy.minimum if accuracy.documented is None else accuracy.documented
    declared = common_rules.far_above(f"lowest {accuracy.label}", lowest, documented, accuracy.maximum)
    return CheckResult(lowest >= needed, text, declared)


def _target(accuracy: Accuracy | None) -> QualityTarget | None:
    return QualityTarget(accuracy.metric, accuracy.minimum) if accuracy else None


@rule("precision", "A base run computes in FP32 only.")
def precision(found: Measurements, reference: Reference) -> CheckResult:
    """Check that a base run computes in FP32 and nothing else."""
    return _allowed("precision", found, found.software.precisions, reference.base.precisions)


@rule("framework", "A base run uses TensorFlow only, and Horovod where it has several ranks.")
def framework(found: Measurements, reference: Reference) -> CheckResult:
    """Check that a base run uses TensorFlow, and its ranks Horovod."""
    if found.run_class == "base" and (other := other_communication(found, reference)):
        return CheckResult(False, other)
    result = _allowed("framework", found, found.software.frameworks, reference.base.frameworks)
    versions = f" ({listed(found.software.versions)})" if found.software.versions else ""
    return replace(result, reason=result.reason + versions)


@rule("parameters", "A base run keeps the suite's parameters; epochs may be raised, never lowered.")
def fixed_parameters(found: Measurements, benchmark: BenchmarkReference, reference: Reference) -> CheckResult:
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
    return CheckResult(not broken, "; ".join(broken) or "all as the rules say")


def other_communication(found: Measurements, reference: Reference) -> str:
    """Return by which other library than in a base run the ranks communicate; empty if by none."""
    library = found.parameters.get("communication")
    if library is None or library in reference.base.communications:
        return ""
    return f"communication is {library}, a base run allows {listed(reference.base.communications)} only"


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
    if found.run_class == "optimized":
        changed += filter(None, [other_communication(found, reference)])
    if found.run_class == "optimized" and found.program != "shipped":
        changed.append(f"program: {_PROGRAMS[found.program]}")
    return changed


_PROGRAMS = {
    "shipped": "this project's implementation of the suite's program",
    "external": "an external command",
    "module": "a module of the user's",
}


@rule(
    "source", "A base run executes the suite's own program, or this project's with its differences declared."
)
def source(found: Measurements) -> CheckResult:
    """Check that a base run executes the suite's program, or this project's with declared differences."""
    text = f"the program is {_PROGRAMS[found.program]}"
    if found.program == "shipped":
        declared = [str(one) for one in deviations().get(found.workload, ()) if one.applies(found.parameters)]
        return CheckResult(
            True,
            f"{text}; {count_of(len(declared), 'difference', 'are')} declared",
            tuple(declared),
        )
    if found.run_class == "optimized":
        return CheckResult(True, f"{text}; free in an optimized run, and listed as a modification")
    if found.program != "external":
        return CheckResult(False, f"{text}; a base run executes the suite's own")
    if (problem := started_program.problem(found)) is not None:
        return CheckResult(False, f"{text}; a base run executes the suite's own: {problem}")
    original, stated = originals()[found.workload], started_program.declared(found)
    name = f"{original.repository} {original.version}"
    return CheckResult(True, "; ".join([f"{text} that runs {name}, unmodified", *stated]), stated)


@rule("data", "Instances read data of the suite's size that this project did not make.")
def real_data(found: Measurements, benchmark: BenchmarkReference) -> CheckResult:
    """Check that instances read the suite's data, not data made to stand in for it."""
    if benchmark.data and found.data.synthetic is None:
        return CheckResult(False, "no instance told what data it read")
    result = common_rules.real_data(found, benchmark.data)
    if found.program != "external" or not result.passed or not benchmark.data:
        return result
    stated = "sizes of the data are those that the external command printed"
    return replace(result, reason=f"{result.reason}; {stated}", declared=(*result.declared, stated))


GLOBAL_FILE_SYSTEMS = frozenset({
    "lustre", "gpfs", "nfs", "nfs4", "beegfs", "panfs", "ceph", "wekafs", "orangefs", "pvfs2", "glusterfs",
    "dfuse", "daos", "afs", "dvs", "cifs", "smb3",
})  # fmt: skip
LOCAL_FILE_SYSTEMS = frozenset({
    "ext2", "ext3", "ext4", "xfs", "btrfs", "zfs", "tmpfs", "ramfs", "overlay", "f2fs", "squashfs",
})  # fmt: skip


@rule("global namespace", "Data files are read from a file system that all nodes share.")
def global_namespace(found: Measurements, benchmark: BenchmarkReference) -> CheckResult:
    """Check that data lay in a global namespace at launch, by the type of their file system."""
    place = found.data.place
    if not benchmark.data:
        return CheckResult(True, "the benchmark generates its own input")
    if place is None:
        return CheckResult(None, "not recorded: where the data files lay")
    kinds = {one.removeprefix("fuse.") for one in (place.file_system, *place.linked)}
    text = f"data files in {place.path} on {place.file_system}"
    if place.linked:
        text += f", with links to files on {', '.join(place.linked)}"
    if kinds <= GLOBAL_FILE_SYSTEMS:
        return CheckResult(True, f"{text}, which nodes share")
    if not kinds & LOCAL_FILE_SYSTEMS:
        return CheckResult(None, f"{text}; whether nodes share it is not known")
    if found.slots.nodes_used > 1:
        return CheckResult(
            False,
            f"{text}, which is local to a node, and {count_of(found.slots.nodes_used, 'node')} read data",
        )
    return CheckResult(None, f"{text}, which is local to a node; only one node ran")


@rule("single device", "An instance of a throughput benchmark holds one device, or one slot of cores.")
def single_device(found: Measurements) -> CheckResult:
    """Check that an instance of a throughput benchmark holds one device."""
    if not found.accepted:
        return CheckResult(False, "no accepted instance shows what it held")
    most = found.slots.largest_devices
    unit = "slot of cores" if found.slots.devices_used is None else "device"
    text = (
        f"each instance held one {unit}"
        if most == 1
        else f"an instance held {most:,} devices; the rules say one"
    )
    return CheckResult(most == 1, text)


@rule("share of the system", "An instance of ResNet-50 holds at most 2 % of the system.")
def share_of_system(found: Measurements, partition: Partition) -> CheckResult:
    """Check that no instance holds more of the system than the suite allows."""
    share = found.slots.largest_share_of_system
    if share is None or not math.isfinite(share) or share <= 0:
        return CheckResult(False, "the share of the system an instance held is unknown")
    text = f"the largest instance held {share:.4%} of the system, allowed {partition.largest_share:.0%}"
    return CheckResult(share <= partition.largest_share, text)


RULES: tuple[Rule[...], ...] = (
    suite,
    sweep,
    listed_once,
    common_rules.complete,
    timed,
    straggler_rule.stragglers,
    mark_rules.marks,
    concurrency,
    alone,
    source,
    quality,
    precision,
    framework,
    fixed_parameters,
    real_data,
    global_namespace,
    common_rules.slots,
    common_rules.devices,
    common_rules.seeds,
    single_device,
    share_of_system,
    *work_rules.RULES,
    formula,
    *provenance_rules.RULES,
)


def results_of(
    found: Measurements, benchmark: BenchmarkReference, reference: Reference
) -> tuple[RuleResult, ...]:
    """Return the result of every rule about a benchmark of the suite, in the order of reports."""
    results = [
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
        results.append(single_device(found))
    else:
        results.append(share_of_system(found, benchmark.partition))
    return (*results, *work_rules.results(found, decisive=True))


def first_word(text: str) -> str:
    """Return the parameter that a sentence about a broken rule begins with."""
    return text.partition(" ")[0]


def _allowed(name: str, found: Measurements, used: frozenset[str], allowed: frozenset[str]) -> CheckResult:
    if not used:
        return CheckResult(False, f"no accepted instance told its {name}")
    text = f"{name}: {listed(used)}"
    if found.run_class == "optimized":
        return CheckResult(True, f"{text}; free in an optimized run")
    if (original := started_program.own_program(found)) is not None:
        return CheckResult(True, f"{text}; the suite's own program, {original.repository} {original.version}")
    if "external" in used:
        return CheckResult(False, f"{text}; an external command proves only what it says of itself")
    others = {value for value in used if value.lower() not in allowed}
    return CheckResult(not others, f"{text}; a base run allows {listed(allowed)} only" if others else text)
