"""What the ledger proves about the code and the environment variables of a campaign's accepted attempts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from db.documents import read_documents
from db.events import EventKind
from db.evidence.accepted import Accepted, ObservationGroup
from db.reader import Reader
from orchestrator.protocol.report import Observed
from orchestrator.rulebooks.provenance import CodeFacts, VariableFacts


@dataclass(frozen=True, slots=True)
class CampaignProvenance:
    """Documents that attempts of a campaign name, and what its sessions recorded.

    Parameters
    ----------
    recorded
        Whether all sessions of accepted attempts recorded their code.
    versions
        Versions of the project whose drivers ran the campaign.
    changed
        Files in which a later session's code differed.
    documents
        Documents by key.
    """

    recorded: bool
    versions: frozenset[str]
    changed: frozenset[str]
    documents: Mapping[str, Any]

    @classmethod
    def read(cls, reader: Reader, campaign: int, found: Iterable[Accepted]) -> Self:
        """Return the provenance of accepted attempts."""
        kinds = [EventKind.CODE_RECORDED, EventKind.CODE_FILES_CHANGED]
        noted = [(one.kind, one.subject, one.data or {}) for one in reader.events(campaign, kinds=kinds)]
        sessions = [(subject, data) for kind, subject, data in noted if kind == EventKind.CODE_RECORDED]
        changes = [data.get("files", ()) for kind, _, data in noted if kind == EventKind.CODE_FILES_CHANGED]
        found = list(found)
        ran_in = {f"session {place[0]}" for accepted in found for place in accepted.runs}
        observed = [
            one for accepted in found for group in accepted.groups for one in processes_of(group.seen)
        ]
        documents = _read(reader, {key for one in observed for key in (one.code, one.variables) if key})
        return cls(
            recorded=bool(sessions) and ran_in <= {subject for subject, _ in sessions},
            versions=frozenset(str(data.get("version")) for _, data in sessions),
            changed=frozenset(file for files in changes for file in files),
            documents=documents,
        )

    def code(self, groups: Sequence[ObservationGroup]) -> CodeFacts:
        """Return what groups of attempts prove about their code."""
        missing, keys = _keys(groups, "code", self.documents)
        return CodeFacts(
            recorded=self.recorded,
            missing=missing,
            listings=tuple(self._listing(key) for key in keys),
            versions=self.versions,
            outside=frozenset(
                place for key in keys for place in self.documents[key].get("outside", {}).values()
            ),
            containers=_containers(groups),
            setups=sum(group.number for group in groups if "instance_setup" in _mapping(group, "hooks")),
            forked=_number_with(groups, "warm"),
            reused=_number_with(groups, "reused"),
            changed=self.changed,
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


def processes_of(seen: Any) -> Iterator[Observed]:
    """Yield the observations of an attempt's processes: of each rank, else of its one process."""
    observed = Observed.from_json(seen)
    yield from observed.ranks or (observed,)


def _number_with(groups: Iterable[ObservationGroup], processes: str) -> int:
    """Return how many attempts had processes of a kind: warm or reused ones."""
    kinds = ((group.number, Observed.from_json(group.seen).facts.get("processes")) for group in groups)
    return sum(number for number, kind in kinds if kind == processes)


def _containers(groups: Iterable[ObservationGroup]) -> dict[str, str]:
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
    found = Observed.from_json(group.seen).facts.get(name)
    return found if isinstance(found, dict) else {}


def _keys(groups: Iterable[ObservationGroup], name: str, known: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return how many attempts have a process without a known key, and the known keys."""
    missing = 0
    keys: dict[str, None] = {}
    for group in groups:
        of_group = {getattr(one, name) for one in processes_of(group.seen)}
        missing += group.number * any(key not in known for key in of_group)
        keys |= dict.fromkeys(sorted(key for key in of_group if key in known))
    return missing, list(keys)


def _read(reader: Reader, keys: set[str]) -> dict[str, Any]:
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
