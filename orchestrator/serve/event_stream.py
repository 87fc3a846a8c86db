"""Server-sent events of a running campaign (html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from db.errors import LedgerError, UnknownCampaignError
from orchestrator.errors import OrchestratorError
from workloads.description import WorkloadError

_PAUSE_SECONDS = 2.0


async def follow(read: Callable[[], Awaitable[str]], stopping: asyncio.Event) -> AsyncIterator[bytes]:
    """Yield an event ``progress`` for each change of a text, until the server stops.

    An event ``problem`` says why the text cannot be read, and the next ``progress`` that it can be again.
    """
    sent = b""
    while not stopping.is_set():
        try:
            event = _event("progress", await read())
        except UnknownCampaignError:
            event = _event("problem", "The ledger no longer has this campaign.")
        except (LedgerError, OSError) as error:
            event = _event("problem", f"The ledger cannot be read, trying again: {error}")
        except (OrchestratorError, WorkloadError) as error:
            event = _event("problem", f"The campaign cannot be shown, trying again: {error}")
        yield event if event != sent else b":\n\n"  # a comment: a client that left is noticed
        sent = event
        try:
            await asyncio.wait_for(stopping.wait(), _PAUSE_SECONDS)
        except TimeoutError:
            continue


def _event(kind: str, text: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {kind}\n{lines}\n".encode()
