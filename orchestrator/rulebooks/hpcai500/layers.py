"""Rules on each of the nine layers of a system, by run class, with evidence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from orchestrator.rulebooks import common_rules
from orchestrator.rulebooks.common_rules import listed
from orchestrator.rulebooks.hpcai500.reference import epochs_rule, reference
from orchestrator.rulebooks.model import CheckResult, Rule, RuleResult, rule
from orchestrator.wording import count_of
from workloads.description import broken_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orchestrator.rulebooks.hpcai500.reference import BenchmarkReference, Layer
    from orchestrator.rulebooks.measurements import Measurements

_SHOWN = 3
PARAMETERS = "trainable_parameters"


def model_is_the_suites(found: Measurements, known: BenchmarkReference) -> bool | None:
    """Return whether the network that trained is the suite's; None where only its parameters say so."""
    if broken_rules(known.model, found.parameters):
        return False
    counts = _column(found, PARAMETERS)
    if not _is_whole(counts):
        return None
    least, most = known.trainable_parameters
    return all(least <= count <= most for count in counts)


def _free(name: str, found: Measurements, known: BenchmarkReference) -> CheckResult:
    """Return the result of a layer that the class may change, with what the ledger shows of it."""
    shown = _EVIDENCE[name](found, known) if name in _EVIDENCE else _facts(name, found)
    text = f"class {found.run_class} may change it"
    return CheckResult(True if shown else None, f"{text}: {shown}" if shown else f"{text}; not recorded")


def _facts(name: str, found: Measurements) -> str:
    """Return what nodes state of a layer."""
    prefixes = reference().layers[name].facts
    return ", ".join(
        f"{fact} {' or '.join(values[:_SHOWN])}"
        for fact, values in found.node_facts.items()
        if fact.startswith(prefixes)
    )


def _framework(found: Measurements, known: BenchmarkReference) -> CheckResult:
    used = found.software.frameworks
    if not used or not found.accepted:
        return CheckResult(False, "no accepted instance stated its framework")
    text = _frameworks(found, known)
    if "external" in used:
        return CheckResult(False, f"{text}; an external command proves only what it says of itself")
    others = {one for one in used if one.lower() not in reference().frameworks}
    allowed = f"; class {found.run_class} allows {listed(reference().frameworks)} only"
    return CheckResult(not others, f"{text}{allowed if others else ''}")


def _frameworks(found: Measurements, _: BenchmarkReference) -> str:
    versions = f" ({listed(found.software.versions)})" if found.software.versions else ""
    return f"framework {listed(found.software.frameworks)}{versions}" if found.software.frameworks else ""


def _programming_model(found: Measurements, known: BenchmarkReference) -> CheckResult:
    text = _parallel(found, known)
    if found.program != "shipped":
        unknown = "whether it is equivalent to the suite's is not known"
        return CheckResult(False, f"{text}; {unknown}, so class system or free is the one for it")
    return CheckResult(True, f"{text}, as the suite's programs are")


def _parallel(found: Measurements, _: BenchmarkReference) -> str:
    if found.program != "shipped":
        return f"an {found.program} program" if found.program == "external" else "a module of the user's"
    return "one process" if found.slots.ranks <= {1} else "data parallel, gradients averaged after every step"


def _model(found: Measurements, known: BenchmarkReference) -> CheckResult:
    if broken := broken_rules(known.model, found.parameters):
        return CheckResult(False, "; ".join(broken))
    same, text = model_is_the_suites(found, known), _parameters(found, known)
    if same is None:  # a program that is not ours would be credited with the suite's FLOP for any network
        return CheckResult(found.program == "shipped", f"parameters as the suite's; {text}")
    least, most = known.trainable_parameters
    bounds = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    return CheckResult(same, f"{text}, the suite's has {bounds}")


def _parameters(found: Measurements, _: BenchmarkReference) -> str:
    counts = _column(found, PARAMETERS)
    if not _is_whole(counts):
        return "how many trainable parameters it has was not reported"
    return f"{' or '.join(f'{one:,.10g}' for one in sorted(set(counts)))} trainable parameters"


