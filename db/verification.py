"""Check the promises of a ledger on its rows: each rule finds the rows that break it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select, text
from sqlalchemy.exc import DatabaseError

from db.column_values import sanitize_text, sha256
from db.connection.open_ledger import select_rows
from db.documents import keys_of
from db.event_chain import check_events
from db.reader import Reader
from db.records import CampaignRow
from db.rows import Attempt, Instance, LabelledAttempt
from db.states import FINAL_STATES, OPEN_STATES, AttemptState, InstanceState
from db.tables import attempts, campaigns, columns_of, curves, documents, instances, metrics, samples
from db.writing.lease import clock_us

_SHOWN = 10
FINISHED = ("complete", "exhausted")
"""Outcomes of a campaign of which every instance has ended."""
_CHANGED = "rows were changed from outside: import the last export, or restore the last backup"


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise.

    Parameters
    ----------
    campaign
        Its name; empty if it concerns the whole ledger.
    note
        Whether it is only worth knowing: a campaign that is through is not changed by it.
    """

    campaign: str
    message: str
    remedy: str = ""
    note: bool = False


@dataclass(frozen=True, slots=True)
class _Rule:
    """A query for rows that break a promise; a row, campaign first, fills the places of `message`.

    ``MINE`` after a campaign column limits the query to the campaigns that are checked. Rules with
    `always` hold at every moment, the others only while no driver writes the campaign. What a `note` finds
    breaks no promise. `quick` rules are read with each verdict: they find what bends one, in under 10 s for
    a million attempts.
    """

    message: str
    sql: str
    remedy: str = _CHANGED
    always: bool = True
    note: bool = False
    quick: bool = False


def _texts(values: Sequence[str]) -> str:
    return "(" + ", ".join(f"'{value}'" for value in values) + ")"


_OPEN, _FINAL = _texts(OPEN_STATES), _texts(FINAL_STATES)
_ATTEMPT_STATES, _INSTANCE_STATES = _texts([*AttemptState]), _texts([*InstanceState])
_OF_ATTEMPT = "JOIN instances i ON i.campaign_id = a.campaign_id AND i.instance_id = a.instance_id"
_LABEL = "i.campaign_id, i.benchmark, i.benchmark_index"
_RESUME = "run: orchestrator resume {campaign}"

_OPEN_BLOCKS = """
            SELECT b.campaign_id, b.session_number, b.block_id, coalesce(b.job_id, 'unknown') FROM blocks b
            JOIN sessions s ON s.campaign_id = b.campaign_id AND s.session_number = b.session_number
            JOIN campaigns c ON c.campaign_id = b.campaign_id WHERE b.campaign_id MINE AND b.ended_us IS NULL
              AND s.ended_us IS NOT NULL AND coalesce(c.lease_expires_us, 0) < :now"""
# A resume ends the jobs of earlier sessions before it starts any.
_CLEANED_UP = f"""(c.outcome IN {_texts(FINISHED)} AND EXISTS (SELECT 1 FROM sessions later
              WHERE later.campaign_id = b.campaign_id AND later.session_number > b.session_number))"""

# An instance that missed its accuracy and was run again is there beside the one in its place.
# SQLite keeps the order of a cross join: the few events come first.
_COUNTED = """((SELECT count(*) FROM instances i WHERE i.campaign_id = b.campaign_id
                AND i.benchmark = b.benchmark)
              - (SELECT count(DISTINCT e.instance_id) FROM events e CROSS JOIN instances x
                WHERE e.campaign_id = b.campaign_id AND e.kind <> 'transition'
                  AND e.kind = 'instance_superseded' AND x.campaign_id = e.campaign_id
                  AND x.instance_id = e.instance_id AND x.benchmark = b.benchmark))"""

