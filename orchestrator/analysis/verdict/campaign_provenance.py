"""Facts that the ledger proves about code and environment variables of accepted attempts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from db.documents import read_documents
from db.events import EventKind
from db.evidence.accepted import Accepted, ObservationGroup
from db.plain import RowReader
from db.queries.node_descriptions import NodeDescription
from orchestrator.protocol.report import OTHER_PROGRAM, Observed
from orchestrator.rulebooks.provenance import CodeFacts, CommandFacts, VariableFacts


@dataclass(frozen=True, slots=True)
class CampaignProvenance:
    """Documents that attempts of a campaign name, and what its sessions recorded.

    Parameters
    ----------
    recorded
        Whether all sessions of accepted attempts recorded their code.
    versions, checkouts
        Versions of the project whose drivers ran the campaign; the same with the commits of their checkouts.
    drivers
        Distinct listings of the project's packages in these drivers.
    odd_nodes
        Nodes whose packages of the project are those of no driver.
    changed
        Files in which a later session's code differed.
    documents
        Documents by key.
    """

    recorded: bool
    versions: frozenset[str]
    changed: frozenset[str]
    documents: Mapping[str, Any]
    checkouts: frozenset[str] = frozenset()
    drivers: tuple[Mapping[str, str | None], ...] = ()
    odd_nodes: frozenset[str] = frozenset()

    @classmethod
    def read(
        cls,
        reader: RowReader,
        campaign_id: int,
        found: Iterable[Accepted],
        described: tuple[Sequence[NodeDescription], Mapping[str, Any]] = ((), {}),
    ) -> Self:
        """Return the provenance of accepted attempts.

        Parameters
        ----------
        described
            Described nodes of the campaign, and their descriptions by key.
        """
        kinds = [EventKind.CODE_RECORDED, EventKind.CODE_FILES_CHANGED]
        noted = [(one.kind, one.subject, one.data or {}) for one in reader.events(campaign_id, kinds=kinds)]
        sessions = [(subject, data) for kind, subject, data in noted if kind == EventKind.CODE_RECORDED]
        changes = [data.get("files", ()) for kind, _, data in noted if kind == EventKind.CODE_FILES_CHANGED]
        found = list(found)
        ran_in = {f"session {place[0]}" for accepted in found for place in accepted.runs}
        observed = [
            one for accepted in found for group in accepted.groups for one in processes_of(group.observed)
        ]
        documents = _read(reader, {key for one in observed for key in (one.code, one.variables) if key})
        return cls(
            recorded=bool(sessions) and ran_in <= {subject for subject, _ in sessions},
            versions=frozenset(str(data.get("version")) for _, data in sessions),
            changed=frozenset(file for files in changes for file in files),
            documents=documents,
            checkouts=frozenset(_checkout(data) for _, data in sessions),
            drivers=_drivers(reader, [data for _, data in sessions]),
            odd_nodes=_odd_nodes([data.get("packages", {}) for _, data in sessions], *described),
        )

    def code(self, groups: Sequence[ObservationGroup]) -> CodeFacts:
        """Return what groups of attempts prove about their code."""
        missing, keys = _keys(groups, "code", self.documents)
        ran = [self.documents[key] for key in keys]
        return CodeFacts(
            recorded=self.recorded,
            missing=missing,
            listings=tuple(self._listing(key) for key in keys),
            versions=self.versions,
            checkouts=self.checkouts,
            drivers=self.drivers,
            odd_nodes=self.odd_nodes,
            elsewhere=frozenset(file for one in ran for file in one.get("elsewhere", ())),
            prefixes=frozenset(folder for one in ran for folder in one.get("prefixes", ())),
            start_up=frozenset(file for one in ran for file in one.get("start_up", ())),
            search=frozenset(
                f"{name}={value}" for one in ran for name, value in one.get("search", {}).items()
            ),
            interpreters=_interpreters(ran),
            libraries=_libraries(ran),
            programs=frozenset(
                str(one.facts[OTHER_PROGRAM])
                for group in groups
                for one in processes_of(group.observed)
                if one.facts.get(OTHER_PROGRAM)
            ),
            containers=container_images(groups),
            setups=sum(group.number for group in groups if "instance_setup" in _mapping(group, "hooks")),
            forked=_forked(groups),
            changed=self.changed,
            commands=tuple(_command(one) for one in ran if "command" in one),
        )

    def variables(self, groups: Sequence[ObservationGroup]) -> VariableFacts:
        """Return what groups of attempts prove about their environment variables."""
        missing, keys = _keys(groups, "variables", self.documents)
        return VariableFacts(
            recorded=self.recorded,
            missing=missing,
            sets=tuple(self.documents[key]["variables"] for key in keys),
        )

    def _listing(self, key: str) -> dict[str, str | None]:
        """Return all files of a process; those that were imported from elsewhere replace a package's own."""
        code = self.documents[key]
        files: dict[str, str | None] = {}
        for package in code["packages"].values():
            files |= self.documents[package]["files"]
        files |= code["files"]
        return files


