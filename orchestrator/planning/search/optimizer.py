"""Parameters of a trial that a sampler of Optuna chooses by the results of earlier trials.

A choice is a function of the campaign's seed, the trial's number, and the earlier trials in their order, each
with its parameters and with its value if it has ended. Each choice has a study and a sampler of its own, so
that nothing else can enter it; samplers that keep more between two choices are not offered.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from orchestrator.planning.search.settings import Distribution, Search
from orchestrator.planning.search.trials import drawn_trial
from workloads.description import Parameter, Value

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler
    from optuna.trial import FrozenTrial

_CLASSES = {"tpe": "TPESampler", "gp": "GPSampler", "random": "RandomSampler"}
_NEEDS = {"gp": ("scipy", "torch")}


@dataclass(frozen=True, slots=True)
class EarlierTrial:
    """A trial that has parameters.

    Parameters
    ----------
    parameters
        By name.
    ended
        False while its result is to come.
    value
        Of the metric; None if it ended without one, or has not ended.
    """

    parameters: Mapping[str, Value]
    ended: bool = False
    value: float | None = None


def check_installed(search: Search | None) -> None:
    """Raise `ModuleNotFoundError` if a module is missing that chooses parameters of a search."""
    if search is not None and search.chosen_late:
        for name in ("optuna", *_NEEDS.get(search.chooser, ())):
            import_module(name)


def optuna_version() -> str:
    """Return the version of Optuna."""
    import optuna  # here and below: few campaigns need it, and it takes half a second

    return str(optuna.__version__)


def chosen_parameters(
    sweep: str,
    search: Search,
    known: Mapping[str, Parameter],
    seed: int,
    number: int,
    earlier: Sequence[EarlierTrial],
) -> dict[str, Value]:
    """Return the parameters of a trial; where the sampler repeats those of another trial, drawn ones.

    Parameters
    ----------
    sweep
        Name of the search.
    known
        Parameters of the workload, by name.
    seed, number
        The campaign's seed, and the trial's number.
    earlier
        Trials that have parameters, in the order in which they got them.
    """
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    space = {name: _distribution(values, known[name]) for name, values in search.space.items()}
    digest = hashlib.sha256(f"{seed}/{sweep}/{number}/{search.chooser}".encode()).digest()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler: BaseSampler = getattr(optuna.samplers, _CLASSES[search.chooser])(
            seed=int.from_bytes(digest[:4])
        )
        study = optuna.create_study(
            sampler=sampler, direction="minimize" if search.goal == "minimum" else "maximize"
        )
        study.add_trials(list(_frozen(earlier, space)))
        found = study.ask(space).params
    chosen = {name: _fitted(values, known[name], found[name]) for name, values in search.space.items()}
    seen = {tuple(one.parameters[name] for name in search.space) for one in earlier}
    if tuple(chosen.values()) in seen:
        with contextlib.suppress(ValueError):  # then the space is as good as empty
            return drawn_trial(sweep, search, known, seed, number, seen)
    return chosen


def _distribution(values: Distribution, parameter: Parameter) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if values.choice is not None:
        return CategoricalDistribution(list(dict.fromkeys(map(parameter.coerce, values.choice))))
    least, greatest = values.uniform or values.log_uniform or (0.0, 0.0)
    log = values.log_uniform is not None
    if type(parameter.default) is int:
        return IntDistribution(int(least), int(greatest), log=log)
    return FloatDistribution(least, greatest, log=log)


def _fitted(values: Distribution, parameter: Parameter, found: Any) -> Value:
    """Return a chosen value as the workload takes it."""
    if isinstance(found, float) and values.choice is None:
        found = values.shortened(found)
    return parameter.coerce(found)


def _frozen(earlier: Sequence[EarlierTrial], space: Mapping[str, BaseDistribution]) -> Iterator[FrozenTrial]:
    from optuna.trial import TrialState, create_trial

    for one in earlier:
        value = one.value if one.value is not None and math.isfinite(one.value) else None
        state = TrialState.COMPLETE if value is not None else TrialState.FAIL
        yield create_trial(
            state=state if one.ended else TrialState.RUNNING,
            value=value if one.ended else None,
            params=dict(one.parameters),
            distributions=dict(space),
        )
