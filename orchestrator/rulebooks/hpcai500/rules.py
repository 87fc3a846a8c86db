"""The rules of HPC AI500 V2.0 about a training's repeats, time, quality, precision and power.

Where the suite leaves a word open, the stricter reading is taken, and the reason of the rule says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from orchestrator.rulebooks import common_rules, mark_rules, provenance_rules, straggler_rule, work_rules
from orchestrator.rulebooks.common_rules import GREATEST_TIME_SHARE, listed
from orchestrator.rulebooks.hpcai500 import layers
from orchestrator.rulebooks.hpcai500.reference import reference
from orchestrator.rulebooks.hpcai500.repeats import SECONDS
from orchestrator.rulebooks.model import Rule
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from orchestrator.rulebooks.hpcai500.reference import BenchmarkReference
    from orchestrator.rulebooks.hpcai500.repeats import Means
    from orchestrator.rulebooks.measurements import Measurements

UNMODIFIED = ("hardware",)
SENTENCES: Mapping[str, str] = {
    "suite": "The workload is a training of the suite; micro-benchmarks have no figure of merit.",
    "complete": common_rules.SENTENCES["complete"],
    "repeats": "Repeats are at least as many as the stricter reading of the suite asks for, and none was "
    "replaced for its quality, or cancelled after its start.",
    "time": "Training times run from the read of the first training batch to the end of the last epoch, and "
    "agree with the measured runs.",
    **straggler_rule.SENTENCES,
    "alone": "No repeat ran beside another benchmark, or beside another repeat on one node.",
    "epochs": "Every repeat trained 90 (image classification) or 50 (extreme weather) epochs of the data.",
    "quality": "Every repeat reports the suite's quality; below the target Valid FLOPS are less, and there "
    "is no time to quality.",
    "precision": "Trainings compute in FP32, FP16, BF16, INT8 or INT4.",
    "synchronous": "Gradients are combined synchronously; an external program states it.",
    **{
        name: f"{layer.what[0].upper()}{layer.what[1:]}: "
        + (f"fixed in class {', '.join(sorted(layer.fixed_in))}." if layer.fixed_in else "may change.")
        for name, layer in reference().layers.items()
    },
    "power": "Every repeat that counts has a measured power; without it there is no figure per watt.",
    "formula": "Every number that Valid FLOPS need was measured.",
    **{name: common_rules.SENTENCES[name] for name in ("slots", "devices", "seeds")},
    **mark_rules.SENTENCES,
    **work_rules.SENTENCES,
    **provenance_rules.SENTENCES,
}


def rules_for(found: Measurements, known: BenchmarkReference, means: Means) -> tuple[Rule, ...]:
    """Return every rule about a training of the suite but ``suite`` and ``formula``."""
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
        *layers.rules(found, known),
        power(found, means),
        common_rules.slots(found),
        common_rules.devices(found),
        common_rules.seeds(found),
        *work_rules.rules(found, decisive=True),
        *provenance_rules.rules_for(found, unmodified=found.run_class in UNMODIFIED),
    )


def repeats(found: Measurements, known: BenchmarkReference) -> Rule:
    """Check the number of repeats by both readings of the suite, and that none was chosen."""
    name, asked = "repeats", known.repeats
    text = (
        f"{count_of(found.accepted, 'repeat')}; the suite's text asks for {asked.text} of "
        f"{known.title}, its table 2 "
        f"for {asked.table}, and either may be swapped: the stricter, {asked.stricter}, decides"
    )
    if number := found.superseded.number:
        return Rule(
            name,
            False,
            f"{text}; {count_of(number, 'repeat', 'were')} replaced when the quality was known, "
            "which chooses",
        )
    if number := found.plan_changes.cancelled_started + found.plan_changes.rerun:
        return Rule(
            name,
            False,
            f"{text}; {count_of(number, 'repeat', 'were')} cancelled after the start, which chooses",
        )
    return Rule(name, found.accepted >= asked.stricter, text)


def timed(found: Measurements) -> Rule:
    """Check that stated training times fit the measured runs."""
    name, bounds, runs = "time", reference().times, found.runs
    if found.resumed:
        return Rule(name, False, "an accepted repeat went on from a checkpoint; its time is not the whole")
    seconds = None if runs is None else runs.metrics.get(SECONDS)
    if runs is None or seconds is None or not seconds.size or np.isnan(seconds).any():
        return Rule(name, False, f"not every accepted repeat reported {SECONDS}")
    if not (seconds > 0).all():
        return Rule(name, False, f"{SECONDS} of {seconds.min():g} s cannot be a time")
    measured = (runs.stop_us - runs.start_us) / 1e6
    if not (measured > 0).all():
        text = f"{SECONDS} as stated; not every repeat has a measured run that confirms it"
        return Rule(name, None, text, (text,)) if found.run_class == "free" else Rule(name, False, text)
    shares = seconds / measured
    text = f"training takes {100 * shares.min():.4g} % to {100 * shares.max():.4g} % of the measured runs"
    if shares.max() > GREATEST_TIME_SHARE:
        return Rule(name, False, f"{text}; it cannot take longer than the run")
    if shares.min() < bounds.least_share:
        return Rule(
            name, False, f"{text}; below {bounds.least_share:.0%} it is no time of the whole training"
        )
    phases = [runs.metrics[one] for one in bounds.phases_outside if one in runs.metrics]
    outside = np.nansum(phases, axis=0) if phases else 0.0
    accounted = float(((seconds + outside) / measured).min())
    if accounted < bounds.least_accounted:
        return Rule(
            name, False, f"{text}; with phases outside of it only {100 * accounted:.4g} % are accounted for"
        )
    return Rule(name, True, text)


def alone(found: Measurements) -> Rule:
    """Check that no repeat shared the machine with another benchmark, or its node with another repeat."""
    if found.beside_others:
        return Rule(
            "alone", False, f"{count_of(found.beside_others, 'repeat')} ran while another benchmark did"
        )
    most = 0 if found.runs is None else found.runs.most_on_a_node
    if most > 1:
        return Rule(
            "alone",
            False,
            f"{most:,} repeats ran on one node at the same time, where they share memory bandwidth, power "
            "and file access; give each a slot of the whole node",
        )
    if found.concurrent > 1:
        text = f"{found.concurrent:,} repeats ran at the same time on different nodes"
        return Rule("alone", True, text, (text,))
    return Rule("alone", True, "one repeat after another, and nothing beside them")


def quality(found: Measurements, known: BenchmarkReference) -> Rule:
    """Check that every repeat reports the suite's quality on its scale."""
    name, asked = "quality", known.quality
    if other := other_quality(found, known):
        return Rule(name, False, other)
    if found.missing_accuracies or found.min_accuracy is None or found.max_accuracy is None:
        return Rule(name, False, f"{found.missing_accuracies:,} accepted repeats have no {asked.label}")
    least = found.min_accuracy
    text = _range(found, known)
    if found.below_target or least < asked.target:
        text += "; where it is missed, Valid FLOPS are less, and there is no time to quality"
    declared = common_rules.far_above(
        f"highest {asked.label}", found.max_accuracy, asked.target, asked.highest
    )
    return Rule(name, True, text, declared)


