"""Packages of simulated campaigns, and ways to change them as an attacker would: all hashes computed anew."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from db.column_values import sha256
from orchestrator.review.container import MANIFEST, SIGNATURE, new_package
from orchestrator.review.crate import METADATA
from orchestrator.review.packaging import Packaged, package
from orchestrator.review.texts import FACTS, crate_text
from orchestrator.review.verification import Review, verify
from tests.orchestrator.simulation.journals import RepeatedReports
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

Members = dict[str, bytes]


def simulated(folder: Path, *, crash_at: int | None = None, instances: int = 12) -> str:
    """Run toys under the rulebook `none`, with failures, and return their ledger's URL."""
    benchmark = {"workload": "tests.toys.behave", "timeout": "1 h", "instances": instances}
    return simulated_campaign(folder, [benchmark], rulebook="none", crash_at=crash_at)


def simulated_campaign(
    folder: Path,
    benchmarks: Sequence[dict[str, Any]],
    *,
    rulebook: str,
    crash_at: int | None = None,
    site_text: bool = False,
    stated: Mapping[str, Any] | None = None,
) -> str:
    """Run a campaign on a simulated machine, its driver killed at a write, and return its ledger's URL.

    With `site_text` the ledger has the text of its site, by which workloads of the project are planned again.
    `stated` has further keys of the campaign's file.
    """
    settings: dict[str, Any] = {"rulebook": rulebook, "retries": {"benchmark": 9, "infrastructure": 9}}
    plan = made_plan(*benchmarks, slots=4, **settings)
    toy = SimulatedCampaign(folder, plan, RepeatedReports(seed=7, failures=0.2, duplicates=0.2))
    text = json.dumps({"campaign": "toy", "benchmarks": [*benchmarks], **settings, **(stated or {})})
    site = plan.site.model_dump_json(exclude_unset=True) if site_text else ""
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as connection, connection:
        connection.execute(
            "UPDATE campaigns SET campaign_yaml = ?, campaign_sha256 = ?, site_yaml = ?, site_sha256 = ?",
            (text, sha256(text), site, sha256(site)),
        )
    if crash_at is not None:
        toy.book.crash_at = {crash_at: True}
    while toy.run() == "aborted":
        assert len(toy.outcomes) < 5
    toy.check()
    toy.close()
    return str(folder / "ledger.sqlite")


def packaged(url: str, to: Path, **options: object) -> Packaged:
    return package(["toy"], to, ledger=url, **options)  # type: ignore[arg-type]


def members(file: Path) -> Members:
    """Return the files of a package; its folders have no content."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def repacked(file: Path, to: Path, change: Callable[[Members], object]) -> Path:
    """Write a package with changed members and every hash computed anew, as an attacker would."""
    content = members(file)
    change(content)
    content.pop(SIGNATURE, None)
    content.pop(MANIFEST)
    rows = json.loads(content["rows/manifest.json"])
    for facts in rows["tables"].values():
        table = content[f"rows/{facts['file']}"]
        number = len(list(csv.reader(io.StringIO(table.decode(errors="replace"), newline="")))) - 1
        facts |= {"sha256": hashlib.sha256(table).hexdigest(), "bytes": len(table), "rows": number}
    content["rows/manifest.json"] = (json.dumps(rows, indent=2) + "\n").encode()
    described = content.pop(METADATA, None) is not None
    with new_package(to, lambda _: None) as writer:
        for name, value in content.items():
            writer.add(name, value)
        if described and b'"ended_us"' in content.get(FACTS, b""):
            writer.add(METADATA, crate_text(writer.sizes, writer.digests, json.loads(content[FACTS])))
        writer.add_unlisted(MANIFEST, writer.manifest())
    return to


def edited(table: bytes, edit: Callable[[dict[str, str]], object]) -> bytes:
    """Return a CSV table whose rows were edited; a row for which `edit` returns False is removed."""
    rows = csv.DictReader(io.StringIO(table.decode(), newline=""))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, rows.fieldnames or [], lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        if edit(row) is not False:
            writer.writerow(row)
    return out.getvalue().encode()


def journals(content: Members) -> list[str]:
    return sorted(name for name in content if "/journals/" in name)


def findings(file: Path) -> list[str]:
    found: Review = verify(file)
    return found.findings


def verified_alone(file: Path, *absent: str) -> str:
    """Return findings, and loaded modules of databases, of a process that has not all packages."""
    databases = ["sqlalchemy", "sqlite3", "alembic", "psycopg"]
    code = (
        "import sys; from pathlib import Path; from orchestrator.listing import recomputing\n"
        f"sys.modules |= dict.fromkeys({list(absent)})\n"
        "from orchestrator.review.verification import verify\n"
        f"print(verify(Path(sys.argv[1])).findings, sorted(sys.modules.keys() & {databases}))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True)
    assert (done.stderr, done.returncode) == ("", 0)
    return done.stdout
