"""Reading a ledger as pandas data frames, and with SQL of the user's own."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, select, text

from db.connection.open_ledger import OpenLedger
from db.documents import read_documents
from db.errors import LedgerError
from db.evidence.superseded import superseded_by
from db.rows import is_moment
from db.tables import attempts, instances, metrics, points, samples

if TYPE_CHECKING:
    from collections.abc import Collection

    import pandas as pd


_QUOTED = re.compile(r"""'[^']*'|--[^\n]*|/\*.*?(?:\*/|$)|\[[^]]*]|`[^`]*`|"(?:[^"]|"")*\"""", re.DOTALL)


def _quoted_strictly(sql: str) -> str:
    """Return SQL with backticks around quoted names: SQLite takes unknown ones in double quotes for texts."""

    def strict(found: re.Match[str]) -> str:
        if not found[0].startswith('"'):
            return found[0]
        name = found[0][1:-1].replace('""', '"').replace("`", "``")
        return f"`{name}`"

    return _QUOTED.sub(strict, sql)


class Frames(OpenLedger):
    """Tables of a campaign as data frames; times are UTC timestamps, without ``_us`` in their names."""

    def points(self, name: str) -> pd.DataFrame:
        """Return one row per point of a campaign's sweeps: ``benchmark``, ``sweep``, and a column per axis.

        Numbers are numbers; an axis that a point does not have is missing. Joined to another frame by
        ``benchmark``, they group its rows: ``frame.merge(reader.points(name), on="benchmark")``.
        """
        import pandas as pd

        rows = self._rows(
            select(points)
            .where(points.c.campaign_id == self.campaign(name).campaign_id)
            .order_by(points.c.benchmark, points.c.place)
        )
        found: dict[str, dict[str, Any]] = {}
        for row in rows:
            point = found.setdefault(row.benchmark, {"benchmark": row.benchmark, "sweep": row.sweep})
            column = f"{row.axis}_axis" if row.axis in ("benchmark", "sweep") else row.axis
            point[column] = row.value if row.number is None else row.number
        frame = pd.DataFrame(list(found.values()), columns=None if found else ["benchmark", "sweep"])
        return frame.convert_dtypes()

    def instances(
        self,
        name: str,
        state: str | None = None,
        *,
        axes: bool = False,
        chosen: Collection[int] | None = None,
    ) -> pd.DataFrame:
        """Return one row per instance with its last (or accepted) attempt's figures.

        Columns ``code`` and ``variables`` are keys of documents; see `db.documents`. ``superseded_by`` is the
        label of the instance that took the place of one below its accuracy; verdicts leave the old one out.

        Parameters
        ----------
        axes
            Join the columns of `points`, which are missing where an instance is of no sweep. An axis that is
            called like a column of instances gets ``_axis`` behind its name.
        chosen
            Numbers of the instances to return; None for all of the campaign.
        """
        campaign = self.campaign(name).campaign_id
        tried = [attempts.c.campaign_id == campaign]
        wanted = [instances.c.campaign_id == campaign]
        if state is not None:
            wanted.append(instances.c.state == state)
        if chosen is not None:
            tried.append(attempts.c.instance_id.in_(chosen))
            wanted.append(instances.c.instance_id.in_(chosen))
        last = (
            select(attempts.c.instance_id, func.max(attempts.c.attempt_number).label("attempt"))
            .where(*tried)
            .group_by(attempts.c.instance_id)
            .subquery()
        )
        shown = func.coalesce(instances.c.accepted_attempt, last.c.attempt)
        statement = (
            select(
                instances.c.instance_id,
                instances.c.benchmark,
                instances.c.benchmark_index,
                instances.c.seed,
                instances.c.state,
                func.coalesce(last.c.attempt, 0).label("attempts"),
                attempts.c.state.label("attempt_state"),
                attempts.c.fom_seconds,
                attempts.c.accuracy,
                attempts.c.node,
                attempts.c.slot_index,
                attempts.c.run_start_us,
                attempts.c.run_stop_us,
                attempts.c.peak_memory_bytes,
                attempts.c.failure_reason,
                attempts.c.observation_sha256,
            )
            .select_from(instances)
            .outerjoin(last, last.c.instance_id == instances.c.instance_id)
            .outerjoin(
                attempts,
                (attempts.c.campaign_id == instances.c.campaign_id)
                & (attempts.c.instance_id == instances.c.instance_id)
                & (attempts.c.attempt_number == shown),
            )
            .where(*wanted)
            .order_by(instances.c.instance_id)
        )
        frame = self._frame(statement)
        replacements = superseded_by(self, campaign)
        frame["superseded_by"] = frame.pop("instance_id").map(replacements).astype(object)
        self._name_documents(frame)
        if axes:
            return frame.merge(self.points(name), on="benchmark", how="left", suffixes=("", "_axis"))
        return frame

    def _name_documents(self, frame: pd.DataFrame) -> None:
        """Replace the keys of observations by those of the code and the variables that they name."""
        observed = frame.pop("observation_sha256")
        known = read_documents(self, observed.dropna().unique().tolist())
        for column in ("code", "variables"):
            keys = {key: (one.get("seen") or {}).get(column) for key, one in known.items()}
            frame[column] = observed.map(keys).astype(object)

    def attempts(self, name: str) -> pd.DataFrame:
        """Return every attempt of a campaign; times as UTC timestamps."""
        return self._frame(
            select(instances.c.benchmark, instances.c.benchmark_index, instances.c.seed, attempts)
            .join(instances)
            .where(attempts.c.campaign_id == self.campaign(name).campaign_id)
            .order_by(attempts.c.instance_id, attempts.c.attempt_number)
        )

    def metrics(self, name: str) -> pd.DataFrame:
        """Return every metric of a campaign, one row each."""
        return self._frame(
            select(
                instances.c.benchmark,
                instances.c.benchmark_index,
                metrics.c.attempt_number,
                metrics.c.name,
                metrics.c.value,
                metrics.c.unit,
            )
            .select_from(metrics)
            .join(
                instances,
                (instances.c.campaign_id == metrics.c.campaign_id)
                & (instances.c.instance_id == metrics.c.instance_id),
            )
            .where(metrics.c.campaign_id == self.campaign(name).campaign_id)
            .order_by(metrics.c.instance_id, metrics.c.attempt_number, metrics.c.name)
        )

    def samples(self, name: str, quantity: str | None = None) -> pd.DataFrame:
        """Return the samples of a campaign's attempts, one row per point.

        ``mean``, ``lowest`` and ``highest`` are of the time from ``at``, a UTC timestamp by the node's clock,
        until the next point.

        Parameters
        ----------
        quantity
            Take this one only, such as ``gpu_power``.
        """
        import pandas as pd

        statement = (
            select(
                instances.c.benchmark,
                instances.c.benchmark_index,
                *(column for column in samples.c if column.name not in ("campaign_id", "instance_id")),
            )
            .select_from(samples)
            .join(
                instances,
                (instances.c.campaign_id == samples.c.campaign_id)
                & (instances.c.instance_id == samples.c.instance_id),
            )
            .where(samples.c.campaign_id == self.campaign(name).campaign_id)
            .order_by(*samples.primary_key)
        )
        if quantity is not None:
            statement = statement.where(samples.c.quantity == quantity)
        frame = self._frame(statement)
        frame["points"] = frame["points"].map(json.loads)
        frame = frame.explode("points", ignore_index=True)
        points = frame.pop("points")
        frame["at"] = frame.pop("begin") + pd.to_timedelta(points.str[0].astype(float), unit="s")
        for place, column in enumerate(("mean", "lowest", "highest"), start=1):
            frame[column] = points.str[place].fillna(points.str[1]).astype(float)
        return frame

    def query(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run one reading SQL statement of the user.

        Returns
        -------
        tuple
            Column names and rows.

        Raises
        ------
        LedgerError
            If the statement is wrong, or would write.
        """
        with self._connected() as connection, connection.begin() as transaction:
            if connection.dialect.name == "sqlite":
                sql = _quoted_strictly(sql)
            result = connection.execute(text(sql.replace(":", r"\:")))
            try:
                if not result.returns_rows:
                    raise LedgerError("a query must return rows, as SELECT does")
                return list(result.keys()), [tuple(row) for row in result.all()]
            finally:
                transaction.rollback()

    def _frame(self, statement: Select[Any]) -> pd.DataFrame:
        import pandas as pd

        with self._connected() as connection, connection.begin():
            result = connection.execute(statement)
            frame = pd.DataFrame(result.all(), columns=list(result.keys()))
        moments = [column for column in frame.columns if is_moment(column)]
        for column in moments:
            frame[column] = pd.to_datetime(frame[column].astype("Int64"), unit="us", utc=True)
        return frame.rename(columns={column: column.removesuffix("_us") for column in moments})
