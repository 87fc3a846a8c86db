"""Objects about instances: lists of them, and all that the ledger and the kept logs know of one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from db.evidence.superseded import superseded_by
from db.queries.attempts import curves_of_instances, metrics_of_instances
from db.rows import SHOWN, TIMES
from db.times import utc
from orchestrator.analysis.verdict.fom import data_read
from orchestrator.rundir.packed_reader import read_log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from db.events import Event
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Attempt, Instance, Metric, Point


def rows_of(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a frame of `Reader.instances` as objects `InstanceRow`."""
    return [
        {str(name): value for name, value in row.items()}
        for row in frame.astype(object).where(frame.notna(), None).to_dict("records")
    ]


def curves_facts(attempt: Attempt, label: str, curves: Mapping[str, Any]) -> dict[str, Any]:
    """Return the learning curves of an attempt as an object `CurvesOfAttempt`."""
    return {"instance": label, "attempt": attempt.attempt_number, "curves": curves}


def instance_facts(
    reader: Reader, row: CampaignRow, label: str, found: Instance, chosen: Sequence[Attempt]
) -> dict[str, Any]:
    """Return what is known of an instance and of some of its attempts, as an object `InstanceFacts`."""
    axes = reader.axes(row.campaign_id, found.benchmark)
    data = data_read(reader, [row])
    read = data.get(axes[0].sweep if axes else found.benchmark)
    return {
        "instance": label,
        "seed": found.seed,
        "state": found.state,
        "accepted_attempt": found.accepted_attempt,
        "attempts": attempts_facts(reader, chosen),
        "events": [_event(one) for one in reader.events_of(row.campaign_id, found.instance_id)],
    } | _optional_facts(axes, read, superseded_by(reader, row.campaign_id).get(found.instance_id))


def _optional_facts(
    axes: Sequence[Point], read: Mapping[str, Any] | None, superseded: str | None
) -> dict[str, Any]:
    facts: dict[str, Any] = {"superseded_by": superseded} if superseded else {}
    if axes:
        values = {one.axis: one.value if one.number is None else one.number for one in axes}
        facts |= {"sweep": axes[0].sweep, "axes": values}
    return facts | ({"data": dict(read)} if read else {})


def _event(event: Event) -> dict[str, Any]:
    return {
        "at": utc(event.at_us),
        "kind": event.kind,
        "attempt": event.attempt_number,
        "from": event.from_state,
        "to": event.to_state,
        "detail": event.message or None,
    }


def attempts_facts(reader: Reader, chosen: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Return attempts of a campaign with their metrics and curves as objects `AttemptFacts`."""
    if not chosen:
        return []
    campaign, numbers = chosen[0].campaign_id, {one.instance_id for one in chosen}
    metrics = metrics_of_instances(reader, campaign, numbers)
    curves = curves_of_instances(reader, campaign, numbers)
    keyed = [(one, (one.instance_id, one.attempt_number)) for one in chosen]
    return [
        _attempt(one, metrics.get(key, [])) | ({"curves": curves[key]} if key in curves else {})
        for one, key in keyed
    ]


def _attempt(row: Attempt, metrics: list[Metric]) -> dict[str, Any]:
    return {
        "attempt": row.attempt_number,
        **{name: getattr(row, name) for name in SHOWN},
        "times": {name.removesuffix("_us"): utc(getattr(row, name)) for name in TIMES},
        "observed": json.loads(row.observed or "{}"),
        "data_facts": json.loads(row.data_facts or "{}"),
        "metrics": {m.name: {"value": m.value, "unit": m.unit} for m in metrics},
        "stderr_tail": row.stderr_tail or _end_of(row.stderr_path),
    }


def _end_of(path: str | None) -> str | None:
    """Return the end of a log that was kept; a successful attempt has none in the ledger."""
    end = read_log(path, last=4096) if path is not None else None
    return end.decode(errors="replace") if end else None