def _hyper_parameters(found: Measurements, known: BenchmarkReference) -> CheckResult:
    broken = [*found.broken_parameters, *known.broken(known.hyper_parameters, found.parameters)]
    changed_policy = broken_rules(known.policy_of(found.parameters), found.parameters)
    policy = tuple(f"learning-rate policy: {text}" for text in changed_policy)
    kept = "momentum, weight decay and others as the suite's"
    return CheckResult(not broken, "; ".join(broken) or kept, policy)


def _changed(found: Measurements, known: BenchmarkReference) -> str:
    changed = known.broken(known.hyper_parameters | known.policy_of(found.parameters), found.parameters)
    return "; ".join(changed) or "all as the suite's"


def _data(found: Measurements, known: BenchmarkReference) -> CheckResult:
    return common_rules.real_data(found, known.data)


@rule("epochs", "Every repeat trained 90 (image classification) or 50 (extreme weather) epochs of the data.")
def epochs(found: Measurements, known: BenchmarkReference) -> CheckResult:
    """Check that every repeat trained the suite's number of epochs, and saw the samples that these have."""
    if broken := broken_rules(epochs_rule(known.epochs), found.parameters):
        return CheckResult(False, "; ".join(broken))
    trained, samples = _column(found, "epochs_run"), _column(found, "samples_seen")
    if not _is_whole(trained):
        return CheckResult(False, "not every accepted repeat reported epochs_run")
    if different := sorted({one for one in trained if one != known.epochs}):
        others = " or ".join(f"{one:g}" for one in different)
        return CheckResult(False, f"an accepted repeat trained {others} epochs, rules say {known.epochs}")
    if not _is_whole(samples):
        return CheckResult(False, "not every accepted repeat reported samples_seen")
    stated = [facts["train_images"] for facts in found.data.facts if _number(facts.get("train_images"))]
    expected = known.epochs * max(stated, default=known.samples_per_epoch)
    text = f"{known.epochs} epochs, {min(samples):,.10g} to {max(samples):,.10g} of {expected:,} samples"
    least = reference().least_samples * expected
    if impossible := sum(not least <= one <= expected for one in samples):
        return CheckResult(
            False, f"{text}; {count_of(impossible, 'repeat')} cannot have seen so many or so few"
        )
    return CheckResult(True, text)


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _column(found: Measurements, name: str) -> Sequence[float]:
    """Return a metric of every accepted repeat; empty where it was not gathered."""
    return () if found.runs is None else found.runs.metrics.get(name, ())


def _is_whole(column: Sequence[float]) -> bool:
    """Return whether every accepted repeat has the metric."""
    return bool(column) and not any(map(math.isnan, column))


_CHECKS: dict[str, Callable[[Measurements, BenchmarkReference], CheckResult]] = {
    "framework": _framework,
    "programming model": _programming_model,
    "model": _model,
    "hyper-parameters": _hyper_parameters,
    "data": _data,
}
_EVIDENCE: dict[str, Callable[[Measurements, BenchmarkReference], str]] = {
    "framework": _frameworks,
    "programming model": _parallel,
    "model": _parameters,
    "hyper-parameters": _changed,
}


def _rule_of(name: str, layer: Layer) -> Rule[[Measurements, BenchmarkReference]]:
    def check(found: Measurements, known: BenchmarkReference) -> CheckResult:
        fixed = found.run_class in layer.fixed_in
        return _CHECKS[name](found, known) if fixed else _free(name, found, known)

    classes = f"fixed in class {', '.join(sorted(layer.fixed_in))}" if layer.fixed_in else "may change"
    return Rule(name, f"{layer.what[0].upper()}{layer.what[1:]}: {classes}.", check)


RULES = {name: _rule_of(name, layer) for name, layer in reference().layers.items()}
"""The rule of each layer, by the layer's name."""


def results(found: Measurements, known: BenchmarkReference) -> tuple[RuleResult, ...]:
    """Return the results of the rules of all layers."""
    return tuple(layer(found, known) for layer in RULES.values())
