"""Writes the heads of journals into the ledger, so that a journal that is changed later differs from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from db.events import EventKind
from orchestrator.driver.clock import Clock
from orchestrator.driver.records.journal_reader import JournalReader
from orchestrator.driver.records.ledger_writer import LedgerWriter
from orchestrator.rundir.chain import Head
from orchestrator.wording import count_of

PERIOD_SECONDS = 300.0
_JOURNALS_PER_EVENT = 2_000


class JournalHeads:
    """Records the heads of a session's journals: every few minutes of those that grew, and at the end."""

    def __init__(self, journals: JournalReader, session: int, writer: LedgerWriter, clock: Clock) -> None:
        self._journals = journals
        self._session = session
        self._writer = writer
        self._clock = clock

    def record(self) -> None:
        """Take the heads of journals that grew for the ledger's next flush."""
        self._note(final=False)

    def record_last(self) -> None:
        """Read the journals once more and take what grew; reports that are found now change nothing."""
        for _ in self._journals.read(now=True):
            pass
        self._note(final=True)

    def _note(self, *, final: bool) -> None:
        for message, data in head_events(self._session, self._journals.new_heads(), final=final):
            self._writer.note(
                EventKind.JOURNAL_HEADS,
                message,
                subject=f"session {self._session}",
                at_us=self._clock.now_us(),
                data=data,
            )


def head_events(
    session: int, heads: Mapping[str, Head], *, final: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield message and data of the events that record the heads of a session's journals.

    Parameters
    ----------
    heads
        Heads by the journal's path below the session's folder.
    final
        Whether the session has ended; one event at least says so.
    """
    journals = sorted(heads.items())
    parts = [journals[k : k + _JOURNALS_PER_EVENT] for k in range(0, len(journals), _JOURNALS_PER_EVENT)]
    parts = parts or ([[]] if final else [])
    for number, part in enumerate(parts, 1):
        lines = sum(head.lines for _, head in part)
        data = {
            "session": session,
            "final": final and number == len(parts),
            "journals": {path: list(head) for path, head in part},
        }
        yield f"heads of {count_of(len(part), 'journal')} with {count_of(lines, 'line')}", data
