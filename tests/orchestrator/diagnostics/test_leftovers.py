"""The doctor ends what dead drivers left, and nothing else: real processes, stood-in batch systems."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
import pytest

from db.ledger import Ledger
from db.reader import Reader
from db.records import BlockRecord
from db.verification import check
from orchestrator.diagnostics import leftovers
from orchestrator.diagnostics.leftovers import Diagnosis, find_leftovers
from orchestrator.host.processes import CAMPAIGN_MARK, with_mark
from orchestrator.lifecycle.driver_process.identity import this_driver
from orchestrator.schedulers.client import SchedulerClient, job_name
from orchestrator.schedulers.model import JobRequest
from sites import Site
from tests.db import rows
from tests.db.rows import T0
from tests.harness import wait_for
from tests.schedulers.machines import Machine

QUIET = "import signal; print('ready', flush=True); signal.pause()"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + QUIET
DEAD = f"{socket.gethostname()} pid {os.getpid()} started 1.00"
LAUNCHERS = {"lsf": "jsrun", "pbspro": "mpiexec", "torque": "aprun"}
Starter = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Starter]:
    """Start a process that carries a campaign's mark, and return once it is ready."""
    started: list[subprocess.Popen[str]] = []

    def run(uid: str, code: str = QUIET) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {CAMPAIGN_MARK: uid},
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield run
    for process in started:
        process.kill()
        process.wait(300)
        assert process.stdout is not None
        process.stdout.close()


class Book:
    """A ledger with one campaign whose driver is as told."""

    def __init__(self, url: str, folder: Path, site: str = "site: local\n") -> None:
        self.url = url
        self.uid = uuid.uuid4().hex
        self.directory = folder / "runs" / "toy"
        self.directory.mkdir(parents=True)
        with Ledger(url) as ledger:
            campaign = rows.campaign(uid=self.uid, run_directory=str(self.directory), site_yaml=site)
            self.number = ledger.register(campaign, [rows.benchmark()], rows.planned(3))

    def driven_by(self, owner: str, seconds: float = 60) -> None:
        with Ledger(self.url) as ledger:
            rows.begin(ledger, self.number, owner, seconds)

    def ended(self, owner: str) -> None:
        with Ledger(self.url) as ledger:
            ledger.end_session(self.number, 1, owner, "complete")

    def look(self, *, finish: bool = False) -> Diagnosis:
        return find_leftovers(self.url, "toy", finish=finish)

    def events(self, kind: str) -> list[str]:
        with Reader(self.url) as reader:
            return [str(one.message) for one in reader.events(self.number, kinds=[kind])]


@pytest.fixture
def book(ledger_url: str, tmp_path: Path) -> Book:
    return Book(ledger_url, tmp_path)


def kinds(found: Diagnosis) -> list[tuple[str, bool]]:
    return [(one.kind, one.ended) for one in found.leftovers]


def test_nothing_is_left_of_a_campaign_that_never_ran(book: Book) -> None:
    found = book.look()
    assert (found.leftovers, found.notes) == ([], [])


