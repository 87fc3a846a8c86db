"""Facts that the ledger proves about what ran: workload descriptions, code, environment variables."""

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
class CommandFacts:
    """Script and files that an external command started.

    Parameters
    ----------
    arguments
        Program and arguments as the workload file has them, with fields.
    reads
        How the file reads ``accuracy`` and ``seconds``, and between which lines the ``window`` lies.
    environment
        Variables that the file sets or removes.
    program
        File that the kernel ran; empty where its runner did not see it.
    interpreter
        File that the kernel ran for the runner.
    started
        Path of the script that was started; empty where Python's code came from elsewhere.
    files
        SHA-256 of the script, of the files that the workload file lists, and of all that may be imported from
        their folders, by path; None for one that changed while the command ran, or could not be read.
    search
        Folders on ``PYTHONPATH``.
    """

    arguments: tuple[str, ...]
    reads: Mapping[str, str] = field(default_factory=dict)
    environment: tuple[str, ...] = ()
    program: str = ""
    interpreter: str = ""
    started: str = ""
    files: Mapping[str, str | None] = field(default_factory=dict)
    search: tuple[str, ...] = ()


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
    checkouts
        These versions with the commits of their checkouts, in words.
    drivers
        Distinct listings of the project's packages in these drivers: SHA-256 by file.
    odd_nodes
        Nodes of accepted attempts on which these packages are other ones than in every driver.
    elsewhere
        Files of modules that some process imported from outside its interpreter's own packages.
    prefixes
        Folders of installed packages, beside the interpreter's, that some process imported from.
    start_up
        ``.pth`` files that Python ran at some process's start, and that belong to no installed package.
    search
        ``PYTHONPATH`` and ``PYTHONHOME`` of the processes, where they name other places than the project's.
    interpreters
        SHA-256 of the programs that the processes ran, by path.
    libraries
        Versions of libraries such as NumPy that the processes imported, by name.
    programs
        Programs that supervisors saw run in place of the interpreter that they had started, in words.
    containers
        Images of the attempts' containers, with the options they were started with, by digest, with an empty
        digest for none; empty without any.
    setups
        Accepted instances before which shell lines of the site or campaign file ran (``instance_setup``).
    forked
        Accepted instances that were forked from a process that had imported their framework.
    changed
        Files in which a later session's driver differed from that of the first session.
    commands
        What external commands started, of each document that says it.
    """

    recorded: bool
    missing: int
    listings: tuple[Mapping[str, str | None], ...]
    versions: frozenset[str] = frozenset()
    checkouts: frozenset[str] = frozenset()
    drivers: tuple[Mapping[str, str | None], ...] = ()
    odd_nodes: frozenset[str] = frozenset()
    elsewhere: frozenset[str] = frozenset()
    prefixes: frozenset[str] = frozenset()
    start_up: frozenset[str] = frozenset()
    search: frozenset[str] = frozenset()
    interpreters: Mapping[str, frozenset[str]] = field(default_factory=dict)
    libraries: Mapping[str, frozenset[str]] = field(default_factory=dict)
    programs: frozenset[str] = frozenset()
    containers: Mapping[str, str] = field(default_factory=dict)
    setups: int = 0
    forked: int = 0
    changed: frozenset[str] = frozenset()
    commands: tuple[CommandFacts, ...] = ()


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
