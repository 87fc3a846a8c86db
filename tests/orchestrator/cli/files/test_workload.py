"""Files of external programs that are copied to be completed."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from orchestrator.cli import app
from workloads.external import shipped


def test_a_file_is_copied_once_and_a_misspelt_name_gets_a_hint(tmp_path: Path) -> None:
    file = tmp_path / "cam.yaml"
    done = CliRunner().invoke(app, ["workload", "copy", "deepcam", str(file), "--json"])
    assert json.loads(done.stdout) == {"workload": "deepcam", "file": str(file)}
    assert file.read_text() == shipped.text("deepcam")
    again = CliRunner().invoke(app, ["workload", "copy", "deepcam", str(file)])
    assert str(again.exception) == f"{file} exists already; name another file"
    wrong = CliRunner().invoke(app, ["workload", "copy", "deepcan", "other.yaml"])
    assert str(wrong.exception) == "no workload file 'deepcan'; did you mean deepcam?"
