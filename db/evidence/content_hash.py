"""One hash over what a ledger recorded of a campaign, the same in every copy of it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from db.column_values import to_json
from db.tables import attempts, benchmarks, campaigns, instances, metrics, points, samples

if TYPE_CHECKING:
    from db.reader import Reader

_PLACE = {"campaign_id", "stdout_path", "stderr_path", "stderr_tail", "observed", "data_facts"}
"""Columns that a copy may change, that no verdict reads, or whose content another column names."""


def content_sha256(reader: Reader, campaign: int) -> str:
    """Return the SHA-256 of a campaign's texts, benchmarks, instances, attempts, and sums of the rest.

    It takes about 15 s of processor time for a million attempts. What attempts observed is in it by its key.
    """
    statements = [
        select(campaigns.c.uid, campaigns.c.campaign_sha256, campaigns.c.site_sha256),
        *(
            select(*(column for column in table.c if column.name not in _PLACE)).order_by(*table.primary_key)
            for table in (benchmarks, points, instances, attempts)
        ),
        select(
            metrics.c.name, func.count(), func.min(metrics.c.value), func.max(metrics.c.value)
        ).group_by(metrics.c.name).order_by(metrics.c.name),
        select(
            samples.c.quantity, func.count(), func.sum(func.length(samples.c.points))
        ).group_by(samples.c.quantity).order_by(samples.c.quantity),
    ]  # fmt: skip
    digest = hashlib.sha256()
    with reader.connection() as connection, connection.begin():
        for statement in statements:
            [table] = statement.get_final_froms()
            mine = statement.where(table.c.campaign_id == campaign)
            for row in connection.execute(mine.execution_options(stream_results=True, yield_per=1000)):
                digest.update(to_json(list(row)).encode() + b"\n")
    return digest.hexdigest()
