"""Values of a campaign's ended instances, by metric."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from db.evidence.runs_of_campaign import instance_values
from db.states import InstanceState
from orchestrator.analysis.base.metric_names import TIME

if TYPE_CHECKING:
    from db.plain import RowReader

Values = dict[str, dict[int, tuple[float | None, str]]]
"""Value and node of each ended instance, by benchmark and number in the benchmark."""
_WAITING = {
    *(InstanceState.PLANNED, InstanceState.IN_FLIGHT),
    *(InstanceState.NOT_NEEDED, InstanceState.PRUNED),
}


def values_of(reader: RowReader, campaign_id: int, metrics: Iterable[str]) -> dict[str, Values]:
    """Return the values of a campaign's ended instances, by metric."""
    found: dict[str, Values] = {}
    for metric in dict.fromkeys(metrics):
        values: Values = {}
        for run in instance_values(reader, campaign_id, None if metric == TIME else metric):
            if run.state not in _WAITING:
                values.setdefault(run.benchmark, {})[run.benchmark_index] = run.value, run.node or ""
        found[metric] = values
    return found
