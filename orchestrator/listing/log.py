"""The log of a list: a line for each change, chained by hashes, with a Merkle root over all lines.

Each line has the SHA-256 of the line before it, so that a change of a line shows in the next one. The Merkle
root, hashed as RFC 6962 does (section 2.1), covers the last line too: who noted it once can tell whether the
log was only continued.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Self

from pydantic import ConfigDict, TypeAdapter, ValidationError

from orchestrator.listing.errors import ListingError

LOG = "log.jsonl"
_ROOT = re.compile("[0-9a-f]{64}")
_GENESIS = "0" * 64  # stands for the line before the first


class Action(StrEnum):
    """Changes of a list."""

    ADDED = "added"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Entry:
    """A change of a list.

    Parameters
    ----------
    at
        UTC time, ISO 8601.
    root
        Root hash of the package.
    by
        Root hash of the package that supersedes it.
    because
        Reason of a withdrawal.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    at: str
    action: Action
    root: str
    by: str = ""
    because: str = ""

    def words(self) -> str:
        """Return the change in words."""
        day = self.at[:10]
        if self.action is Action.SUPERSEDED:
            return f"superseded on {day} by {self.by[:12]}"
        return f"{self.action} on {day}" + (f": {self.because}" if self.because else "")


_ENTRY = TypeAdapter(Entry)


@dataclass(frozen=True, slots=True)
class Log:
    """The lines of a log, without their ends, and the changes that they tell."""

    lines: tuple[bytes, ...] = ()
    entries: tuple[Entry, ...] = ()

    @classmethod
    def parse(cls, content: bytes) -> Self:
        """Return the log that a file holds.

        Raises
        ------
        ListingError
            If a line was cut short, is no change, or cannot follow the lines before it.
        """
        *lines, rest = content.split(b"\n")
        if rest:
            raise _broken(len(lines) + 1, "was cut short: it has no end")
        former, entries = _GENESIS, list[Entry]()
        known, gone = set[str](), dict[str, Action]()
        for number, line in enumerate(lines, 1):
            try:
                found = json.loads(line)
                stated = found.pop("former")
                entry = _ENTRY.validate_python(found)
            except ValidationError as error:
                first = error.errors()[0]
                key = ".".join(map(str, first["loc"]))
                raise _broken(number, f"is no change: {key}: {first['msg']}") from None
            except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
                raise _broken(
                    number, "is no change: it is no JSON object with the hash of a former"
                ) from None
            if stated != former:
                raise _broken(
                    number, "does not follow the line before it: one of the two was edited or moved"
                )
            if problem := _problem(known, gone, entry):
                raise _broken(number, problem)
            entries.append(entry)
            former = hashlib.sha256(line).hexdigest()
        return cls(tuple(lines), tuple(entries))

    def continued(self, entries: Iterable[Entry]) -> Self:
        """Return the log with further lines at its end."""
        lines = list(self.lines)
        added = tuple(entries)
        for entry in added:
            former = hashlib.sha256(lines[-1]).hexdigest() if lines else _GENESIS
            stated = {key: value for key, value in asdict(entry).items() if value}
            lines.append(json.dumps({"former": former, **stated}, ensure_ascii=False).encode())
        return type(self)(tuple(lines), (*self.entries, *added))

    @property
    def content(self) -> bytes:
        """The file's bytes."""
        return b"".join(line + b"\n" for line in self.lines)

    @property
    def root(self) -> str:
        """The Merkle root over all lines."""
        return merkle_root(self.lines)

    @property
    def added(self) -> list[str]:
        """Root hashes of all packages that were ever added, in that order."""
        return [entry.root for entry in self.entries if entry.action is Action.ADDED]

    def struck(self) -> dict[str, Entry]:
        """Return why packages no longer count, by their root hashes; a withdrawal outweighs all else."""
        found: dict[str, Entry] = {}
        for entry in self.entries:
            if entry.action is not Action.ADDED:
                found[entry.root] = entry
        return found


def merkle_root(lines: Sequence[bytes]) -> str:
    """Return the Merkle tree hash of lines, in hexadecimal."""
    return _tree_hash(lines).hex()


def _tree_hash(lines: Sequence[bytes]) -> bytes:
    if not lines:
        return hashlib.sha256().digest()
    if len(lines) == 1:
        return hashlib.sha256(b"\x00" + lines[0]).digest()
    half = 1 << (len(lines) - 1).bit_length() - 1  # the largest power of 2 below the number of lines
    return hashlib.sha256(b"\x01" + _tree_hash(lines[:half]) + _tree_hash(lines[half:])).digest()


def _problem(known: set[str], gone: dict[str, Action], entry: Entry) -> str:
    """Note a change, and return why it cannot follow those before it; empty if it can."""
    root, action = entry.root, entry.action
    if not _ROOT.fullmatch(root):  # which is part of a file's name
        return "has no root hash"
    if action is Action.ADDED:
        again = root in known
        known.add(root)
        return f"adds {root[:12]} a second time" if again else ""
    if root not in known:
        return f"has {root[:12]} {action}, which was never added"
    if gone.get(root) is Action.WITHDRAWN or gone.get(root) is action:
        return f"has {root[:12]} {action} a second time, or after its withdrawal"
    gone[root] = action
    return ""


def _broken(number: int, problem: str) -> ListingError:
    return ListingError(f"{LOG}: line {number} {problem}; take the file from a copy of the site")
