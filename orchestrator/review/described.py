"""Registered descriptions of external workloads, against the file that each was made of."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from db.column_values import sha256
from db.records import CampaignRow
from db.rows import BenchmarkRow
from orchestrator.catalog.registered_description import facts_of, workload_of
from orchestrator.catalog.registry import describe
from orchestrator.rulebooks import registry
from orchestrator.version import __version__
from workloads import modules
from workloads.description import WorkloadError
from workloads.external.reference import is_file


def description_differences(
    documents: Mapping[str, Any], rows: Sequence[BenchmarkRow], *, same_code: bool
) -> Iterator[str]:
    """Yield where a description, by which a benchmark is judged, is not that of its workload.

    Parameters
    ----------
    documents
        Registered descriptions by benchmark; those of shipped workloads and modules hold no text of a file.
        Those of modules are compared with nothing: a package names what only its maker has installed.
    same_code
        Whether this version registered them: another one may describe the same workload otherwise.
    """
    shipped = modules.names()
    described = functools.cache(_described)  # the points of a sweep have one text
    for row in rows:
        document = documents.get(row.benchmark)
        if row.benchmark not in documents:
            continue
        if document is None:
            yield f"the registered description of {row.benchmark} is not there"
            continue
        if document.get("workload", "").partition("#")[0] != row.workload.partition("#")[0]:
            yield f"{row.benchmark} runs {row.workload}, and is described as {document.get('workload')}"
        known = facts_of(row.workload, describe(row.workload)) if row.workload in shipped else None
        if same_code and known not in (None, document):
            yield f"{row.benchmark} is not described as version {__version__} describes {row.workload}"
        if is_file(row.workload) and "text" not in document:
            yield f"the registered description of {row.benchmark} lacks the text of its workload file"
        if "text" not in document:
            continue
        text, pinned = str(document["text"]), row.workload.partition("#sha256=")[2]
        if sha256(text) != document.get("sha256") or pinned not in ("", sha256(text)):
            yield f"the registered text of {row.benchmark}'s workload is not the file that was pinned"
        elif same_code and described(text, str(document.get("file"))) != document.get("description"):
            yield f"{row.benchmark} is not described as the registered text of its workload says"


def target_differences(
    row: CampaignRow, documents: Mapping[str, Any], rows: Sequence[BenchmarkRow]
) -> Iterator[str]:
    """Yield where a registered quality target is not that of the suite or of the workload."""
    suite = registry.load(row.rulebook).workloads()
    for one in rows:
        if (document := documents.get(one.benchmark)) is None:
            continue
        workload = workload_of(document)
        in_suite = suite.get(registry.workload_name(one.workload, workload))
        target = (in_suite.target if in_suite else None) or workload.own_target
        wanted = (target.metric, target.at_least) if target else (None, None)
        if (found := (one.quality_metric, one.quality_target)) != wanted:
            yield f"{one.benchmark} is registered with target {_words(found)}, and its is {_words(wanted)}"


def _words(target: tuple[str | None, float | None]) -> str:
    return " ≥ ".join(str(one) for one in target if one is not None) or "none"


def _described(text: str, file: str) -> Any:
    """Return the description that a text gives; None where it gives none."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, Path(file).name or "workload.yaml")
        copy.write_text(text, encoding="utf-8")
        try:
            return facts_of(str(copy), describe(str(copy)))["description"]
        except (WorkloadError, OSError):
            return None