def _command(code: Mapping[str, Any]) -> CommandFacts:
    """Return what the command of a process started, by the document of its code."""
    known = code["command"]
    return CommandFacts(
        arguments=tuple(known["arguments"]),
        reads=known.get("reads", {}),
        environment=tuple(known["environment"]),
        program=known["program"],
        interpreter=code["interpreter"]["path"],
        started=known["started"],
        files=known["files"],
        search=tuple(filter(None, code.get("search", {}).get("PYTHONPATH", "").split(":"))),
    )


def _checkout(session: Mapping[str, Any]) -> str:
    """Return version, commit and state of a driver's checkout in words."""
    commit = session.get("commit")
    changes = " with changes" if session.get("modified") else ""
    return f"version {session.get('version')}" + (f", commit {commit[:12]}{changes}" if commit else "")


def _drivers(
    reader: RowReader, sessions: Sequence[Mapping[str, Any]]
) -> tuple[Mapping[str, str | None], ...]:
    """Return the distinct listings of the project's packages in the drivers of sessions.

    A driver of which the ledger lacks a listing has an empty one, which no release has.
    """
    packages = {tuple(sorted(one.get("packages", {}).items())) for one in sessions}
    keys = {key for one in packages for _, key in one}
    documents = read_documents(reader, keys) if keys else {}
    found = []
    for one in sorted(packages):
        listing: dict[str, str | None] = {}
        for _, key in one:
            listing |= documents.get(key, {}).get("files", {})
        found.append(listing)
    return tuple(found)


def _interpreters(codes: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """Return the SHA-256 of the programs that processes ran, by path."""
    found: dict[str, set[str]] = {}
    for one in codes:
        if program := one.get("interpreter"):
            found.setdefault(program["path"], set()).add(program["sha256"])
    return {path: frozenset(digests) for path, digests in found.items()}


def _libraries(codes: Iterable[Mapping[str, Any]]) -> dict[str, frozenset[str]]:
    """Return the versions of the libraries that processes imported, by name."""
    found: dict[str, set[str]] = {}
    for one in codes:
        for name, version in one.get("versions", {}).items():
            found.setdefault(name, set()).add(version)
    return {name: frozenset(found[name]) for name in sorted(found)}


def _odd_nodes(
    drivers: Sequence[Mapping[str, str]], described: Sequence[NodeDescription], facts: Mapping[str, Any]
) -> frozenset[str]:
    """Return the described nodes whose packages of the project are those of no driver."""
    return frozenset(
        one.node
        for one in described
        if one.document in facts and facts[one.document].get("project") not in (None, *drivers)
    )


def processes_of(observation: Any) -> Iterator[Observed]:
    """Yield the observations of an attempt's processes: of each rank, else of its one process."""
    observed = Observed.from_json(observation)
    yield from observed.ranks or (observed,)


def _forked(groups: Iterable[ObservationGroup]) -> int:
    """Return how many attempts had warm processes."""
    kinds = ((group.number, Observed.from_json(group.observed).facts.get("processes")) for group in groups)
    return sum(number for number, kind in kinds if kind == "warm")


def container_images(groups: Iterable[ObservationGroup]) -> dict[str, str]:
    """Return the images of attempts, with options, by digest; an empty one stands for no container.

    Nothing is returned where no attempt ran in one.
    """
    images: dict[str, dict[str, None]] = {}
    for one in (_mapping(group, "container") for group in groups):
        options = f" with {one['options']}" if one.get("options") else ""
        images.setdefault(str(one.get("digest", "")), {})[f"{one.get('image', '')}{options}"] = None
    return {digest: " and ".join(sorted(found)) for digest, found in images.items()} if any(images) else {}


def _mapping(group: ObservationGroup, name: str) -> Mapping[str, Any]:
    """Return a mapping that the supervisor of attempts observed; empty where it did not."""
    found = Observed.from_json(group.observed).facts.get(name)
    return found if isinstance(found, dict) else {}


def _keys(groups: Iterable[ObservationGroup], name: str, known: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return how many attempts have a process without a known key, and the known keys."""
    missing = 0
    keys: dict[str, None] = {}
    for group in groups:
        of_group = {getattr(one, name) for one in processes_of(group.observed)}
        missing += group.number * any(key not in known for key in of_group)
        keys |= dict.fromkeys(sorted(key for key in of_group if key in known))
    return missing, list(keys)


def _read(reader: RowReader, keys: set[str]) -> dict[str, Any]:
    """Return documents with those that they name in turn, as far as the ledger has them all."""
    if not keys:
        return {}
    documents = read_documents(reader, keys)
    packages = {key for one in documents.values() for key in one.get("packages", {}).values()}
    listings = read_documents(reader, packages) if packages else {}
    complete = {
        key: one
        for key, one in documents.items()
        if all(k in listings for k in one.get("packages", {}).values())
    }
    return complete | listings