_RULES = (
    _Rule(
        "{1}/{2} is accepted by attempt {3}, which {4}",
        f"""SELECT {_LABEL}, i.accepted_attempt, CASE WHEN a.state IS NULL THEN 'is not there'
            ELSE 'is ' || a.state END
            FROM instances i LEFT JOIN attempts a ON a.campaign_id = i.campaign_id
              AND a.instance_id = i.instance_id AND a.attempt_number = i.accepted_attempt
            WHERE i.campaign_id MINE AND i.accepted_attempt IS NOT NULL
              AND (a.state IS NULL OR a.state <> 'succeeded')""",
        quick=True,
    ),
    _Rule(
        "{1}/{2} has a succeeded attempt {3} and accepted none",
        f"""SELECT {_LABEL}, min(a.attempt_number) FROM attempts a {_OF_ATTEMPT}
            WHERE a.campaign_id MINE AND a.state = 'succeeded' AND i.accepted_attempt IS NULL
            GROUP BY {_LABEL}""",
        quick=True,
    ),
    _Rule(
        "{1}/{2} is {3}, with {4} accepted attempt",
        f"""SELECT {_LABEL}, i.state, CASE WHEN i.accepted_attempt IS NULL THEN 'no' ELSE 'an' END
            FROM instances i WHERE i.campaign_id MINE
              AND (i.state = 'done') <> (i.accepted_attempt IS NOT NULL)""",
        quick=True,
    ),
    _Rule(
        "{1}/{2} has attempts numbered up to {4}; in the ledger: {3}",
        f"""SELECT {_LABEL}, count(*), max(a.attempt_number) FROM attempts a {_OF_ATTEMPT}
            WHERE a.campaign_id MINE GROUP BY {_LABEL} HAVING count(*) <> max(a.attempt_number)""",
    ),
    _Rule(
        "its instances are numbered 0 to {1}, and {2} are there",
        """SELECT i.campaign_id, max(i.instance_id), count(*) FROM instances i
            WHERE i.campaign_id MINE GROUP BY i.campaign_id HAVING count(*) <> max(i.instance_id) + 1""",
    ),
    _Rule(
        "its sessions are numbered 1 to {1}, and {2} are there",
        """SELECT s.campaign_id, max(s.session_number), count(*) FROM sessions s
            WHERE s.campaign_id MINE GROUP BY s.campaign_id HAVING count(*) <> max(s.session_number)""",
        quick=True,
    ),
    _Rule(
        "{1}/{2} is in an unknown state, {3}",
        f"""SELECT {_LABEL}, i.state FROM instances i
            WHERE i.campaign_id MINE AND i.state NOT IN {_INSTANCE_STATES}""",
    ),
    _Rule(
        "{1}/{2} attempt {3} is in an unknown state, {4}",
        f"""SELECT {_LABEL}, a.attempt_number, a.state FROM attempts a {_OF_ATTEMPT}
            WHERE a.campaign_id MINE AND a.state NOT IN {_ATTEMPT_STATES}""",
    ),
    _Rule(
        "{1}/{2} is {3}, and its attempt {4} is still open",
        f"""SELECT {_LABEL}, i.state, a.attempt_number FROM attempts a {_OF_ATTEMPT}
            WHERE a.campaign_id MINE AND a.state IN {_OPEN} AND i.state <> 'in_flight'""",
    ),
    _Rule(
        "{1}/{2} is in flight without an open attempt",
        f"""SELECT {_LABEL} FROM instances i WHERE i.campaign_id MINE AND i.state = 'in_flight'
              AND NOT EXISTS (SELECT 1 FROM attempts a WHERE a.campaign_id = i.campaign_id
                AND a.instance_id = i.instance_id AND a.state IN {_OPEN})""",
    ),
    _Rule(
        "{1}/{2} has {3} open attempts at once",
        f"""SELECT {_LABEL}, count(*) FROM attempts a {_OF_ATTEMPT}
            WHERE a.campaign_id MINE AND a.state IN {_OPEN} GROUP BY {_LABEL} HAVING count(*) > 1""",
    ),
    _Rule(
        "{1}/{2} attempt {3} is {4} and lacks {5}",
        f"""SELECT {_LABEL}, a.attempt_number, a.state, CASE
              WHEN a.received_us IS NULL THEN 'the time when its report came'
              WHEN a.fom_seconds IS NULL THEN 'its FOM seconds' ELSE 'the times of its run' END
            FROM attempts a {_OF_ATTEMPT} WHERE a.campaign_id MINE AND a.state IN {_FINAL}
              AND (a.received_us IS NULL OR (a.state = 'succeeded' AND
                (a.fom_seconds IS NULL OR a.run_start_us IS NULL OR a.run_stop_us IS NULL)))""",
    ),
    _Rule(
        "{1}: instances planned: {2}, in the ledger: {3}",
        f"""SELECT b.campaign_id, b.benchmark, b.instances, {_COUNTED} AS there
            FROM benchmarks b WHERE b.campaign_id MINE AND b.instances <> {_COUNTED}""",
        quick=True,
    ),
    _Rule(
        "of a benchmark {1} that was not planned, instances: {2}",
        """SELECT i.campaign_id, i.benchmark, count(*) FROM instances i WHERE i.campaign_id MINE
              AND NOT EXISTS (SELECT 1 FROM benchmarks b WHERE b.campaign_id = i.campaign_id
                AND b.benchmark = i.benchmark) GROUP BY i.campaign_id, i.benchmark""",
        quick=True,
    ),
    _Rule(
        "{2} instances share seed {1}",
        """SELECT campaign_id, seed, count(*) FROM instances WHERE campaign_id MINE
            GROUP BY campaign_id, seed HAVING count(*) > 1""",
        quick=True,
    ),
    _Rule(
        "{1}/{2} attempt {3} is {4}, its events end with {5}",
        f"""SELECT campaign_id, benchmark, benchmark_index, attempt_number, state, ended FROM (
              SELECT {_LABEL}, a.attempt_number, a.state, coalesce((SELECT e.to_state FROM events e
                WHERE e.campaign_id = a.campaign_id AND e.instance_id = a.instance_id
                  AND e.attempt_number = a.attempt_number AND e.kind = 'transition'
                ORDER BY e.event_id DESC LIMIT 1), 'none') AS ended
              FROM attempts a {_OF_ATTEMPT} WHERE a.campaign_id MINE) ends
            WHERE ended <> state""",
        quick=True,
    ),
    _Rule(
        "instance {1} attempt {2} has an event from {3} where it was {4}",
        f"""SELECT campaign_id, instance_id, attempt_number, coalesce(from_state, 'nothing'),
              coalesce(before, 'nothing')
            FROM (SELECT campaign_id, instance_id, attempt_number, from_state,
                lag(to_state) OVER (PARTITION BY campaign_id, instance_id, attempt_number ORDER BY event_id)
                  AS before
              FROM events WHERE campaign_id MINE AND kind = 'transition') e
            WHERE coalesce(from_state, '') <> coalesce(before, '') OR before IN {_FINAL}""",
    ),
    _Rule(
        "an event names instance {1} attempt {2}, which is not there",
        """SELECT e.campaign_id, e.instance_id, e.attempt_number FROM events e WHERE e.campaign_id MINE
              AND e.attempt_number IS NOT NULL AND NOT EXISTS (SELECT 1 FROM attempts a
                WHERE a.campaign_id = e.campaign_id AND a.instance_id = e.instance_id
                  AND a.attempt_number = e.attempt_number)
            GROUP BY e.campaign_id, e.instance_id, e.attempt_number""",
    ),
    _Rule(
        "attempts of session {1}, which is not there: {2}",
        """SELECT a.campaign_id, a.session_number, count(*) FROM attempts a WHERE a.campaign_id MINE
              AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.campaign_id = a.campaign_id
                AND s.session_number = a.session_number) GROUP BY a.campaign_id, a.session_number""",
    ),
    _Rule(
        "blocks of session {1}, which is not there: {2}",
        """SELECT b.campaign_id, b.session_number, count(*) FROM blocks b WHERE b.campaign_id MINE
              AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.campaign_id = b.campaign_id
                AND s.session_number = b.session_number) GROUP BY b.campaign_id, b.session_number""",
    ),
    _Rule(
        "session {1} has no end, and no driver holds the campaign",
        """SELECT s.campaign_id, s.session_number FROM sessions s
            JOIN campaigns c ON c.campaign_id = s.campaign_id
            WHERE s.campaign_id MINE AND s.ended_us IS NULL AND c.lease_owner IS NULL""",
    ),
    _Rule(
        "{1}/{2} attempt {3} is open, and its session {4} has ended",
        f"""SELECT {_LABEL}, a.attempt_number, a.session_number FROM attempts a {_OF_ATTEMPT}
            JOIN sessions s ON s.campaign_id = a.campaign_id AND s.session_number = a.session_number
            JOIN campaigns c ON c.campaign_id = a.campaign_id WHERE a.campaign_id MINE AND a.state IN {_OPEN}
              AND s.ended_us IS NOT NULL AND coalesce(c.lease_expires_us, 0) < :now""",
        _RESUME,
        always=False,
    ),
    _Rule(
        "block {2} of session {1} (job {3}) has no end, and its session has ended",
        f"{_OPEN_BLOCKS} AND NOT {_CLEANED_UP}",
        "if the job is still there, this ends it: orchestrator node leftovers {campaign} --fix",
        always=False,
    ),
    _Rule(
        "block {2} of session {1} (job {3}) has no end; later sessions ended what they found of it",
        f"{_OPEN_BLOCKS} AND {_CLEANED_UP}",
        remedy="",
        always=False,
        note=True,
    ),
)

