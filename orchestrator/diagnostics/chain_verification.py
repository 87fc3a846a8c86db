"""Checking the hash chains of a campaign's journals against themselves and against the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from db.events import EventKind
from db.plain import RowReader
from orchestrator.rundir.chain import Head
from orchestrator.rundir.chain_check import check_chain
from orchestrator.rundir.packed_reader import journals
from orchestrator.wording import count_of


@dataclass(slots=True)
class ChainFindings:
    """Findings in the chains of a campaign's journals.

    Parameters
    ----------
    problems
        Contradictions, each with the journal's path.
    beyond
        Tokens of final reports that no recorded head covers, each with its journal.
    recorded
        Whether the ledger has any heads.
    open_sessions
        Sessions without a record of their last heads.
    """

    problems: list[str] = field(default_factory=list)
    beyond: dict[str, str] = field(default_factory=dict)
    recorded: bool = False
    open_sessions: list[int] = field(default_factory=list)


def check_chains(reader: RowReader, campaign_id: int, folder: Path) -> ChainFindings:
    """Return what the chains of the journals below a folder show.

    Raises
    ------
    LedgerError
        If the ledger cannot be read.
    """
    noted = [event.data or {} for event in reader.events(campaign_id, kinds=(EventKind.JOURNAL_HEADS,))]
    recorded = _heads_by_journal(noted)
    sessions = {one.session_number for one in reader.sessions_of(campaign_id)}
    last = {int(data.get("session", 0)) for data in noted if data.get("final")}
    found = ChainFindings(recorded=bool(recorded), open_sessions=sorted(sessions - last))
    found.problems += [
        f"the ledger has heads of journals of session {number}, and no such session"
        for number in sorted(last - sessions)
    ]
    for path, pieces in journals(folder):
        checked = check_chain(pieces, recorded.pop(path, ()))
        found.problems += [f"journal {path}: {problem}" for problem in checked.problems]
        found.beyond |= {report.token: path for report in checked.beyond}
    found.problems += [
        f"journal {path} is not there, and the ledger has the hash of its "
        f"{count_of(max(heads).lines, 'line')}"
        for path, heads in sorted(recorded.items())
    ]
    return found


def _heads_by_journal(noted: Iterable[Mapping[str, Any]]) -> dict[str, list[Head]]:
    """Return the heads that events have of each journal, by its path below the folder of journals."""
    heads: dict[str, list[Head]] = {}
    for data in noted:
        for path, (lines, chain) in dict(data.get("journals", {})).items():
            heads.setdefault(f"{data.get('session')}/{path}", []).append(Head(int(lines), str(chain)))
    return heads
