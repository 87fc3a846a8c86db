"""The order in which transactions lock rows, and the repetition of those that a deadlock undid.

SQLite locks the whole file. On PostgreSQL two transactions never wait for each other in a circle, because
all of them lock rows in this order:

1. ``campaigns``: the lease, before anything of its campaign. ``FOR NO KEY UPDATE``, which lets others insert
   rows that refer to the campaign.
2. ``sessions``.
3. ``attempts``, by campaign, instance and attempt.
4. ``documents``, the one table whose rows are inserted for several campaigns, by their key.
5. ``metrics``, ``samples``, ``instances``, ``blocks`` and ``events``, of one campaign each.

Transactions of other programs, migrations and imports may break the order; so a transaction that
PostgreSQL undid is repeated.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from db.errors import DeadlockError

_TRIES = 6  # the last one's deadlock is an error; PostgreSQL needs a second to find each
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