_GUARDS = (
    "attempts_final",
    "attempts_kept",
    "curves_kept",
    "curves_unchanged",
    "events_kept",
    "events_unchanged",
    "instances_accepted",
    "metrics_kept",
    "metrics_unchanged",
    "samples_kept",
    "samples_unchanged",
)


def check(reader: Reader, names: Sequence[str] = ()) -> list[Finding]:
    """Return the broken promises of a ledger and of its campaigns (without names: all), at one moment.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    """
    with reader.connection() as connection:
        if found := list(_damage(connection)):
            return found  # answers of a damaged file mean nothing
    rows = [reader.campaign(name) for name in names] if names else reader.campaigns()
    with reader.connection() as connection, connection.begin():
        return [
            *_check_ledger(connection),
            *_changed_events(connection, rows),
            *_findings_of(connection, [row.campaign_id for row in rows], _RULES),
        ]


def quick_check(reader: Reader, names: Sequence[str]) -> list[Finding]:
    """Return the broken promises of campaigns that can bend a verdict, also while drivers write.

    Raises
    ------
    UnknownCampaignError
        If the ledger has no such campaign.
    """
    rows = [reader.campaign(name) for name in names]
    numbers = [row.campaign_id for row in rows]
    seen = select(attempts.c.observation_sha256).where(
        attempts.c.campaign_id.in_(numbers), attempts.c.received_us.is_not(None)
    )
    rules = [rule for rule in _RULES if rule.quick]
    with reader.connection() as connection, connection.begin():
        return [
            *_missing_triggers(connection),
            *_changed_documents(connection, documents.c.sha256.in_(keys_of(numbers))),
            *_changed_documents(connection, documents.c.sha256.in_(seen)),
            *_changed_events(connection, rows),
            *_findings_of(connection, numbers, rules),
        ]