def test_processes_and_lease_of_a_dead_driver(
    book: Book, start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, stubborn, stranger = start(book.uid), start(book.uid, STUBBORN), start(book.uid + "0")
    book.driven_by(DEAD)
    found = book.look()
    assert kinds(found) == [("process", False), ("process", False), ("lease", False)]
    said = " ".join(one.description for one in found.leftovers)
    for process in (mine, stubborn):
        begun = datetime.fromtimestamp(psutil.Process(process.pid).create_time(), UTC)
        assert f"process {process.pid}, started {begun:%Y-%m-%d %H:%M:%S} UTC: {sys.executable}" in said
    assert mine.poll() is stubborn.poll() is None  # looking ends nothing
    monkeypatch.setattr(leftovers, "_GRACE_SECONDS", 0.5)
    found = book.look(finish=True)
    assert kinds(found) == [("process", True), ("process", True), ("lease", True)]
    assert with_mark(CAMPAIGN_MARK, book.uid) == []
    assert stranger.poll() is None
    assert len(book.events("leftovers_ended")) == 1
    with Ledger(book.url) as ledger:
        row = ledger.campaign("toy")
        assert (row.lease_owner, row.outcome) == (None, "driver_died")
        assert [one.outcome for one in ledger.sessions_of(book.number)] == ["driver_died"]
        assert check(ledger) == []
        assert rows.begin(ledger, book.number) == 2  # and it can be resumed
    assert book.look().leftovers == []


@pytest.mark.parametrize("seconds", [60.0, -60.0], ids=["holding its lease", "its lease run out"])
def test_a_campaign_whose_driver_lives_is_left_alone(seconds: float, book: Book, start: Starter) -> None:
    process = start(book.uid)
    book.driven_by(this_driver(), seconds)
    (book.directory / "orders").mkdir()
    (book.directory / "orders" / "t.json").touch()
    found = book.look(finish=True)
    assert found.leftovers == []
    assert found.notes[0].endswith("it is left alone")
    assert process.poll() is None
    assert find_leftovers(book.url, finish=True).leftovers == []
    assert (book.directory / "orders" / "t.json").exists()


@pytest.mark.parametrize("seconds", [60.0, -60.0], ids=["holding its lease", "its lease run out"])
def test_a_driver_on_another_host_is_left_alone(seconds: float, book: Book, start: Starter) -> None:
    process = start(book.uid)
    book.driven_by("elsewhere pid 7 started 1.00", seconds)
    found = book.look(finish=True)
    assert found.leftovers == []
    assert "elsewhere pid 7" in found.notes[0]
    assert process.poll() is None


def test_processes_after_a_driver_that_ended_well(book: Book, start: Starter) -> None:
    process = start(book.uid)
    book.driven_by("me")
    book.ended("me")
    assert kinds(book.look()) == [("process", False)]
    assert kinds(book.look(finish=True)) == [("process", True)]
    process.wait(300)


def test_a_driver_that_comes_meanwhile_keeps_its_campaign(
    book: Book, start: Starter, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start(book.uid)
    book.driven_by(DEAD)
    look = leftovers.open_blocks

    def slowly(reader: Reader, campaign: int) -> int:
        with Ledger(book.url) as ledger:
            rows.begin(ledger, campaign, this_driver(), dead=DEAD)
        return look(reader, campaign)

    monkeypatch.setattr(leftovers, "open_blocks", slowly)
    found = book.look(finish=True)
    assert kinds(found) == [("process", False), ("lease", False)]
    assert all("took the campaign up meanwhile" in one.problem for one in found.leftovers)
    assert process.poll() is None
    with Reader(book.url) as reader:
        assert reader.campaign("toy").lease_owner == this_driver()


def test_a_campaign_of_another_ledger_is_left_alone(book: Book, start: Starter) -> None:
    process = start(uuid.uuid4().hex)
    found = find_leftovers(book.url, finish=True)
    assert found.leftovers == []
    assert any(str(process.pid) in note and "in another ledger" in note for note in found.notes)
    assert process.poll() is None
    assert book.look().notes == []  # one who asks for one campaign is told of that one


def test_orders_that_nobody_will_read(book: Book) -> None:
    folder = book.directory / "orders"
    folder.mkdir()
    (folder / "t1.json").touch()
    (folder / "notes.txt").touch()
    book.driven_by(DEAD)
    assert kinds(book.look(finish=True)) == [("order", True), ("lease", True)]
    assert [one.name for one in folder.iterdir()] == ["notes.txt"]


def test_a_probe_that_is_over(book: Book) -> None:
    runs = book.directory.parent
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_server(("127.0.0.1", 0)) as other:
            closed = other.getsockname()[1]
        for name, address, number, age in (
            ("waits", "127.0.0.1", port, 3600),
            ("over", "127.0.0.1", closed, 3600),
            ("fresh", "127.0.0.1", closed, 0),
            ("elsewhere", "192.0.2.1", closed, 3600),
        ):
            folder = runs / f"probe-{name}"
            folder.mkdir()
            file = folder / "order.json"
            file.write_text(json.dumps({"address": address, "port": number}))
            os.utime(file, (file.stat().st_mtime - age,) * 2)
        (runs / "probe-mine").mkdir()
        (runs / "probe-mine" / "order.json").write_text("[]")
        found = find_leftovers(book.url)
        assert [one.description for one in found.leftovers] == [
            f"folder {runs}/probe-over of a probe that is over"
        ]
        assert kinds(find_leftovers(book.url, finish=True)) == [("probe", True)]
    left = sorted(one.name for one in runs.iterdir())
    assert left == ["probe-elsewhere", "probe-fresh", "probe-mine", "probe-waits", "toy"]


# -- scheduler jobs --------------------------------------------------------------------------


@pytest.fixture(params=["lsf", "pbspro", "torque"])
def machine(request: pytest.FixtureRequest) -> Machine:
    made: Machine = request.getfixturevalue(f"{request.param}_machine")
    return made


def site_of(machine: Machine) -> dict[str, Any]:
    return {
        "site": "big",
        "scheduler": {
            "type": machine.family,
            "walltime": 600,
            "launcher": {"type": LAUNCHERS[machine.family]},
        },
        "node": {"cores": "0", "memory": "1 GiB"},
        "address": "127.0.0.1",
        "interface": "lo",
    }


def active(machine: Machine) -> list[str]:
    return [machine.id(job) for job in machine.jobs() if job.active and not job.gone]


def test_jobs_and_blocks_of_a_dead_driver(machine: Machine, sqlite_url: str, tmp_path: Path) -> None:
    content = site_of(machine)
    book = Book(sqlite_url, tmp_path, json.dumps(content))
    system = SchedulerClient(Site.model_validate(content))
    request = JobRequest(job_name(book.uid), 1, 600.0, tmp_path / "block.out", "sleep 600")
    ours = system.submit(request, tmp_path / "ours.sh").job
    others = system.submit(replace(request, name=job_name("another")), tmp_path / "others.sh").job
    book.driven_by(this_driver())
    with Ledger(sqlite_url) as ledger:
        ledger.record_blocks(book.number, 1, [BlockRecord("c1", "0", ours, "running", T0, T0, None, 1, None)])
    assert book.look(finish=True).leftovers == []  # its driver lives
    with Ledger(sqlite_url) as ledger:
        rows.begin(ledger, book.number, DEAD, dead=this_driver())
    assert kinds(book.look()) == [("job", False), ("lease", False), ("blocks", False)]
    assert ours in active(machine)
    found = book.look(finish=True)
    assert kinds(found) == [("job", True), ("lease", True), ("blocks", True)]
    assert found.leftovers[0].description == f"job {ours} of local"  # the name that the ledger has
    assert others in active(machine)
    wait_for(lambda: ours not in active(machine), "the job's end")
    with Reader(sqlite_url) as reader:
        assert check(reader) == []
    found = book.look()
    assert (found.leftovers, found.notes) == ([], [])
    system.cancel([others])


def test_a_batch_system_that_is_not_here_is_a_note(sqlite_url: str, tmp_path: Path) -> None:
    content = {
        "site": "big",
        "scheduler": {"type": "lsf", "walltime": 600},
        "node": {"cores": "0", "memory": "1 GiB"},
        "interface": "lo",
    }
    book = Book(sqlite_url, tmp_path, json.dumps(content))
    book.driven_by(DEAD)
    with Ledger(sqlite_url) as ledger:
        ledger.record_blocks(book.number, 1, [BlockRecord("c1", "0", "7", "running", T0, T0, None, 1, None)])
    found = book.look()
    assert kinds(found) == [("lease", False)]  # whether the block has ended is not known
    assert found.notes[0].startswith("toy: its scheduler jobs cannot be looked for: lsf: no command ")


def test_jobs_of_one_batch_system_are_found_while_another_is_silent(
    pbspro_machine: Machine, sqlite_url: str, tmp_path: Path
) -> None:
    content = site_of(pbspro_machine)
    silent = {"scheduler": {"type": "lsf", "walltime": 600}, "node": content["node"], "interface": "lo"}
    pools = {"own": {"scheduler": {"type": "local"}}, "silent": silent, "good": {}}
    book = Book(sqlite_url, tmp_path, json.dumps(content | {"pools": pools}))
    system = SchedulerClient(Site.model_validate(content))
    request = JobRequest(job_name(book.uid), 1, 600.0, tmp_path / "block.out", "sleep 600")
    ours = system.submit(request, tmp_path / "ours.sh").job
    book.driven_by(DEAD)
    block = BlockRecord("good.c1", "0", ours, "running", T0, T0, None, 1, None, pool="good")
    with Ledger(sqlite_url) as ledger:
        ledger.record_blocks(book.number, 1, [block])
    found = book.look(finish=True)
    assert kinds(found) == [("job", True), ("lease", True)]  # whether the other's blocks ended is not known
    [note] = [one for one in found.notes if "cannot be looked for" in one]
    assert "lsf: no command bjobs here" in note
    wait_for(lambda: ours not in active(pbspro_machine), "the job's end")


def test_a_batch_system_that_a_campaign_never_used_is_not_asked(sqlite_url: str, tmp_path: Path) -> None:
    content = {
        "site": "big",
        "scheduler": {"type": "lsf", "walltime": 600},
        "node": {"cores": "0", "memory": "1 GiB"},
        "interface": "lo",
        "pools": {"far": {}, "own": {"scheduler": {"type": "local"}}},
        "pool": "own",
    }
    book = Book(sqlite_url, tmp_path, json.dumps(content))
    book.driven_by(DEAD)
    block = BlockRecord("own.c1", "0", "7", "running", T0, T0, None, 1, None, pool="own")
    with Ledger(sqlite_url) as ledger:
        ledger.record_blocks(book.number, 1, [block])
    found = book.look()
    assert kinds(found) == [("lease", False), ("blocks", False)]
    assert found.notes == []
