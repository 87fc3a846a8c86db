"""Server-sent events of a running campaign (html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from db.errors import LedgerError, UnknownCampaignError
from orchestrator.errors import OrchestratorError
from workloads.description import WorkloadError

_PAUSE_SECONDS = 2.0


async def follow(
    read: Callable[[], Awaitable[Mapping[str, str]]], stopping: asyncio.Event
) -> AsyncIterator[bytes]:
    """Yield an event for each text that changed, until the server stops.

    An event ``problem`` says why the texts cannot be read; once they can be again, all of them follow.

    Parameters
    ----------
    read
        Returns texts by the kind of their event.
    """
    sent: Mapping[str, str] = {}
    while not stopping.is_set():
        try:
            found = await read()
        except UnknownCampaignError:
            found = {"problem": "The ledger no longer has this campaign."}
        except (LedgerError, OSError) as error:
            found = {"problem": f"The ledger cannot be read, trying again: {error}"}
        except (OrchestratorError, WorkloadError) as error:
            found = {"problem": f"The campaign cannot be shown, trying again: {error}"}
        fresh = b"".join(_event(kind, text) for kind, text in found.items() if sent.get(kind) != text)
        yield fresh or b":\n\n"  # a comment: a client that left is noticed
        sent = found
        try:
            await asyncio.wait_for(stopping.wait(), _PAUSE_SECONDS)
        except TimeoutError:
            continue


def _event(kind: str, text: str) -> bytes:
    lines = "".join(f"data: {line}\n" for line in text.splitlines())
    return f"event: {kind}\n{lines}\n".encode()