def _damage(connection: Connection) -> Iterator[Finding]:
    if connection.dialect.name != "sqlite":
        return
    remedy = "restore the last backup or export"
    try:
        for (message,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_SHOWN})"):
            if message != "ok":
                yield Finding("", f"the file is damaged: {' '.join(message.split())}", remedy)
    except DatabaseError as error:
        yield Finding("", f"the file is damaged: {error.orig}", remedy)


def _check_ledger(connection: Connection) -> list[Finding]:
    """Return broken promises of the ledger as a whole: its keys, its triggers, its documents."""
    found = []
    if connection.dialect.name == "sqlite":
        strays: dict[tuple[str, str], int] = {}
        for table, _row, parent, _key in connection.exec_driver_sql("PRAGMA foreign_key_check"):
            strays[table, parent] = strays.get((table, parent), 0) + 1
        found += [
            Finding(
                "", f"rows of {table} that refer to rows of {parent} that are not there: {number}", _CHANGED
            )
            for (table, parent), number in strays.items()
        ]
    return [*found, *_missing_triggers(connection), *_changed_documents(connection)]


def _changed_events(connection: Connection, rows: Sequence[CampaignRow]) -> Iterator[Finding]:
    for row in rows:
        chain = check_events(connection, row.campaign_id)
        for problem in chain.problems[:_SHOWN]:
            yield Finding(row.name, problem, _CHANGED)


def _missing_triggers(connection: Connection) -> list[Finding]:
    if connection.dialect.name == "sqlite":
        names = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    else:
        names = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D'"
    there = set(connection.execute(text(names)).scalars())
    return [
        Finding("", f"the trigger {name} is gone, so rows can be changed", "copy it all into a new ledger")
        for name in _GUARDS
        if name not in there
    ]


def _changed_documents(connection: Connection, *conditions: ColumnElement[bool]) -> list[Finding]:
    contents = connection.execute(select(documents).where(*conditions).execution_options(yield_per=1000))
    return [
        Finding("", f"document {row.sha256[:12]} is not what its checksum says", _CHANGED)
        for row in contents
        if sha256(row.content) != row.sha256
    ]


def broken(connection: Connection, numbers: Sequence[int]) -> list[Finding]:
    """Return the broken promises that hold at every moment, even while drivers write."""
    return list(_findings_of(connection, numbers, [rule for rule in _RULES if rule.always]))