def other_quality(found: Measurements, known: BenchmarkReference) -> str:
    """Return why what repeats report is not the suite's quality; empty where it is, or where none does."""
    asked = known.quality
    if found.accuracy_metric not in ("", asked.metric):
        return f"the program reports {found.accuracy_metric}, rules say {asked.metric}"
    if found.min_accuracy is None or found.max_accuracy is None:
        return ""
    if found.max_accuracy > asked.highest or found.min_accuracy < 0:
        return f"{_range(found, known)}; a value outside of 0 to {asked.highest:g} has another unit"
    return ""


def _range(found: Measurements, known: BenchmarkReference) -> str:
    asked = known.quality
    return f"{asked.label} {found.min_accuracy:.6g} to {found.max_accuracy:.6g}, target {asked.target:.6g}"


def precision(found: Measurements) -> Rule:
    """Check that trainings computed in one of the suite's precisions."""
    used = found.precisions - {"unknown"}
    if not used or "unknown" in found.precisions:
        return Rule("precision", None, "not every accepted repeat stated its precision")
    others = used - reference().precisions
    text = f"precision {listed(used)}"
    return Rule("precision", not others, f"{text}; not one of the suite's" if others else text)


def synchronous(found: Measurements) -> Rule:
    """Check that no training combines gradients asynchronously."""
    name = "synchronous"
    if found.program == "shipped":
        return Rule(name, True, "ranks average their gradients after every step")
    stated = found.parameters.get("synchronous")
    if stated is not None:
        return Rule(name, stated is True, f"its parameter synchronous is {str(stated).lower()}")
    if found.ranks and found.ranks <= {1}:
        return Rule(name, None, "one process as far as the ledger knows; the program states nothing")
    return Rule(name, None, "the program does not state it; give it the parameter `synchronous: true`")


def power(found: Measurements, means: Means) -> Rule:
    """Check that there is a power for the figures per watt; without one the others stand all the same."""
    if means.watts is not None:
        if not found.work.sampled:
            stated = "mean power as the program states it; no reading of a node confirms it"
            return Rule("power", None, stated, (stated,))
        return Rule("power", True, f"mean power of the measured runs, of {'; '.join(found.work.sampled)}")
    return Rule("power", None, f"no figure per watt: {no_power(found)}")


def no_power(found: Measurements) -> str:
    """Return why there is no power."""
    why = "; ".join(found.work.not_sampled) or "not sampled"
    return f"not every repeat that counts has a measured power ({why})"
