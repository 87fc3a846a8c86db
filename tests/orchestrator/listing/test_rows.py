"""A row is what its package gives, and a row that states something else is named."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

from orchestrator.listing.recomputing import recompute
from orchestrator.listing.rows import read_row, row_differences
from orchestrator.review.container import MANIFEST
from tests.harness import ROOT
from tests.orchestrator.listing.conftest import Packages
from tests.orchestrator.listing.made_lists import ROW
from tests.orchestrator.review.packages import repacked
from tests.requirements import needs_command


def test_a_row_has_the_facts_of_its_package(packages: Packages) -> None:
    row, findings = read_row(packages.first)
    assert findings == []
    assert row is not None
    with zipfile.ZipFile(packages.first) as archive:
        manifest = archive.read(MANIFEST)
        facts = json.loads(archive.read("package.json"))
    assert row.root == hashlib.sha256(manifest).hexdigest()
    assert (row.campaigns, row.rulebook, row.run_class) == (("toy",), "none", "ensemble")
    assert row.workloads == ("tests.toys.behave",)
    assert (row.figures, row.reportable, row.signature) == ((), None, "")
    assert row.ended_us == facts["ended_us"]
    assert row.bytes == packages.first.stat().st_size
    again = read_row(packages.again)[0]
    assert again is not None
    assert (again.uids, again.rulebook_files) == (row.uids, row.rulebook_files)
    assert again.root != row.root


def test_a_package_that_does_not_verify_has_no_row(packages: Packages, tmp_path: Path) -> None:
    def change(content: dict[str, bytes]) -> None:
        content["package.json"] = b'{"format": 99}'

    row, findings = read_row(repacked(packages.first, tmp_path / "newer.zip", change))
    assert row is None
    assert "it is of format 99" in findings[0]
    (tmp_path / "text.zip").write_text("text")
    row, findings = read_row(tmp_path / "text.zip")
    assert row is None
    assert "is no package" in findings[0]


def test_a_stated_row_is_compared_key_by_key() -> None:
    found = ROW.to_dict()
    assert list(row_differences(found, found)) == []
    better = found | {"figures": [found["figures"][0] | {"value": 3.0}], "more": 1}
    first, second = row_differences(better, found)
    assert first.startswith("figures: the list states [")
    assert second == "more: the list states 1, the package gives null"
    assert list(row_differences(found, found | {"signature": None})) == []  # could not be checked
    assert len(list(row_differences(found, found | {"signature": "ED25519 key"}))) == 1
    near = found | {"figures": [found["figures"][0] | {"value": 2.0 * (1 + 1e-12)}]}
    assert list(row_differences(near, found)) == []


def test_a_browser_gets_findings_as_json(packages: Packages) -> None:
    row, _ = read_row(packages.first)
    assert row is not None
    stated = row.to_dict()
    assert json.loads(recompute(str(packages.first), json.dumps(stated))) == []
    [finding] = json.loads(recompute(str(packages.first), json.dumps(stated | {"machine": "summit"})))
    assert finding.startswith('machine: the list states "summit"')


def test_recomputing_needs_no_package_that_a_browser_lacks(packages: Packages) -> None:
    row, _ = read_row(packages.first)
    assert row is not None
    absent = (
        "sys.modules |= dict.fromkeys(('psutil', 'numpy', 'pandas', 'alembic', 'jinja2', 'parsl', 'zmq'))"
    )
    code = f"import sys; {absent}; from orchestrator.listing.recomputing import recompute"
    words = [sys.executable, "-c", f"{code}; print(recompute(*sys.argv[1:]))"]
    stated = [str(packages.first), json.dumps(row.to_dict())]
    ended = subprocess.run([*words, *stated], cwd=ROOT, capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout) == []


def test_a_signature_is_named_by_its_key(packages: Packages, tmp_path: Path) -> None:
    needs_command("ssh-keygen", "openssh-client")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    signed = signed_copy(packages.first, tmp_path / "signed.zip", key)
    (tmp_path / "signers").write_text(f"ada {key.with_suffix('.pub').read_text()}")
    for signers in (None, tmp_path / "signers"):
        row, findings = read_row(signed, signers=signers)
        assert findings == []
        assert row is not None
        assert row.signature is not None
        assert row.signature.startswith("ED25519 key SHA256:")
    assert read_row(packages.first, signers=tmp_path / "signers")[0] is None


def signed_copy(file: Path, to: Path, key: Path) -> Path:
    """Write a package anew, with a signature."""
    from orchestrator.review.container import SIGNATURE, new_package
    from orchestrator.review.signature import sign
    from tests.orchestrator.review.packages import members

    content = members(file)
    manifest = content.pop(MANIFEST)
    with new_package(to, lambda _: None) as writer:
        for name, value in content.items():
            writer.add(name, value)
        writer.add_unlisted(MANIFEST, manifest)
        writer.add_unlisted(SIGNATURE, sign(manifest, key))
    return to
