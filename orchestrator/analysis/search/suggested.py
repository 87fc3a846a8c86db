"""Parameters of trials that an optimizer chose, against those that are registered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from db.evidence.registered_design import registered_searches, suggested_trials
from db.states import InstanceState
from orchestrator.analysis.search.registered import search_of

if TYPE_CHECKING:
    from db.plain import RowReader

_RAN = {InstanceState.DONE, InstanceState.EXHAUSTED, InstanceState.IN_FLIGHT}


def suggestion_problems(reader: RowReader, campaign_id: int) -> dict[str, str]:
    """Return trials that have other parameters than were recorded for them, with the difference."""
    trials = _trials(reader, campaign_id)
    if not trials:
        return {}
    recorded: dict[str, list[object]] = {}
    for benchmark, data in suggested_trials(reader, campaign_id):
        recorded.setdefault(benchmark, []).append(data.get("parameters"))
    rows = {one.benchmark: json.loads(one.parameters) for one in reader.benchmarks(campaign_id)}
    counts, found = reader.counts(campaign_id), {}
    for name in trials:
        chosen = recorded.get(name, [])
        if not chosen and counts.get(name, {}).keys() & _RAN:
            found[name] = "it ran, and no event says which parameters were chosen for it"
        elif len(chosen) > 1:
            found[name] = f"{len(chosen)} events say which parameters were chosen for it"
        elif chosen and not (isinstance(chosen[0], dict) and rows.get(name, {}).items() >= chosen[0].items()):
            found[name] = "its registered parameters are not those that were chosen for it"
    return found


def unchosen_trials(reader: RowReader, campaign_id: int) -> set[str]:
    """Return trials whose parameters an optimizer has still to choose."""
    return set(_trials(reader, campaign_id)) - {name for name, _ in suggested_trials(reader, campaign_id)}


def samplers_of(reader: RowReader, campaign_id: int) -> dict[str, str]:
    """Return what chose the parameters of each trial that has some, such as ``tpe of Optuna 5.0.0``."""
    return {
        benchmark: f"{data.get('sampler')} of Optuna {data.get('optuna')}"
        for benchmark, data in suggested_trials(reader, campaign_id)
    }


def _trials(reader: RowReader, campaign_id: int) -> list[str]:
    """Return the benchmarks of all searches whose parameters an optimizer chooses."""
    searches = map(search_of, registered_searches(reader, campaign_id))
    return [name for one in searches if one.sampler for trial in one.trials for name in trial]
