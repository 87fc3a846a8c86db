"""What the ledger proves about what ran: description of the workload, code, environment variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptionFacts:
    """By which description of its workload a benchmark is judged.

    Parameters
    ----------
    registered
        Whether by the one that was registered with the campaign; otherwise by today's.
    problem
        Why it is not what was registered, or cannot be read; empty where nothing speaks against it.
    """

    registered: bool
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFacts:
    """The code that the accepted attempts of a benchmark ran.

    Parameters
    ----------
    recorded
        Whether all sessions of these attempts were driven by a version that records code.
    missing
        Accepted instances of which some process reported no code, or code that the ledger has no listing of.
    listings
        Distinct listings of the processes: SHA-256 by file, None for a file that could not be read.
    versions
        Versions of the project whose drivers ran the campaign.
    outside
        Directories of frameworks that some process imported from outside its interpreter's own packages.
    containers
        Images of the attempts' containers, with the options they were started with, by digest, with an empty
        digest for none; empty without any.
    setups
        Accepted instances before which shell lines of the site or campaign file ran (``instance_setup``).
    forked
        Accepted instances that were forked from a process that had imported their framework.
    reused
        Accepted instances whose process may have run others before.
    changed
        Files in which a later session's driver differed from that of the first session.
    """

    recorded: bool
    missing: int
    listings: tuple[Mapping[str, str | None], ...]
    versions: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    containers: Mapping[str, str] = field(default_factory=dict)
    setups: int = 0
    forked: int = 0
    reused: int = 0
    changed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableFacts:
    """The environment variables that the accepted attempts of a benchmark were given.

    Parameters
    ----------
    recorded
        Whether all sessions of these attempts were driven by a version that records variables.
    missing
        Accepted instances of which some process reported no variables.
    sets
        Distinct sets of variables that can change speed or numbers; None for a value that was kept secret.
    """

    recorded: bool
    missing: int
    sets: tuple[Mapping[str, str | None], ...]
