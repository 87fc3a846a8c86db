"""How to run a package's campaigns again: `REPRODUCE.md`, and the lists of installed packages."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from db.documents import campaign_documents
from db.events import EventKind
from db.plain import RowReader
from db.records import CampaignRow
from orchestrator.analysis.verdict.campaign_provenance import container_images
from orchestrator.analysis.verdict.fom import Judged
from orchestrator.planning.campaign_file import benchmark_names
from orchestrator.wording import count_of
from sites import FileError
from sites.files import parse_mapping
from workloads.external.reference import is_file

INSTRUCTIONS = "REPRODUCE.md"
_PROJECT = "ensemble-throughput-orchestrator"
_HEAD = """\
# How to run these campaigns again

Commands start in the unpacked package. `project/` has the sources of this project as these campaigns ran
them, and `campaigns/NAME/code/` all others that attempts recorded; `campaigns/NAME/sources.json` names those
that are absent, and why. Data are not in the package: `verdict.json` has their paths and hashes (key `data`).
"""


def package_lists(documents: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the distinct lists of packages that a campaign's nodes had installed, by file name."""
    lists = {
        "\n".join(document["packages"]["list"]): None
        for document in documents.values()
        if "cpu" in document and "list" in document.get("packages", {})
    }
    names = ["requirements.txt", *(f"requirements-{number}.txt" for number in range(2, len(lists) + 1))]
    return {name: _requirements(text) for name, text in zip(names, lists, strict=False)}


def build_texts(documents: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the files that a campaign's images were built from, as registered, by name in its folder."""
    found = [document for document in documents.values() if document.keys() >= {"build_file", "text"}]
    return {
        f"containers/{number}-{Path(document['build_file']).name}": document["text"].encode()
        for number, document in enumerate(found, 1)
    }


def _requirements(text: str) -> bytes:
    """Return a file for pip; this project is not in an index, and a package without a name is broken."""
    lines = (f"# {line}" if line.startswith((_PROJECT, "None==")) else line for line in text.split("\n"))
    return "".join(f"{line}\n" for line in lines).encode()


def instructions(reader: RowReader, rows: Sequence[CampaignRow], judged: Judged) -> bytes:
    """Return the text of `REPRODUCE.md`.

    Parameters
    ----------
    judged
        The verdict on these campaigns, which knows the containers of their attempts.
    """
    return "\n".join([_HEAD, *(_campaign(reader, row, judged) for row in rows)]).encode()


def _campaign(reader: RowReader, row: CampaignRow, judged: Judged) -> str:
    documents = campaign_documents(reader, row.campaign_id)
    place = f"campaigns/{row.name}"
    facts = [f"site: {row.site_name}", f"rulebook: {row.rulebook}", *_drivers(reader, row)]
    pythons = {one["python"].get("version") for one in documents.values() if "python" in one and "cpu" in one}
    facts += [f"Python of the trainings: {version}" for version in sorted(filter(None, pythons))]
    facts += [f"container: {text}" for text in _containers(row, judged)]
    facts += [f"built from: `{place}/{name}`" for name in build_texts(documents)]
    lists = [*package_lists(documents)]
    if len(lists) > 1:
        facts.append(f"{count_of(len(lists), 'list')} of packages, as its nodes differ: {', '.join(lists)}")
    commands = ["python3 -m venv env", ". env/bin/activate"]
    commands += [f"pip install --requirement {place}/{lists[0]}"] if lists else []
    commands += [
        f"pip install --no-deps FOLDER   # {_PROJECT} of the version above",
        """cp -R project/. "$(python -c 'import db; print(db.__path__[0])')/..\"""",
        f"mkdir -p {place}/code && cd {place}/code",
        f"orchestrator launch ../campaign.yaml --site ../site.yaml{_files(row)}",
        f"orchestrator fom {row.name} --rules",
    ]
    return "\n".join(
        [f"## {row.name}\n", *(f"- {fact}" for fact in facts), "", "```sh", *commands, "```", ""]
    )


def _drivers(reader: RowReader, row: CampaignRow) -> Iterator[str]:
    """Yield the versions and commits of the project that drove a campaign, each once."""
    kinds = [EventKind.CODE_RECORDED]
    drivers = dict.fromkeys(
        (facts.get("version"), facts.get("commit"), facts.get("modified"))
        for facts in (event.data or {} for event in reader.events(row.campaign_id, kinds=kinds))
    )
    for version, commit, modified in drivers:
        changed = " with changes" if modified else ""
        yield f"{_PROJECT}: version {version}" + (f", commit {commit}{changed}" if commit else "")


def _containers(row: CampaignRow, judged: Judged) -> list[str]:
    groups = [
        group
        for benchmark in judged.judged
        if benchmark.campaign.campaign_id == row.campaign_id
        for group in benchmark.gathered.accepted.groups
    ]
    images = container_images(groups)
    return [f"{image}, {digest}" if digest else "none" for digest, image in sorted(images.items())]


def _files(row: CampaignRow) -> str:
    """Return the options that name workload files where the package has them."""
    try:
        data = parse_mapping(row.campaign_yaml, "campaign")
        written = [str(one.get("workload", "")).partition("#")[0] for one in data["benchmarks"]]
        named = zip(benchmark_names(data), written, strict=True)
    except (FileError, KeyError, TypeError, ValueError, AttributeError):
        return ""
    return "".join(
        f" \\\n    --set {name}.workload={shlex.quote(Path(file).name)}"
        for name, file in named
        if is_file(file)
    )
