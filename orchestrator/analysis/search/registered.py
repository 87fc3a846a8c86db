"""Searches as the ledger keeps them from before the first attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from orchestrator.analysis.search.halving import Rung, halve

Values = Mapping[str, float | None]
"""Values of ended instances by benchmark; None: it ended without a value."""


@dataclass(frozen=True, slots=True)
class RegisteredSearch:
    """A search with its trials.

    Parameters
    ----------
    name
        Of the benchmark in the campaign's file.
    rungs
        Epochs of each rung; empty where trials have none.
    trials
        Benchmarks of each trial, one for each rung; trials are counted from 1.
    sampler
        Chooses the parameters of trials while the campaign runs; empty where they are drawn before.
    """

    name: str
    method: str
    metric: str
    goal: str
    reduction: int
    rungs: tuple[int, ...]
    trials: tuple[tuple[str, ...], ...]
    sampler: str = ""

    def halve(self, values: Values) -> list[Rung]:
        """Return what values say of each rung; trials are counted from 0 there."""
        sign = -1.0 if self.goal == "maximum" else 1.0
        ended: list[dict[int, float | None]] = []
        for rung in range(len(self.trials[0])):
            known = ((number, one[rung]) for number, one in enumerate(self.trials) if one[rung] in values)
            ended.append(
                {number: None if (value := values[name]) is None else sign * value for number, name in known}
            )
        return halve(range(len(self.trials)), ended, self.reduction)

    def promoted(self, rungs: Sequence[Rung]) -> dict[str, str]:
        """Return the benchmarks of the next rung of promoted trials, with those that they went on from."""
        return {
            self.trials[trial][number + 1]: self.trials[trial][number]
            for number, rung in enumerate(rungs[:-1])
            for trial in rung.promoted
        }

    def pruned(self, rungs: Sequence[Rung]) -> dict[str, tuple[str, ...]]:
        """Return the benchmarks that never run, by the last one of their trial."""
        return {
            self.trials[trial][number]: self.trials[trial][number + 1 :]
            for number, rung in enumerate(rungs[:-1])
            for trial in sorted(rung.pruned)
        }


def search_of(facts: Mapping[str, Any]) -> RegisteredSearch:
    """Return the search that an event registered."""
    known = {one.name: facts[one.name] for one in fields(RegisteredSearch) if one.name in facts}
    trials = tuple(tuple(one) for one in facts["trials"])
    return RegisteredSearch(**{**known, "rungs": tuple(facts["rungs"]), "trials": trials})
