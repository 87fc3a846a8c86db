"""Readings that all who ask at the same time share, and that are kept for a while."""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from anyio import to_thread

if TYPE_CHECKING:
    from orchestrator.monitoring.campaign_status import CampaignStatus

T = TypeVar("T")
U = TypeVar("U")
_KEPT = 64  # well above the number of campaigns that one request for metrics reads


@dataclass(frozen=True)
class _Kept(Generic[T]):
    value: T
    until: float


class SharedReads(Generic[T]):
    """Reads in threads, at most once at a time for each key; use it in one event loop.

    Parameters
    ----------
    read
        Returns the value of a key; called in a thread.
    keep_seconds
        Returns how long a value is kept, by it and by the seconds that it took.
    failed_seconds
        Returns how long `begin` does not repeat a reading that failed, by the seconds that it took.
    kept
        Largest number of values that are kept; those that nothing asked for longest go first.
    """

    def __init__(
        self,
        read: Callable[[str], T],
        keep_seconds: Callable[[T, float], float],
        failed_seconds: Callable[[float], float] = lambda _: 0.0,
        *,
        kept: int = _KEPT,
    ) -> None:
        self._read = read
        self._keep_seconds = keep_seconds
        self._failed_seconds = failed_seconds
        self._kept_number = kept
        self._kept: OrderedDict[str, _Kept[T]] = OrderedDict()
        self._failed_until: OrderedDict[str, float] = OrderedDict()
        self._running: dict[str, asyncio.Task[T]] = {}

    async def get(self, key: str) -> T:
        """Return the value of a key, read now unless one is kept; errors of the reading are raised."""
        found = self._kept.get(key)
        if found is not None and time.monotonic() < found.until:
            self._kept.move_to_end(key)
            return found.value
        return await asyncio.shield(self._started(key))  # one who leaves does not end it for the others

    def known(self, key: str) -> T | None:
        """Return the value that was read last, if any; any thread may ask."""
        found = self._kept.get(key)
        return None if found is None else found.value

    def forget(self, key: str) -> None:
        """Let the next `get` of a key read it anew."""
        self._kept.pop(key, None)

    def begin(self, key: str) -> None:
        """Begin to read a key whose value is old, for those who ask what is `known`."""
        found = self._kept.get(key)
        until = self._failed_until.get(key, -math.inf if found is None else found.until)
        if time.monotonic() >= until:
            self._started(key)

    def _started(self, key: str) -> asyncio.Task[T]:
        if (task := self._running.get(key)) is None:
            task = self._running[key] = asyncio.create_task(self._refresh(key))
            task.add_done_callback(_look_at)
        return task

    async def _refresh(self, key: str) -> T:
        begin = time.monotonic()
        try:
            value = await to_thread.run_sync(self._read, key)
        except Exception:
            end = time.monotonic()
            self._put(self._failed_until, key, end + self._failed_seconds(end - begin))
            raise
        finally:
            del self._running[key]
        end = time.monotonic()
        self._failed_until.pop(key, None)
        self._put(self._kept, key, _Kept(value, end + self._keep_seconds(value, end - begin)))
        return value

    def _put(self, kept: OrderedDict[str, U], key: str, value: U) -> None:
        kept[key] = value
        kept.move_to_end(key)
        while len(kept) > self._kept_number:
            kept.popitem(last=False)


class FollowedReads(Generic[T]):
    """Lists of campaigns, read again while a driver runs and once more after a change; for one event loop.

    Parameters
    ----------
    read
        Returns the list of a campaign of a name; called in a thread.
    keep_seconds
        Returns how long a list is kept, by it and by the seconds that it took.
    status_of
        Returns what is known of a campaign of a name, if anything.
    """

    def __init__(
        self,
        read: Callable[[str], Sequence[T]],
        keep_seconds: Callable[[Sequence[T], float], float],
        status_of: Callable[[str], CampaignStatus | None],
    ) -> None:
        self._read = read
        self._status_of = status_of
        self._stands: dict[str, object] = {}
        self._reads = SharedReads(self._noted, keep_seconds, lambda took: keep_seconds((), took))

    def known(self, name: str) -> Sequence[T] | None:
        """Return the list that was read last, if any; any thread may ask."""
        return self._reads.known(name)

    def begin(self, status: CampaignStatus) -> None:
        """Begin to read a campaign's list where it may have changed."""
        name = status.row.name
        if (
            status.driver is not None
            or self._reads.known(name) is None
            or self._stands.get(name) != _stand(status)
        ):
            self._reads.begin(name)

    def _noted(self, name: str) -> Sequence[T]:
        seen = self._status_of(name)  # asked for before the list is read: the list is at least as new
        found = self._read(name)
        self._stands[name] = seen and _stand(seen)
        return found


def _stand(status: CampaignStatus) -> object:
    """Return what differs whenever a list of a campaign without a driver may."""
    return status.row.outcome, status.last_end_us, status.progress.done


def _look_at(task: asyncio.Task[T]) -> None:
    """Retrieve the error of a reading without callers, which asyncio would print."""
    if not task.cancelled():
        task.exception()
