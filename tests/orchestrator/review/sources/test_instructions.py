"""The commands that run a campaign again, and the packages that it ran with."""

from __future__ import annotations

from pathlib import Path

from orchestrator.review.sources.instructions import INSTRUCTIONS, build_texts, package_lists
from tests.orchestrator.review.packages import members, packaged, simulated_campaign
from tests.orchestrator.review.sources.ran import ran


def test_packages_and_commands_are_those_of_the_rows(tmp_path: Path) -> None:
    content = members(packaged(ran(tmp_path), tmp_path / "toy.zip").file)
    assert content["campaigns/toy/requirements.txt"] == b"numpy==2.0.2\n# None==1\n"
    text = content[INSTRUCTIONS].decode()
    assert "- Python of the trainings: 3.11.7\n" in text
    assert "pip install --requirement campaigns/toy/requirements.txt\n" in text
    assert "cd campaigns/toy/code\norchestrator launch ../campaign.yaml --site ../site.yaml\n" in text


def test_a_workload_file_is_named_where_the_package_has_it(tmp_path: Path) -> None:
    toy = {"workload": "tests.toys.behave", "timeout": "1 h", "instances": 2}
    url = simulated_campaign(tmp_path, [toy], rulebook="none", stated={
        "benchmarks": [toy | {"name": "own", "workload": "/far/away/my own.yaml#sha256=00"}]
    })  # fmt: skip
    text = members(packaged(url, tmp_path / "toy.zip").file)[INSTRUCTIONS].decode()
    assert " --site ../site.yaml \\\n    --set own.workload='my own.yaml'\n" in text
    assert "requirements" not in text


def test_nodes_that_differ_have_lists_of_their_own() -> None:
    documents = {
        key: {"cpu": {}, "packages": {"list": ["a==1", f"b=={key}"]}} for key in ("1", "2")
    } | {"3": {"cpu": {}}, "4": {"packages": {"workloads": "0"}}}  # fmt: skip
    found = package_lists(documents)
    assert found == {"requirements.txt": b"a==1\nb==1\n", "requirements-2.txt": b"a==1\nb==2\n"}


def test_files_that_images_were_built_from_are_numbered() -> None:
    documents = {
        key: {"build_file": f"{key}/Containerfile", "text": f"FROM {key}", "sha256": "", "image": key}
        for key in ("a", "b")
    }
    assert build_texts(documents | {"c": {"text": "x", "file": "y.yaml"}}) == {
        "containers/1-Containerfile": b"FROM a",
        "containers/2-Containerfile": b"FROM b",
    }