def _findings_of(connection: Connection, numbers: Sequence[int], rules: Sequence[_Rule]) -> Iterator[Finding]:
    names = {}
    for row in connection.execute(select(campaigns).where(campaigns.c.campaign_id.in_(numbers))):
        names[row.campaign_id] = row.name
        for what, content, digest in (
            ("campaign file", row.campaign_yaml, row.campaign_sha256),
            ("site file", row.site_yaml, row.site_sha256),
        ):
            if sha256(content) != digest:
                yield Finding(row.name, f"its {what} is not what its checksum says", _CHANGED)
    now = clock_us(connection)
    for rule in rules:
        sql = rule.sql.replace("MINE", "IN :mine")
        values = {"mine": list(numbers)} | ({"now": now} if ":now" in sql else {})
        order = "1, 2, 3" if "{2}" in rule.message else "1, 2"
        rows = connection.execute(_asked(f"{sql} ORDER BY {order} LIMIT {_SHOWN}"), values).all()
        message = [rule.message.format(*row) for row in rows]
        if len(rows) == _SHOWN:
            counted = f"SELECT count(*) FROM ({sql}) AS every_one"
            total = int(connection.execute(_asked(counted), values).scalar_one())
            message[-1] += f" (the last of {_SHOWN} shown; {total} are like it)" if total > _SHOWN else ""
        for row, one in zip(rows, message, strict=True):
            yield Finding(names[row[0]], one, rule.remedy.replace("{campaign}", names[row[0]]), rule.note)


def _asked(sql: str) -> Any:
    return text(sql).bindparams(bindparam("mine", expanding=True))


def attempts_by_token(reader: Reader, campaign_id: int, tokens: Sequence[str]) -> dict[str, LabelledAttempt]:
    """Return the attempts of a campaign that have these tokens, by token."""
    wanted = [token for token in tokens if token == sanitize_text(token)]
    statement = (
        select(instances.c.benchmark, instances.c.benchmark_index, *columns_of(Attempt))
        .select_from(attempts)
        .join(instances)
        .where(attempts.c.campaign_id == campaign_id, attempts.c.token.in_(wanted))
    )
    with reader.connection() as connection, connection.begin():
        found = [
            LabelledAttempt(benchmark, number, Attempt(*columns))
            for benchmark, number, *columns in connection.execute(statement)
        ]
    return {row.attempt.token: row for row in found}


def measured_by_attempt(
    reader: Reader, campaign_id: int, numbers: Sequence[int]
) -> dict[tuple[int, int], dict[str, tuple[Any, ...]]]:
    """Return metrics, samples and curves of all attempts of instances by name, by instance and attempt."""
    m, s, c = metrics.c, samples.c, curves.c
    found: dict[tuple[int, int], dict[str, tuple[Any, ...]]] = {}
    with reader.connection() as connection, connection.begin():
        for instance, attempt, name, *values in connection.execute(
            select(m.instance_id, m.attempt_number, m.name, m.value, m.unit).where(
                m.campaign_id == campaign_id, m.instance_id.in_(numbers)
            )
        ):
            found.setdefault((instance, attempt), {})[f"metric {name}"] = tuple(values)
        key = (s.instance_id, s.attempt_number, s.quantity, s.node, s.device)
        for instance, attempt, quantity, node, device, *values in connection.execute(
            select(*key, s.unit, s.source, s.begin_us, s.points).where(
                s.campaign_id == campaign_id, s.instance_id.in_(numbers)
            )
        ):
            name = f"samples of {quantity} {device} on {node}"
            found.setdefault((instance, attempt), {})[name] = tuple(values)
        for instance, attempt, name, *values in connection.execute(
            select(c.instance_id, c.attempt_number, c.name, c.axis, c.points).where(
                c.campaign_id == campaign_id, c.instance_id.in_(numbers)
            )
        ):
            found.setdefault((instance, attempt), {})[f"curve {name}"] = tuple(values)
    return found


def accepted(reader: Reader, campaign_id: int) -> Iterator[Instance]:
    """Yield every instance of a campaign that has an accepted attempt."""
    statement = (
        select_rows(Instance)
        .where(instances.c.campaign_id == campaign_id, instances.c.accepted_attempt.is_not(None))
        .order_by(instances.c.instance_id)
        .execution_options(stream_results=True, yield_per=1000)
    )
    with reader.connection() as connection, connection.begin():
        for row in connection.execute(statement):
            yield Instance(*row)
