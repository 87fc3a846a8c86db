"""Given values of the rules and formulas of HPC AI500 V2.0, checked as they are read from the data file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from orchestrator.rulebooks.data_files import data_file, read_once
from orchestrator.rulebooks.reference_model import Frozen, Rules
from sites import parse, read_text
from workloads.description import ParameterRule, QualityTarget, broken_rules

RunClass = Literal["hardware", "system", "free"]


class Quality(Frozen):
    """The target quality on a scale that ends at `highest`, and the exponent of the penalty below it.

    `metric` is the workload's name of it, `label` the suite's.
    """

    metric: str
    label: str
    target: PositiveFloat
    highest: PositiveFloat
    exponent: PositiveInt

    @property
    def as_target(self) -> QualityTarget:
        """The target as workloads and the ledger have it."""
        return QualityTarget(self.metric, at_least=self.target)


class Repeats(Frozen):
    """The least number of repeats, by the two readings of the suite's description."""

    text: PositiveInt
    table: PositiveInt

    @property
    def stricter(self) -> int:
        """The number that decides."""
        return max(self.text, self.table)


class BenchmarkReference(Frozen):
    """One training of the suite.

    `model` and `hyper_parameters` have the values that are fixed outside of class ``free``; `policy` those
    of the learning-rate policy, whose changes are declared, and `layer_rates` more of these, where a
    program has them; `reported` those that may change freely, and are listed as modifications where they
    differ. `kept` are further ones that are fixed outside of class ``free`` where a program has them;
    `free` change nothing that is measured.
    """

    title: str
    epochs: PositiveInt
    quality: Quality
    repeats: Repeats
    flop_per_sample: PositiveFloat
    trainable_parameters: tuple[PositiveInt, PositiveInt]
    samples_per_epoch: PositiveInt
    model: Rules
    hyper_parameters: Rules
    policy: Rules
    layer_rates: Rules = Field(default_factory=dict)
    reported: Rules
    kept: Rules
    free: frozenset[str]
    data: Rules

    @property
    def fixed(self) -> Rules:
        """Every parameter that is fixed in class ``hardware``, the number of epochs included."""
        return epochs_rule(self.epochs) | self.model | self.hyper_parameters

    def broken(self, rules: Rules, parameters: Mapping[str, Any]) -> list[str]:
        """List how parameters break rules, and `kept` as far as they are stated."""
        stated = {name: rule for name, rule in self.kept.items() if name in parameters}
        return broken_rules(rules | stated, parameters)

    def policy_of(self, parameters: Mapping[str, Any]) -> Rules:
        """Return the rules of the learning-rate policy; of `layer_rates` those that parameters state."""
        return self.policy | {name: rule for name, rule in self.layer_rates.items() if name in parameters}

    def unknown(self, parameters: Mapping[str, Any]) -> list[str]:
        """List the parameters that stand in no rule, with their values."""
        known = {*self.fixed, *self.policy, *self.layer_rates, *self.reported, *self.kept, *self.free}
        return [
            f"{name} is {value}, a parameter that the suite's programs do not have"
            for name, value in parameters.items()
            if name not in known
        ]


class Layer(Frozen):
    """A layer of a system: the classes in which it is fixed, and the facts of nodes that show it."""

    what: str
    fixed_in: frozenset[RunClass] = frozenset()
    facts: tuple[str, ...] = ()


class Times(Frozen):
    """Bounds of the training time as shares of the measured run, and the phases that are outside of it."""

    least_share: float = Field(gt=0, lt=1)
    least_accounted: float = Field(gt=0, lt=1)
    phases_outside: tuple[str, ...]


class Reference(Frozen):
    """Everything that the formulas and rules of HPC AI500 V2.0 take as given."""

    source: str
    frameworks: frozenset[str]
    precisions: frozenset[str]
    least_samples: float = Field(gt=0, le=1)
    times: Times
    layers: dict[str, Layer]
    benchmarks: dict[str, BenchmarkReference]
    microbenchmarks: tuple[str, ...]


def epochs_rule(epochs: int) -> Rules:
    """Return the rule that fixes the number of epochs."""
    return {"epochs": ParameterRule((epochs,))}


@read_once
def reference() -> Reference:
    """Return the reference values, read and checked once."""
    file = data_file("hpcai500/reference.yaml")
    return parse(read_text(file, "rulebook"), Reference, str(file))
