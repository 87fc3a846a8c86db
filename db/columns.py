"""Columns of the ledger's tables, in the order in which exports have them: one list for databases and files.

`db.tables` makes the tables of databases from them; files of a package are read by them alone.

Times are integers: microseconds since the Unix epoch, UTC. Keys are the plan's own numbers
(campaign, instance, attempt), so rows can be written in bulk and copied between databases
without asking either for an identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SCHEMA = "0001"
"""Newest migration; `db.schema.upgrade` brings any older ledger here."""
RULE_METRICS = ("epochs_run", "resumed_from_epoch")
"""Metrics that rules of every rulebook need."""


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """A column of a table.

    Parameters
    ----------
    type
        ``int``, ``float`` or ``str``.
    nullable
        Whether it may be empty.
    wide
        Whether its integers have 8 bytes, not 4.
    """

    name: str
    type: type
    nullable: bool
    wide: bool


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table: its columns, and what holds of its rows.

    Parameters
    ----------
    key
        Columns of the primary key.
    unique
        Columns of which no two rows have the same values, by the name of the constraint.
    parents
        Columns that have the values of another table's key, with that table.
    """

    name: str
    columns: tuple[ColumnFacts, ...]
    key: tuple[str, ...]
    unique: Mapping[str, tuple[str, ...]]
    parents: tuple[tuple[tuple[str, ...], str], ...]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [one.name for one in self.columns]

    def column(self, name: str) -> ColumnFacts:
        """Return a column."""
        return self.columns[self.place(name)]

    def place(self, column: str) -> int:
        """Return the place of a column among all of them."""
        return self.names.index(column)


_TYPES = {"int": (int, False), "big": (int, True), "float": (float, False), "text": (str, False)}
_CAMPAIGN = (("campaign_id",), "campaigns")
_ATTEMPT = (("campaign_id", "instance_id", "attempt_number"), "attempts")


def _table(
    name: str,
    key: str,
    text: str,
    *parents: tuple[tuple[str, ...], str],
    unique: Mapping[str, tuple[str, ...]] | None = None,
) -> TableFacts:
    """Return a table by its key and a text with a column in each line: name and type, ``?`` if nullable."""
    columns = []
    for line in text.strip().splitlines():
        column, kind = line.partition("#")[0].split()
        columns.append(ColumnFacts(column, *_type(kind)))
    return TableFacts(name, tuple(columns), tuple(key.split()), unique or {}, parents)


def _type(kind: str) -> tuple[type, bool, bool]:
    python, wide = _TYPES[kind.removesuffix("?")]
    return python, kind.endswith("?"), wide


