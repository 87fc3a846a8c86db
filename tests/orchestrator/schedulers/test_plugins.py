"""Schedulers and launchers of an installed package work in site files as those of this one do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from orchestrator.diagnostics.detected_site import site_text
from orchestrator.diagnostics.machine_survey import look
from orchestrator.lifecycle.driver_process.job import without_job
from orchestrator.lifecycle.driver_process.place import JOB_VARIABLE, variable_of_job
from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.conflicts import directive_conflicts
from orchestrator.schedulers.conformance import Answer, FamilyConformance, FamilyExample
from orchestrator.schedulers.families import family_of, launcher_of
from orchestrator.schedulers.launchers import launcher_words
from orchestrator.schedulers.model import JobRequest, JobState
from sites import FileError, Site, parse
from sites.schedulers import SCHEDULER_GROUP, TYPES
from tests.example_plugin import FOLDER
from tests.example_plugin.example_plugin.spool import Spool, SpoolFamily
from workloads import plugins


class TestSpool(FamilyConformance):
    example = FamilyExample(
        settings=Spool(walltime=3600),
        family=SpoolFamily,
        submitted={"12\n": "12"},
        not_submitted=["queued\n"],
        answers=[
            Answer(["7", "8"], "8 waiting\n7 busy\n", [JobState.RUNNING, JobState.QUEUED]),
            Answer(["7", "8"], "7 done\n8 failed\n", [JobState.COMPLETED, JobState.FAILED]),
            Answer(["7"], "7 forgotten\n", [JobState.UNKNOWN]),
        ],
        unknown_word=Answer(["7"], "7 levitating\n"),
        no_answers=[Answer(["7"], "", code=1, stderr="spool is down\n"), Answer(["7"], "")],
        found={"12\n13\n": ["12", "13"], "none\n": []},
    )

    @pytest.fixture(autouse=True)
    def _installed(self, installed: None) -> None:
        pass


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the example package on the path, with the metadata that an installer writes."""
    monkeypatch.syspath_prepend(str(FOLDER))


def text(**scheduler: Any) -> str:
    keys = {"type": "spool", "walltime": "1 h", **scheduler}
    node = {"cores": "0-3", "memory": "4 GiB"}
    return json.dumps({"site": "made", "interface": "lo", "node": node, "scheduler": keys})


def error_of(**scheduler: Any) -> str:
    with pytest.raises(FileError) as caught:
        parse(text(**scheduler), Site, "made.yaml")
    return str(caught.value)


@pytest.mark.usefixtures("installed")
def test_a_site_file_takes_the_settings_of_an_installed_scheduler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = parse(
        text(lane="fast", extra_directives=["colour blue"], prologue=["module load x"]), Site, "made.yaml"
    )
    assert not site.local
    assert site.scheduler.type == "spool"
    assert site.model_dump()["scheduler"]["lane"] == "fast"
    assert directive_conflicts(site) == []
    assert launcher_of(site.scheduler).type == "fanout"  # type: ignore[arg-type]
    spool = tmp_path / "bin" / "spool"
    spool.parent.mkdir()
    spool.write_text('#!/bin/sh\ncase "$1" in submit) echo 5;; list) echo "$2 waiting";; esac\n')
    spool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spool.parent}:/usr/bin:/bin")
    client = SchedulerClient(site)
    client.check()
    job = client.submit(JobRequest("eto-1", 2, 60.0, tmp_path / "out", "work"), tmp_path / "block.sh").job
    assert [(one.id, one.state) for one in client.status([job])] == [("5", JobState.QUEUED)]
    script = (tmp_path / "block.sh").read_text()
    assert "#SPOOL lane fast\n#SPOOL colour blue\n" in script
    assert "\nfanout --nodes 2 bash -c " in script


@pytest.mark.usefixtures("installed")
def test_an_installed_scheduler_has_what_built_in_ones_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reasons for waiting, a driver's own job, the survey and the line that excludes nodes."""
    spool = tmp_path / "bin" / "spool"
    spool.parent.mkdir()
    spool.write_text(
        '#!/bin/sh\ncase "$1" in list) echo "$2 waiting laneclosed";; machine) echo "slow 3600 4 16";; esac\n'
    )
    spool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{spool.parent}:/usr/bin:/bin")
    site = parse(text(), Site, "made.yaml")
    (job,) = SchedulerClient(site).status(["7"])
    assert job.pending is not None
    assert job.pending.hopeless
    assert without_job({"SPOOL_NODES": "n1", "HOME": "/root"}) == {"HOME": "/root"}
    assert '"7"' in variable_of_job({"SPOOL_JOB": "7"}, tmp_path)[JOB_VARIABLE]
    assert family_of(site.scheduler).exclude_line(["n1", "n2"]) == 'extra_directives: ["without n1 n2"]'  # type: ignore[arg-type]
    found = look()
    assert found.survey is not None
    written = parse(site_text("ours", found, "2026-11-01", "slow"), Site, "ours.yaml")
    assert (written.scheduler.type, written.nodes) == ("spool", 4)
    assert written.scheduler.lane == "slow"  # type: ignore[union-attr]


@pytest.mark.usefixtures("installed")
def test_a_launcher_of_an_installed_package_starts_commands() -> None:
    launcher = {"type": "fanout", "options": ["-v"]}
    site = parse(text(type="slurm", launcher=launcher), Site, "made.yaml")
    assert launcher_of(site.scheduler).type == "fanout"  # type: ignore[arg-type]
    assert launcher_words("fanout", ["-v"], 2, ["a", "b"]) == ["fanout", "--nodes", "2", "--on", "a,b", "-v"]
    with pytest.raises(ValueError, match="no launcher 'fan'"):
        launcher_words("fan", [], 1)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("scheduler", "message"),
    [
        (
            {"type": "spol"},
            f"made.yaml: scheduler: must have a type, one of {', '.join(TYPES)}, broken, spool, not 'spol'; "
            "did you mean spool?",
        ),
        ({"laen": "fast"}, "made.yaml: scheduler: unknown key laen; did you mean lane?"),
        ({"walltime": "soon"}, "made.yaml: scheduler: walltime: must be a number of seconds or a text"),
        (
            {"launcher": {"type": "fanot"}},
            "made.yaml: scheduler: launcher.type: must be one of srun, jsrun, mpiexec, aprun, flux, ssh, "
            "fanout, not 'fanot'; did you mean fanout?",
        ),
        (
            {"type": "broken"},
            "made.yaml: scheduler: broken of package example-plugin cannot be loaded: ModuleNotFound",
        ),
    ],
)
def test_what_is_wrong_is_named_with_the_near_name(scheduler: dict[str, Any], message: str) -> None:
    assert re.sub(r"line \d+: ", "", error_of(**scheduler)).startswith(message)


def test_without_the_package_its_scheduler_is_unknown() -> None:
    assert plugins.names(SCHEDULER_GROUP) == []
    assert f"must have a type, one of {', '.join(TYPES)}, not 'spool'" in error_of()


@pytest.mark.usefixtures("installed")
def test_settings_of_another_type_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Offer:
        settings = Spool
        family = SpoolFamily

    monkeypatch.setattr(plugins, "load", lambda group, name: Offer)
    assert "Spool is not a model of settings with type 'spoon' by default" in error_of(type="spoon")


@pytest.mark.usefixtures("installed")
def test_the_family_is_that_of_the_settings() -> None:
    site = parse(text(), Site, "made.yaml")
    assert type(family_of(site.scheduler)).__name__ == "SpoolFamily"  # type: ignore[arg-type]
