"""Nodes that a campaign never uses: the value of ``--exclude``, and the ledger's record of it."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from db.events import EventKind
from db.ledger import Ledger
from db.reader import Reader
from db.records import CampaignRow, NewEvent
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.driver_process.identity import this_user
from orchestrator.planning.plan import Plan
from orchestrator.rundir.layout import RunDirectory
from orchestrator.rundir.signal_files import same_node, write_exclude_list

_log = logging.getLogger(__name__)
MOST_NODES = 10_000
_MOST_BYTES = 4 << 20
_NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ExcludeList:
    """Nodes to leave out, and where they are from.

    Parameters
    ----------
    nodes
        Their names, each once.
    source
        Absolute path of the file; empty where the command line names them.
    reason
        First comment of the file; empty without one.
    """

    nodes: tuple[str, ...]
    source: str = ""
    reason: str = ""

    def __str__(self) -> str:
        named = ", ".join(self.nodes[:_SHOWN]) + (", …" if len(self.nodes) > _SHOWN else "")
        many = f"{len(self.nodes):,} node{'s'[: len(self.nodes) != 1]}" + (f" ({named})" if named else "")
        why = "; ".join(one for one in (self.source, self.reason) if one)
        return f"{many} excluded by --exclude{f': {why}' if why else ''}"


def exclude_list(given: str, option: str = "--exclude") -> ExcludeList:
    """Return the nodes that a file, or names with commas between them, exclude.

    A file has a node a line; ``#`` begins a comment. One of comments alone excludes none.

    Parameters
    ----------
    option
        Where the user gave it, for errors.

    Raises
    ------
    CampaignError
        If there is no such file, it is empty or no such text, or a name is no name of a node.
    """
    try:
        is_file = Path(given).is_file()
    except (OSError, ValueError):  # as of a long list of names
        is_file = False
    if is_file:
        return _of_file(Path(given), option)
    if "/" in given or Path(given).suffix in (".txt", ".lst", ".list", ".yaml", ".yml"):
        raise CampaignError(f"{option} {given}: no such file; write one node a line, or n1,n2")
    names = [one.strip() for one in given.split(",")]
    return ExcludeList(_checked([(option, one) for one in names]))


def _of_file(file: Path, option: str) -> ExcludeList:
    where = f"{option} {file}"
    try:
        size = file.stat().st_size
        if size > _MOST_BYTES:
            raise CampaignError(f"{where}: {size:,} bytes; a list of nodes has at most {_MOST_BYTES:,}")
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise CampaignError(f"{where}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise CampaignError(f"{where}: no UTF-8 text; write one node a line") from None
    if not text.strip():
        raise CampaignError(f"{where}: empty; write one node a line, or a comment (#) to exclude none")
    lines = [line.partition("#") for line in text.removeprefix("\ufeff").splitlines()]
    named = [
        (f"{where}: line {number}", one.strip())
        for number, (part, _, _) in enumerate(lines, 1)
        for one in ([part] if part.strip() else [])
    ]
    comments = (comment.strip() for part, _, comment in lines if not part.strip())
    reason = next(filter(None, comments), "")
    return ExcludeList(_checked(named), str(file.absolute()), reason[:200])


def _checked(named: list[tuple[str, str]]) -> tuple[str, ...]:
    """Return names, each once; every one has the place where it is written."""
    for where, name in named:
        if not _NODE.fullmatch(name):
            shown = ascii(name[:60])
            advice = "names of nodes have letters, digits, dots, hyphens and underscores"
            if "[" in name:
                advice = "write each node of a range by its name"
            raise CampaignError(f"{where}: {shown} is no name of a node; {advice}")
    names = tuple(dict.fromkeys(name for _, name in named))
    if len(names) > MOST_NODES:
        where = named[0][0].partition(": line")[0]
        raise CampaignError(f"{where}: {len(names):,} nodes; at most {MOST_NODES:,} can be excluded")
    return names


def checked_list(given: str | None, plan: Plan) -> ExcludeList | None:
    """Return the value of ``--exclude`` for a plan; None where it is not given. Raises `CampaignError`."""
    if given is None:
        return None
    excluded = exclude_list(given)
    check_exclude_list(excluded, plan)
    return excluded


def check_exclude_list(excluded: ExcludeList, plan: Plan, host: str | None = None) -> None:
    """Refuse to exclude nodes of a site that has one, and warn where too few others are left.

    Parameters
    ----------
    host
        Where the driver runs; None: here.

    Raises
    ------
    CampaignError
        If the site has no batch system, or a node is the driver's own machine.
    """
    if plan.site.local and excluded.nodes:
        raise CampaignError(
            f"--exclude: site {plan.site.site} runs on this machine alone, which no other node replaces; "
            "leave it out"
        )
    here = host or socket.gethostname()
    if plan.site.local_pools and (own := next((one for one in excluded.nodes if same_node(one, here)), None)):
        pool = plan.site.local_pools[0]
        raise CampaignError(
            f"{own} is the driver's own machine, pool {pool}, which no other node replaces; leave it out: "
            f"`node pause NAME {pool}` or --set site.pools.{pool}.removed=true keeps instances off it"
        )
    for stage in plan.stages:
        total, size = stage.site.nodes, stage.nodes_per_block
        if total is None or not excluded.nodes or total - len(excluded.nodes) >= stage.blocks * size:
            continue
        left = max(0, total - len(excluded.nodes))
        whose = f"pool {stage.site.pool}, if all are its own" if stage.site.pool else f"site {plan.site.site}"
        place = f"site.pools.{stage.site.pool}" if stage.site.pool else "site"
        fits = f"; --set {place}.scheduler.max_blocks={left // size} fits" if left >= size else ""
        _log.warning(
            "%d nodes are excluded of the %d of %s, and %d block(s) of %d need more than are left%s",
            len(excluded.nodes), total, whose, stage.blocks, size, fits,
        )  # fmt: skip


def exclude_list_events(excluded: ExcludeList | None, session: int | None = None) -> list[NewEvent]:
    """Return the event that says which nodes a campaign leaves out, by whom and why; none for no list."""
    if excluded is None:
        return []
    facts = {
        "nodes": list(excluded.nodes),
        "source": excluded.source,
        "reason": excluded.reason,
        "by": this_user(),
    }
    subject = "" if session is None else f"session {session}"
    _log.info("%s", excluded)
    return [NewEvent(EventKind.EXCLUDE_LIST, str(excluded), subject, facts)]


def note_exclude_list(
    book: Ledger, row: CampaignRow, excluded: ExcludeList | None, session: int | None = None
) -> None:
    """Record which nodes a campaign leaves out from now on; nothing for no list."""
    for one in exclude_list_events(excluded, session):
        book.note(row.campaign_id, one.kind, one.message, subject=one.subject, data=one.data)


def excluded_nodes(reader: Reader, campaign_id: int) -> tuple[str, ...]:
    """Return the nodes that a campaign leaves out: those of its latest list."""
    data: Mapping[str, Any] | None = None
    for event in reader.events(campaign_id, kinds=[EventKind.EXCLUDE_LIST]):
        data = event.data
    return tuple(str(one) for one in (data or {}).get("nodes", ()))


def with_exclude_list(reader: Reader, row: CampaignRow, plan: Plan, session: int) -> Plan:
    """Return a plan without the nodes that its campaign leaves out, and list these where workers look.

    Raises
    ------
    CampaignError
        If the list cannot be written.
    """
    nodes = excluded_nodes(reader, row.campaign_id)
    if not nodes:
        return plan
    directory = RunDirectory(Path(row.run_directory))
    try:
        write_exclude_list(directory, session, nodes)
    except OSError as error:
        raise CampaignError(
            f"{directory.excluded_nodes(session)}: cannot be written: {error.strerror}"
        ) from None
    return without_nodes(plan, nodes)


def without_nodes(plan: Plan, nodes: tuple[str, ...]) -> Plan:
    """Return a plan whose stages never use some nodes."""
    known = len({*plan.site.scheduler_types} - {"local"}) == 1
    first, retried = (
        tuple(replace(one, excluded=nodes, excluded_are_known=known) for one in stages)
        for stages in (plan.stages, plan.retry_stages)
    )
    return replace(plan, stages=first, retry_stages=retried)