_LISTED = (
    _table(
        "campaigns",
        "campaign_id",
        """
        campaign_id int
        name text
        uid text
        campaign_yaml text
        campaign_sha256 text
        site_name text
        site_yaml text
        site_sha256 text
        rulebook text
        run_class text
        run_directory text
        data_path text
        created_us big
        outcome text?
        stop_request text?
        lease_owner text?
        lease_expires_us big?
        """,
        unique={"uq_campaigns_name": ("name",), "uq_campaigns_uid": ("uid",)},
    ),
    _table(
        "documents",
        "sha256",
        """
        sha256 text
        content text
        """,
    ),
    _table(
        "benchmarks",
        "campaign_id benchmark",
        """
        campaign_id int
        benchmark text
        workload text
        instances int
        parameters text
        slot text
        timeout_seconds float?
        quality_metric text?
        quality_target float?
        """,
        _CAMPAIGN,
    ),
    _table(
        "blocks",
        "campaign_id session_number slot_shape block_id",
        """
        campaign_id int
        session_number int
        slot_shape text
        block_id text
        job_id text?
        state text
        requested_us big
        started_us big?
        ended_us big?
        nodes int
        message text?
        pool text?
        """,
        _CAMPAIGN,
    ),
    _table(
        "events",
        "event_id",
        """
        event_id big
        campaign_id int
        at_us big
        kind text
        instance_id int?
        attempt_number int?
        from_state text?
        to_state text?
        message text?
        subject text?  # node, block, instance's label or session; NULL with `instance_id`
        data text?
        """,
        _CAMPAIGN,
    ),
    _table(
        "instances",
        "campaign_id instance_id",
        """
        campaign_id int
        instance_id int
        benchmark text
        benchmark_index int
        seed big
        state text
        accepted_attempt int?
        """,
        _CAMPAIGN,
        unique={
            "uq_instances_campaign_seed": ("campaign_id", "seed"),
            "uq_instances_campaign_benchmark_number": ("campaign_id", "benchmark", "benchmark_index"),
        },
    ),
    _table(
        "sessions",
        "campaign_id session_number",
        """
        campaign_id int
        session_number int
        kind text
        host text
        pid int
        version text
        slots int?
        started_us big
        ended_us big?
        outcome text?
        """,
        _CAMPAIGN,
    ),
    _table(
        "attempts",
        "campaign_id instance_id attempt_number",
        """
        campaign_id int
        instance_id int
        attempt_number int
        token text
        session_number int
        state text
        failure_category text?
        failure_reason text?
        failure_message text?
        slot_shape text?
        block_id text?
        node text?
        slot_index int?
        cores text?
        devices text?
        submitted_us big
        process_start_us big?
        ready_us big?
        run_start_us big?
        timed_window_start_us big?
        timed_window_stop_us big?
        run_stop_us big?
        process_stop_us big?
        received_us big?
        fom_seconds float?
        accuracy float?
        exit_code int?
        signal text?
        peak_memory_bytes big?
        cpu_seconds float?
        environment_sha256 text?
        observed text?
        data_facts text?
        stdout_path text?
        stderr_path text?
        stderr_tail text?
        observation_sha256 text?  # key of the attempt's observation in `documents`, which attempts share
        clock_offset_max_us big?  # upper bound of the node's clock minus the driver's, microseconds
        run_start_arrived_us big?
        timed_window_start_arrived_us big?
        timed_window_stop_arrived_us big?
        run_stop_arrived_us big?
        run_start_cpu_seconds float?
        timed_window_stop_cpu_seconds float?
        run_stop_cpu_seconds float?
        clock_offset_min_us big?  # lower bound, from reports that came while the attempt ran
        """,
        (("campaign_id", "instance_id"), "instances"),
        (("environment_sha256",), "documents"),
        (("observation_sha256",), "documents"),
        unique={"uq_attempts_token": ("token",)},
    ),
    _table(
        "points",
        "campaign_id benchmark axis",
        """
        campaign_id int
        benchmark text
        axis text
        place int
        sweep text
        value text
        number float?
        """,
        (("campaign_id", "benchmark"), "benchmarks"),
    ),
    _table(
        "curves",
        "campaign_id instance_id attempt_number name",
        """
        campaign_id int
        instance_id int
        attempt_number int
        name text
        axis text
        points text  # JSON: [[epoch or step, value], …]
        """,
        _ATTEMPT,
    ),
    _table(
        "metrics",
        "campaign_id instance_id attempt_number name",
        """
        campaign_id int
        instance_id int
        attempt_number int
        name text
        value float?
        unit text
        """,
        _ATTEMPT,
    ),
    _table(
        "samples",
        "campaign_id instance_id attempt_number quantity node device",
        """
        campaign_id int
        instance_id int
        attempt_number int
        quantity text
        node text
        device text
        unit text
        source text
        begin_us big
        points text  # JSON: [[seconds since begin_us, mean, lowest, highest], …], or [seconds, value]
        """,
        _ATTEMPT,
    ),
)
TABLES: Mapping[str, TableFacts] = {one.name: one for one in _LISTED}
"""All tables by name; each comes after those that its rows refer to."""
