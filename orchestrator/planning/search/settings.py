"""Search of a benchmark: which parameters are drawn, by which metric trials are compared, and their rungs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from orchestrator.planning.questions import TIME
from orchestrator.wording import count_of
from sites.files import Model
from sites.placed import placed
from workloads.description import TRAINING_SEED, Parameter, Value, Workload, WorkloadError
from workloads.external.command import ExternalWorkload
from workloads.spelling import near

EPOCHS, RESUME = "epochs", "resume"
ACCURACY = "accuracy"
_MOST_TRIALS = 10_000
_DIGITS = 4
SAMPLERS = ("tpe", "gp", "random")
"""Samplers of Optuna that choose by the parameters and values of earlier trials alone, the default first."""
Bounds = Annotated[list[float], Field(min_length=2, max_length=2)]


class Distribution(Model):
    """Values that a parameter may have."""

    choice: list[Value] | None = Field(None, min_length=1, description="One of these values.")
    uniform: Bounds | None = Field(
        None, description="Least and greatest value; whole numbers for a parameter that is one."
    )
    log_uniform: Bounds | None = Field(
        None, description="Least and greatest value, both above 0: each factor between them is as likely."
    )

    @model_validator(mode="after")
    def _has_one_kind(self) -> Distribution:
        kinds = [self.choice, self.uniform, self.log_uniform]
        if sum(one is not None for one in kinds) != 1:
            raise ValueError(
                "must be one of {choice: [...]}, {uniform: [least, greatest]} and "
                "{log_uniform: [least, greatest]}"
            )
        if bounds := self.uniform or self.log_uniform:
            least, greatest = bounds
            if not all(map(math.isfinite, bounds)) or least >= greatest:
                raise ValueError(f"holds nothing: {least:g} is not below {greatest:g}")
            if self.log_uniform and least <= 0:
                raise ValueError(f"log_uniform needs a least value above 0, not {least:g}")
        return self

    def __str__(self) -> str:
        """Return the values in words."""
        if self.choice is not None:
            return ", ".join(map(str, self.choice))
        least, greatest = self.uniform or self.log_uniform or (0.0, 0.0)
        return f"{least:g} to {greatest:g}, {'uniform' if self.uniform else 'log-uniform'}"

    def fit(self, parameter: Parameter) -> None:
        """Refuse values that a parameter cannot have; raises `WorkloadError`."""
        for value in self.choice or ():
            parameter.coerce(value)
        if bounds := self.uniform or self.log_uniform:
            kind = type(parameter.default)
            if kind not in (int, float):
                raise WorkloadError(f"{parameter.name} is no number; write choice and its values")
            if parameter.choices:
                raise WorkloadError(f"{parameter.name} has fixed values; write choice and some of them")
            for bound in bounds:
                if kind is int and not bound.is_integer():
                    raise WorkloadError(f"{parameter.name} must be a whole number, not {bound:g}")
                parameter.coerce(kind(bound))

    def size(self, parameter: Parameter) -> float:
        """Return the number of values that a parameter may have; infinite where they are no whole numbers."""
        if self.choice is not None:
            return len(set(self.choice))
        least, greatest = self.uniform or self.log_uniform or (0.0, 0.0)
        return greatest - least + 1 if type(parameter.default) is int else math.inf

    def value(self, parameter: Parameter, share: float) -> Value:
        """Return the value below which lies a share of the distribution, from 0 to 1."""
        if self.choice is not None:
            return parameter.coerce(self.choice[int(share * len(self.choice))])
        least, greatest = self.uniform or self.log_uniform or (0.0, 0.0)
        whole = type(parameter.default) is int
        if self.uniform and whole:
            return int(least) + int(share * (greatest - least + 1))
        ratio = greatest / least if self.log_uniform else 1.0
        found = self.shortened(least + share * (greatest - least) if self.uniform else least * ratio**share)
        return round(found) if whole else found

    def shortened(self, value: float) -> float:
        """Return a number between the bounds with so few digits that people can read it."""
        least, greatest = self.uniform or self.log_uniform or (0.0, 0.0)
        return min(max(float(f"{value:.{_DIGITS}g}"), least), greatest)


class Search(Model):
    """Trials of drawn parameters, of which the best is wanted."""

    method: Literal["random", "asha", "optuna"] = Field(
        description="random: each trial is one run; asha: successive halving, each trial trains for the "
        "epochs of the first rung, and the best of them go on to the next one; optuna: each trial is one "
        "run, whose parameters a sampler of Optuna chooses by the results so far."
    )
    sampler: str | None = Field(
        None, description=f"With optuna: {', '.join(SAMPLERS)}; by default the first of these."
    )
    at_once: int | None = Field(
        None,
        ge=1,
        description="With optuna: trials that have parameters and no result; by default as many as slots.",
    )
    trials: int = Field(ge=1, le=_MOST_TRIALS, description="Number of trials.")
    space: dict[str, Distribution] = Field(
        min_length=1, description="Parameters of the workload that are drawn, with their values."
    )
    metric: str = Field(
        description="Metric of a run by which trials are compared, such as last_val_loss; accuracy: the "
        "accuracy that the workload reports; time: the FOM time."
    )
    goal: Literal["minimum", "maximum"] = Field(description="Whether a low or a high metric is wanted.")
    rungs: list[Annotated[int, Field(ge=1)]] | None = Field(
        None, min_length=2, description="With asha: epochs of each rung, in growing order."
    )
    reduction: int = Field(3, ge=2, description="With asha: one of so many trials of a rung goes on.")

    @model_validator(mode="after")
    def _has_rungs(self) -> Search:
        for method, keys in (("asha", ("rungs", "reduction")), ("optuna", ("sampler", "at_once"))):
            for key in keys:
                if key in self.model_fields_set and self.method != method:
                    raise ValueError(f"{key} is for method: {method}; remove it")
        if self.sampler is not None and self.sampler not in SAMPLERS:
            hint = near(self.sampler, SAMPLERS, f"there are {', '.join(SAMPLERS)}")
            raise placed(f"no sampler is called {self.sampler!r}{hint}", ("sampler",))
        if self.method != "asha":
            return self
        if self.rungs is None:
            raise ValueError("method: asha needs rungs, such as rungs: [1, 3, 9]")
        for before, after in zip(self.rungs, self.rungs[1:], strict=False):
            if after <= before:
                raise placed(
                    f"must grow, and {after} epochs come after {before}; write them in growing order",
                    ("rungs",),
                )
        if self.trials < self.reduction:
            raise ValueError(
                f"no trial goes on: of {count_of(self.trials, 'trial')} that is one in "
                f"{self.reduction}; write trials: {self.reduction} or more"
            )
        return self

    @property
    def chooser(self) -> str:
        """Sampler of Optuna that chooses parameters; empty where they are drawn."""
        return (self.sampler or SAMPLERS[0]) if self.method == "optuna" else ""

    @property
    def chosen_late(self) -> frozenset[str]:
        """Parameters that are chosen while the campaign runs, by results of earlier trials."""
        return frozenset(self.space) if self.method == "optuna" else frozenset()

    @property
    def levels(self) -> tuple[int | None, ...]:
        """Epochs of each rung; one None where trials have no rungs."""
        return tuple(self.rungs) if self.rungs else (None,)

    def column(self, workload: Workload) -> str:
        """Return the metric as the ledger calls it, which keeps the accuracy apart from metrics."""
        return ACCURACY if self.metric == workload.accuracy_metric else self.metric

    def part_of(self, seconds: float | None, rung: int) -> float | None:
        """Return the part of a whole training's seconds that a rung takes after the one before it."""
        if seconds is None or not self.rungs:
            return seconds
        return seconds * (self.rungs[rung] - (self.rungs[rung - 1] if rung else 0)) / self.rungs[-1]

    def fit(self, workload: Workload, written: Mapping[str, Any]) -> None:
        """Refuse what a workload cannot be searched by.

        Raises
        ------
        PydanticCustomError
            With the place of what is wrong, below the benchmark.
        """
        known = {one.name: one for one in workload.parameters}
        for name, values in self.space.items():
            place = ("search", "space", name)
            if name not in known:
                hint = near(name, known, f"there are {', '.join(known)}")
                raise placed(f"workload {workload.name} has no parameter {name!r}{hint}", place)
            if name in written:
                raise placed(f"{name} is among the parameters of the benchmark too; remove it there", place)
            try:
                values.fit(known[name])
            except WorkloadError as error:
                raise placed(str(error), place) from None
        number = math.prod(values.size(known[name]) for name, values in self.space.items())
        if number < self.trials:
            raise placed(
                f"holds {count_of(int(number), 'combination')}, and there are {self.trials:,} trials: write "
                "fewer trials, or more values",
                ("search", "space"),
            )
        reported = [one for one in (workload.accuracy_metric, *workload.metrics) if one]
        if workload.metrics and self.metric not in (ACCURACY, TIME, *reported):
            hint = near(self.metric, [ACCURACY, *reported], f"it has {', '.join(reported)}")
            raise placed(
                f"no run of workload {workload.name} has metric {self.metric!r}{hint}", ("search", "metric")
            )
        if self.metric == ACCURACY and not workload.accuracy_metric:
            raise placed(
                f"workload {workload.name} reports no accuracy; name one of its metrics", ("search", "metric")
            )
        if self.rungs:
            self._fit_rungs(workload, known, written)

    def _fit_rungs(
        self, workload: Workload, known: Mapping[str, Parameter], written: Mapping[str, Any]
    ) -> None:
        for name, what in ((EPOCHS, "epochs"), (RESUME, "checkpoints")):
            if name not in known or isinstance(workload, ExternalWorkload):
                what = what if name not in known else "checkpoints that the orchestrator keeps"
                raise placed(
                    f"workload {workload.name} has no {what}: it has no parameter {name}, by which a rung "
                    "goes on from the one before; write method: random",
                    ("search", "method"),
                )
            if name in self.space or name in written:
                key = ("search", "space", name) if name in self.space else ("parameters", name)
                raise placed(f"the rungs of the search set {name}; remove it", key)
        if TRAINING_SEED.name in known and not written.get(
            TRAINING_SEED.name, known[TRAINING_SEED.name].default
        ):
            raise placed(
                f"workload {workload.name} draws its data from a seed that differs between rungs: "
                f"write a {TRAINING_SEED.name} that is not 0, so that all rungs train on the same data",
                ("parameters",),
            )
        for epochs in self.rungs or ():
            try:
                known[EPOCHS].coerce(epochs)
            except WorkloadError as error:
                raise placed(str(error), ("search", "rungs")) from None


def check_campaign(fixed_runs: str, *, asks: bool, together: bool) -> None:
    """Refuse what excludes a search.

    Parameters
    ----------
    fixed_runs
        Why the rulebook fixes the number of runs; empty where it does not.
    asks, together
        Whether the campaign has `until` or `decide`, and whether instances of a wave start together.

    Raises
    ------
    ValueError
        If one of them does.
    """
    if fixed_runs:
        raise ValueError(f"search: {fixed_runs}; write a matrix, or `rulebook: none`")
    if asks:
        raise ValueError("search ends trials by itself; remove until and decide")
    if together:
        raise ValueError("search starts a rung when a trial is promoted; remove start: synchronized")
