"""Adds to a package the sources that still have the hash that attempts recorded, and no others."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from db.documents import campaign_documents
from db.plain import RowReader
from db.records import CampaignRow
from orchestrator.review.container import PackageWriter
from orchestrator.review.readable import as_json
from orchestrator.review.secrets import holds_secret, signs_of_secrets
from orchestrator.review.sources.recorded import (
    NO_TEXT,
    PROJECT,
    Listing,
    Source,
    absent_line,
    code_folder,
    is_source,
    listing_name,
    recorded_sources,
    registered_folders,
)
from orchestrator.version import PACKAGES
from workloads.provenance.code import file_digest

_LARGEST_BYTES = 1 << 20
_MOST_BYTES = 64 << 20
_TOO_LARGE = f"larger than {_LARGEST_BYTES >> 20} MiB"
_NO_SPACE = f"over the limit of {_MOST_BYTES >> 20} MiB for all sources"


def add_sources(package: PackageWriter, reader: RowReader, row: CampaignRow) -> Iterator[str]:
    """Add a campaign's sources and their listing; yields lines about signs of secrets and absent sources."""
    documents = campaign_documents(reader, row.campaign_id)
    roots = _roots(row, documents)
    used = registered_folders(documents)
    files: dict[str, str] = {}
    absent: dict[Source, str] = {}
    sources = recorded_sources(documents)
    for source in sources:
        path = _path(source, roots)
        content = path if isinstance(path, str) else _content(path, source)
        if isinstance(path, str) or isinstance(content, str):
            absent[source] = str(content)
            continue
        if not source.name.startswith("/"):
            used.append(_root(path, source))
        member = _member(row, source, path, used)
        if problem := _refused(package, member, source, len(content)):
            absent[source] = problem
            continue
        if member not in package.digests:
            package.add(member, content)
            for sign in () if source.of_project else signs_of_secrets(content):
                yield f"{member} may hold a secret ({sign}): look before you hand the package on"
        if not source.of_project:
            files[source.name] = member
    listing = Listing(files, absent)
    package.add(listing_name(row), as_json(listing.data()))
    yield from filter(None, [absent_line(row, listing, len(sources))])


def _roots(row: CampaignRow, documents: Mapping[str, Any]) -> list[Path]:
    """Return the folders below which sources may be: the hash decides which of them has a source."""
    specs = [find_spec(name) for name in PACKAGES]
    own = [Path(place).parent for spec in specs if spec for place in spec.submodule_search_locations or ()]
    run = Path(row.run_directory)
    searched = [Path(place) for place in sys.path if place]
    return list(dict.fromkeys([*own, *registered_folders(documents), Path.cwd(), *run.parents, *searched]))


def _path(source: Source, roots: Sequence[Path]) -> Path | str:
    """Return where the content of a source is, or why it is absent."""
    if source.sha256 is None:
        return "changed or unreadable while it ran"
    if not source.of_project and holds_secret(PurePosixPath(source.name).name):
        return "a secret by its name"  # such as the file of a command's option --token-file
    places = [place for root in roots if _is_file(place := root / source.name)]
    path = next((place for place in places if file_digest(place) == source.sha256), None)
    return path or ("changed since it ran" if places else "not found where it was packaged")


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # below a folder of another user
        return False


def _content(path: Path, source: Source) -> bytes | str:
    if path.stat().st_size > _LARGEST_BYTES:
        return _TOO_LARGE
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != source.sha256:
        return "changed since it ran"
    try:
        return NO_TEXT if "\0" in content.decode() else content
    except UnicodeDecodeError:
        return NO_TEXT


def _root(path: Path, source: Source) -> Path:
    return path.parents[len(PurePosixPath(source.name).parts) - 1]


def _member(row: CampaignRow, source: Source, path: Path, used: Sequence[Path]) -> str:
    """Return the member of a source, below the folder that a campaign's other sources were imported from."""
    if source.of_project:
        return f"{PROJECT}/{source.name}"
    inside = [root for root in used if path.is_relative_to(root)]
    root = max(inside, key=lambda one: len(one.parts), default=None)
    below = f"elsewhere{path.as_posix()}" if root is None else path.relative_to(root).as_posix()
    return code_folder(row) + below


def _refused(package: PackageWriter, member: str, source: Source, size: int) -> str | None:
    """Return why a source cannot be a member; None if it can be, or is one."""
    if (known := package.digests.get(member)) is not None:
        return None if known == source.sha256 else "another source has its place in the package"
    if ".." in PurePosixPath(member).parts or not member.isprintable() or "\\" in member:
        return "its name cannot be that of a member"
    taken = sum(bytes_ for name, bytes_ in package.sizes.items() if is_source(name))
    return _NO_SPACE if taken + size > _MOST_BYTES else None
