"""The order in which transactions lock rows, and the repetition of those that a deadlock undid.

SQLite locks the whole file. On PostgreSQL two transactions never wait for each other in a circle, because
all of them lock rows in this order:

1. ``campaigns``: the lease, before anything of its campaign. ``FOR NO KEY UPDATE``, which lets others insert
   rows that refer to the campaign.
2. ``sessions``.
3. ``attempts``, by campaign, instance and attempt.
4. ``documents``, the one table whose rows are inserted for several campaigns, by their key.
5. ``metrics``, ``samples``, ``curves``, ``instances``, ``blocks`` and ``events``, of one campaign each.
6. The order of a campaign's events (`lock_events`): writers of events that are no transitions share this
   lock, and the writer of a link of their chain holds it alone.

Transactions of other programs, migrations and imports may break the order; so a transaction that
PostgreSQL undid is repeated.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from sqlalchemy import Connection

from db.errors import DeadlockError

_TRIES = 6  # the last one's deadlock is an error; PostgreSQL needs a second to find each
_IDLE_SECONDS = 60.0  # below the longest wait of another driver for a statement
_EVENTS_OF = 0x6576_656E  # advisory locks are named by two numbers, the second is the campaign's
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def repeated_after_deadlock(write: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Repeat a function at once whose only transaction was undone to end a deadlock."""

    @functools.wraps(write)
    def repeat(*given: _Given.args, **named: _Given.kwargs) -> _Result:
        for _ in range(_TRIES - 1):
            with suppress(DeadlockError):
                return write(*given, **named)
        return write(*given, **named)

    return repeat


def lock_events(connection: Connection, campaign_id: int, *, exclusive: bool = False) -> None:
    """Lock the order of a campaign's events until the transaction ends.

    PostgreSQL gives an event its number before it commits the event. Whoever holds this lock alone sees all
    events whose numbers are smaller than that of the next one. SQLite has one writer at a time.
    """
    if connection.dialect.name == "postgresql":
        shared = "" if exclusive else "_shared"
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock{shared}({_EVENTS_OF}, {int(campaign_id)})")


def limit_waits(connection: Connection, statement_seconds: float | None = None) -> None:
    """Let PostgreSQL undo this transaction after a minute without a statement, or one that takes too long.

    A writer that is suspended, or whose machine is lost, would keep its locks from the driver that follows.

    Parameters
    ----------
    statement_seconds
        Longest time of a statement; None for any.
    """
    if connection.dialect.name == "postgresql":
        limits = {"idle_in_transaction_session_timeout": _IDLE_SECONDS}
        if statement_seconds is not None:
            limits["statement_timeout"] = statement_seconds
        calls = [f"set_config('{name}', '{int(seconds * 1000)}', true)" for name, seconds in limits.items()]
        connection.exec_driver_sql(f"SELECT {', '.join(calls)}")
