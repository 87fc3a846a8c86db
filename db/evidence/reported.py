"""Rows of attempts that are compared with the reports in journals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from db.column_values import sanitize_text
from db.columns import TABLES
from db.rows import Attempt, Instance, LabelledAttempt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.plain import RowReader


def attempts_by_token(
    reader: RowReader, campaign_id: int, tokens: Sequence[str]
) -> dict[str, LabelledAttempt]:
    """Return the attempts of a campaign that have these tokens, by token."""
    wanted = [token for token in tokens if token == sanitize_text(token)]
    columns = ["benchmark", "benchmark_index", *TABLES["attempts"].names]
    with reader.moment() as moment:
        rows = moment.rows("attempts", columns, campaign_id, token=wanted) if wanted else ()
        found = [LabelledAttempt(benchmark, number, Attempt(*values)) for benchmark, number, *values in rows]
    return {row.attempt.token: row for row in found}


def measured_by_attempt(
    reader: RowReader, campaign_id: int, numbers: Sequence[int]
) -> dict[tuple[int, int], dict[str, tuple[Any, ...]]]:
    """Return metrics, samples and curves of all attempts of instances by name, by instance and attempt."""
    found: dict[tuple[int, int], dict[str, tuple[Any, ...]]] = {}
    key = ["instance_id", "attempt_number"]
    with reader.moment() as moment:
        columns = [*key, "name", "value", "unit"]
        for instance, attempt, name, *values in moment.rows(
            "metrics", columns, campaign_id, instance_id=numbers
        ):
            found.setdefault((instance, attempt), {})[f"metric {name}"] = tuple(values)
        columns = [*key, "quantity", "node", "device", "unit", "source", "begin_us", "points"]
        for instance, attempt, quantity, node, device, *values in moment.rows(
            "samples", columns, campaign_id, instance_id=numbers
        ):
            name = f"samples of {quantity} {device} on {node}"
            found.setdefault((instance, attempt), {})[name] = tuple(values)
        columns = [*key, "name", "axis", "points"]
        for instance, attempt, name, *values in moment.rows(
            "curves", columns, campaign_id, instance_id=numbers
        ):
            found.setdefault((instance, attempt), {})[f"curve {name}"] = tuple(values)
    return found


def accepted(reader: RowReader, campaign_id: int) -> list[Instance]:
    """Return every instance of a campaign that has an accepted attempt."""
    with reader.moment() as moment:
        columns = TABLES["instances"].names
        rows = moment.rows("instances", columns, campaign_id, known=["accepted_attempt"])
        return [Instance(*row) for row in rows]
