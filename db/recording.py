"""Recording attempts in bulk: one batch of the driver is one transaction."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import islice
from typing import Any

from sqlalchemy import Connection, bindparam, func, insert, select, update

from db.events import evidence, sha256, storable, text, transition
from db.records import AttemptReport, NewAttempt
from db.states import AttemptState, InstanceState
from db.tables import attempts, environments, events, instances, metrics

_BATCH = 500
_REPORTED = [
    "category",
    "reason",
    "message",
    "block",
    "node",
    "slot",
    "cores",
    "devices",
    "process_start_us",
    "ready_us",
    "run_start_us",
    "window_start_us",
    "window_stop_us",
    "run_stop_us",
    "process_stop_us",
    "received_us",
    "fom_seconds",
    "accuracy",
    "exit_code",
    "signal",
    "peak_memory_bytes",
    "cpu_seconds",
    "environment",
    "seen",
    "data",
    "stdout_path",
    "stderr_path",
    "stderr_tail",
]
_NOT_ACCEPTED = update(instances).where(
    instances.c.campaign == bindparam("campaign_key"),
    instances.c.instance == bindparam("key"),
    instances.c.accepted_attempt.is_(None),
)
_ACCEPT = _NOT_ACCEPTED.values(accepted_attempt=bindparam("winner"), state=InstanceState.DONE)
_BECOME = _NOT_ACCEPTED.values(state=bindparam("becomes"))
# What an earlier report said stays where a later one is silent.
_CLOSE = (
    update(attempts)
    .where(
        attempts.c.campaign == bindparam("campaign_key"),
        attempts.c.instance == bindparam("key"),
        attempts.c.attempt == bindparam("attempt_key"),
    )
    .values(
        state=bindparam("new_state"),
        **{
            name: func.coalesce(bindparam(name, type_=attempts.c[name].type), attempts.c[name])
            for name in _REPORTED
        },
    )
)


def submit(connection: Connection, campaign: int, session: int, new: Sequence[NewAttempt]) -> None:
    """Insert new attempts and put their instances in flight.

    Attempts that are there already are left as they are: a commit may have succeeded although its
    answer was lost, and is then repeated.
    """
    known = _states(connection, campaign, [one.token for one in new])
    new = [one for one in new if known.get(one.token, ())[:2] != (one.instance, one.attempt)]
    if not new:
        return
    connection.execute(
        insert(attempts),
        [
            {
                "campaign": campaign,
                "session": session,
                "state": AttemptState.SUBMITTED,
                "instance": one.instance,
                "attempt": one.attempt,
                "token": one.token,
                "executor": one.executor,
                "submitted_us": one.submitted_us,
            }
            for one in new
        ],
    )
    # An accepted instance is not tried again: the database refuses.
    connection.execute(
        update(instances)
        .where(instances.c.campaign == campaign, instances.c.instance == bindparam("key"))
        .values(state=InstanceState.IN_FLIGHT),
        [{"key": one.instance} for one in new],
    )
    connection.execute(
        insert(events),
        [
            transition(campaign, one.submitted_us, one.instance, one.attempt, None, AttemptState.SUBMITTED)
            for one in new
        ],
    )


def record(connection: Connection, campaign: int, reports: Sequence[AttemptReport]) -> list[AttemptReport]:
    """Write reports and return those that came too late, and were kept as evidence only."""
    known = _states(connection, campaign, [report.token for report in reports])
    batch = _Batch(campaign)
    late = []
    for report in reports:
        key = known.get(report.token)
        if key is None or not key[2].may_become(report.state):
            late.append(report)
            batch.events.append(evidence(campaign, report, key))
        else:
            batch.add(report, *key)
            known[report.token] = (key[0], key[1], report.state)
    batch.write(connection)
    return late


class _Batch:
    """Rows of one transaction, collected so that each table is written once."""

    def __init__(self, campaign: int) -> None:
        self.campaign = campaign
        self.closed: list[dict[str, Any]] = []
        self.accepted: list[dict[str, Any]] = []
        self.becoming: list[dict[str, Any]] = []
        self.metrics: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.environments: dict[str, str] = {}

    def add(self, report: AttemptReport, instance: int, attempt: int, before: AttemptState) -> None:
        """Take a lawful change of state."""
        row = {name: storable(report.values.get(name)) for name in _REPORTED}
        if report.environment is not None:
            content = text(json.dumps(report.environment, sort_keys=True))
            row["environment"] = sha256(content)
            self.environments[row["environment"]] = content
        key = {"campaign_key": self.campaign, "key": instance}
        self.closed.append({**key, "attempt_key": attempt, "new_state": report.state, **row})
        if report.state is AttemptState.SUCCEEDED:
            self.accepted.append({**key, "winner": attempt})
        elif report.instance_state is not None:
            self.becoming.append({**key, "becomes": report.instance_state})
        self.metrics.extend(
            {
                "campaign": self.campaign,
                "instance": instance,
                "attempt": attempt,
                "name": text(name),
                "value": value if math.isfinite(value) else None,
                "unit": text(unit),
            }
            for name, value, unit in report.metrics
        )
        self.events.append(
            transition(self.campaign, report.at_us, instance, attempt, before, report.state, row["reason"])
        )

    def write(self, connection: Connection) -> None:
        """Write everything."""
        self._write_environments(connection)
        for statement, rows in (
            (_CLOSE, self.closed),
            (insert(metrics), self.metrics),
            (_ACCEPT, self.accepted),
            (_BECOME, self.becoming),
            (insert(events), self.events),
        ):
            if rows:
                connection.execute(statement, rows)

    def _write_environments(self, connection: Connection) -> None:
        if not self.environments:
            return
        column = environments.c.environment
        known = set(connection.execute(select(column).where(column.in_(self.environments))).scalars())
        new = [{"environment": k, "content": v} for k, v in self.environments.items() if k not in known]
        if new:
            connection.execute(insert(environments), new)


def _states(
    connection: Connection, campaign: int, tokens: Sequence[str]
) -> dict[str, tuple[int, int, AttemptState]]:
    """Return instance, attempt and state of each known token, locked until the transaction ends."""
    found: dict[str, tuple[int, int, AttemptState]] = {}
    source = (token for token in tokens if token == text(token))  # any other is not one of ours
    while batch := list(islice(source, _BATCH)):
        # SQLite has no row locks and ignores the wish: its transaction holds the whole file.
        statement = (
            select(attempts.c.token, attempts.c.instance, attempts.c.attempt, attempts.c.state)
            .where(attempts.c.campaign == campaign, attempts.c.token.in_(batch))
            .with_for_update()
        )
        for row in connection.execute(statement):
            found[row.token] = (row.instance, row.attempt, AttemptState(row.state))
    return found
