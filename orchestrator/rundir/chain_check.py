"""Compare the chain of a journal with itself, and with the heads that the ledger has of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from db.states import AttemptState
from orchestrator.protocol.report import AttemptReport
from orchestrator.rundir.chain import GENESIS, Head, carried_chain
from orchestrator.rundir.journal import decode, decode_report
from orchestrator.wording import count_of


@dataclass(slots=True)
class ChainCheck:
    """Findings in the chain of one journal.

    Parameters
    ----------
    head
        Its lines, and the chain after the last of them.
    problems
        What contradicts the chain or a recorded head.
    beyond
        Final reports in lines after the last recorded head, but for those that repeat one before it.
    """

    head: Head = field(default_factory=Head)
    problems: list[str] = field(default_factory=list)
    beyond: list[AttemptReport] = field(default_factory=list)


def check_chain(pieces: Sequence[bytes], recorded: Sequence[Head] = ()) -> ChainCheck:
    """Return what the chain of a journal shows.

    Parameters
    ----------
    pieces
        Its content, as `orchestrator.rundir.packed_reader.journals` yields it.
    recorded
        The heads that the ledger has of it.
    """
    found = ChainCheck()
    known: dict[int, set[str]] = {}
    for head in recorded:
        known.setdefault(head.lines, set()).add(head.chain)
    last = max(known, default=0)
    for first, line in _lines(pieces):
        _check_line(found, line, first=first)
        number, chain = found.head
        if number in known and known[number] != {chain}:
            first_lines = count_of(number, "line", "are")
            found.problems.append(f"its first {first_lines} not what the ledger has the hash of")
        if number > last and (report := decode_report(line)) is not None and report.state.final:
            found.beyond.append(report)
    if found.beyond:
        proven = set(_final_states(line for _, line in islice(_lines(pieces), last)))
        found.beyond = [one for one in found.beyond if (one.token, one.state) not in proven]
    if last > found.head.lines:
        found.problems.append(
            f"it has {count_of(found.head.lines, 'line')}, and the ledger has the hash of {last}"
        )
    return found


def _lines(pieces: Sequence[bytes]) -> Iterator[tuple[bool, bytes]]:
    """Yield the lines of all pieces that are not empty, and whether each is the first of its piece."""
    for piece in pieces:
        first = True
        for line in piece.split(b"\n"):
            if line:
                yield first, line
                first = False


def _final_states(lines: Iterable[bytes]) -> Iterator[tuple[str, AttemptState]]:
    for line in lines:
        if (report := decode_report(line)) is not None and report.state.final:
            yield report.token, report.state


def _check_line(found: ChainCheck, line: bytes, *, first: bool) -> None:
    """Add one line; after a contradiction the check goes on from the chain that the line carries."""
    head, carried = found.head, carried_chain(line)
    if carried is not None:
        if carried != head.chain and not (first and carried == GENESIS):
            found.problems.append(
                f"line {head.lines + 1} follows other lines than it was written after: "
                "a line was changed, removed or moved"
            )
        head = head._replace(chain=carried)
    elif decode(line) is not None:
        found.problems.append(f"line {head.lines + 1} is not part of its chain: it was added later")
    found.head = head.after(line)
