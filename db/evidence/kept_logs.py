"""Logs that attempts of a campaign kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from db.plain import RowReader


def logs_of(reader: RowReader, campaign_id: int) -> list[tuple[str, str | None, str | None]]:
    """Return state and paths of the kept logs of every attempt that kept some."""
    with reader.moment() as moment:
        rows = moment.rows("attempts", ["state", "stdout_path", "stderr_path"], campaign_id)
        return [(state, out, err) for state, out, err in rows if out is not None or err is not None]
