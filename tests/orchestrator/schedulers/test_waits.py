"""How long jobs waited in the queue, as batch systems remember them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from orchestrator.schedulers.client import SchedulerClient
from orchestrator.schedulers.families import family_of
from orchestrator.schedulers.model import QueueWait, SchedulerError
from sites.schedulers import Batch, Flux, Lsf, PbsPro, Slurm
from tests.orchestrator.schedulers.test_client import Commands, site

NOON = datetime.fromisoformat("2026-11-28T12:00:00").timestamp()
JOBS = {
    "1.s": {"etime": "Sat Nov 28 12:00:00 2026", "stime": "Sat Nov 28 13:30:00 2026",
            "Resource_List": {"nodect": 4}, "queue": "batch"},
    "2.s": {"etime": "Sat Nov 28 12:00:00 2026", "Resource_List": {"nodect": 4}, "queue": "batch"},
    "3.s": {"etime": "Sat Nov 28 12:00:00 2026", "stime": "Sat Nov 28 12:00:01 2026",
            "Resource_List": {}, "queue": "debug"},
}  # fmt: skip
# Lines of bhist -a -l of LSF 10.1, and of 7.0; a line is broken at 79 characters, also within a name.
LSF_JOBS = """
Job <1131>, User <ann>, Project <default>, Command <ilab data generate --pipe
                          line full --gpus 8>
Sat Nov 28 12:00:00 2026: Submitted from host <rmf-login-1>, to Queue <normal>,
                           CWD <$HOME>, Output File </u/ann/job-output/%J.out
                          >, Requested Resources <span[hosts=1]>;
Sat Nov 28 12:01:30 2026: Dispatched 12 Task(s) on Host(s) <12*rhrcsnod19>, Allocate
                          d 12 Slot(s) on Host(s) <12*rhrcsnod19>, Effective RE
                          S_REQ <select[type == local] order[r15s:pg] >;
Sat Nov 28 12:01:31 2026: Starting (Pid 3095851);
Sat Nov 28 12:01:31 2026: External Message "n4:gpus=0,1;EFFECTIVE GPU REQ: num=
                          8;" was posted from "ann" to message box 0;
Sat Nov 28 16:08:05 2026: Done successfully. The CPU time used is 4624.0 second
                          s;
                          HOST: p1-r01-n4; CPU_TIME: 4624 seconds

MEMORY USAGE:
MAX MEM: 2 Gbytes;  AVG MEM: 1 Gbytes

Summary of time in seconds spent in various states by  Sat Nov 28 16:08:05 2026
  PEND     PSUSP    RUN      USUSP    SSUSP    UNKWN    TOTAL
  90       0        14795    0        0        0        14885
------------------------------------------------------------------------------

Job <1132[1]>, Job Name <a[1-2]>, User <ann>, Project <default>, Command <x>
Sat Nov 28 12:00:00 2026: Submitted from host <login1>, to Queue <batch>;
Sat Nov 28 13:30:00 2026: Dispatched 169 Task(s) on Host(s) <batch5> <42*a35n01> <42*
                          a35n02> <42*a35n03> <42*a35n04>, Allocated 169 Slot(s
                          ) on Host(s) <batch5> <42*a35n01> <42*a35n02>;
Sat Nov 28 13:40:00 2026: Requeued;
Sat Nov 28 14:30:00 2026: Dispatched 1 Task(s) on Host(s) <other>;

Job <1133>, User <ann>, Project <default>, Command <y>
Sat Nov 28 12:00:01 2026: Submitted from host <login1>, to Queue <normal>;
Sat Nov 28 12:10:00 2026: Exited; job has been forced to exit with exit code 13
                          0. The CPU time used is unknown;

Job <1134>, User <ann>, Project <default>, Command <y>
Sat Nov 28 12:00:00 2026: Submitted from host <login1>, to Queue <normal>;
Sat Nov 28 11:59:59 2026: Dispatched 4 Task(s) on Host(s) <n1> <n1> <n2> <n2>;

Job <223>, User <ann>, Project <default>, Command <mpirun.lsf ./cpi-openmpi>
Sat Nov 28 12:00:00 2026: Submitted from host <node69>, to Queue <default>;
Sat Nov 28 12:00:06 2026: Dispatched to 16 Hosts/Processors <16*node62>;
"""
LSF_HOSTILE = """
Job <5>, Job Name <a\x0cSat Nov 28 09:00:00 2026: Dispatched to <x>, Job <6>>, User <ann>, Command <echo;Sat
                          Nov 28 11:00:00 2026: Dispatched to <y>;date
Sat Nov 28 11:00:00 2026: Dispatched to <made-up>
\x1b[31mMon: Submitted from host <z>
Dispatched 3 Task(s) on Host(s) <z>>
Sat Nov 28 12:00:00 2026: Submitted from host <login1>, to Queue <a,b>, CWD </tm
                          p/Sat Nov 28 12:00:01 2026: Dispatched to <dir>>, Job
                           Description <x>;
Sat Nov 28 12:00:30 2026: Modified submission options: Job will be requeued; Di
                          spatched to <never>;
Sat Nov 28 12:01:00 2026: [1] dispatched to <lsfworker-interactive-04fa8c
                          58.helix.example.com> <n2>;
"""
SAID = {
    "Slurm": (
        Slurm(walltime=60),
        "2026-11-28T12:00:00|2026-11-28T13:30:00|4\n2026-11-28T12:00:00|Unknown|4\n"
        "Unknown|2026-11-28T13:30:00|4\n2026-11-28T12:00:00|None|0\n2026-11-28T12:00:01|2026-11-28T12:00:00|1\n",
        [QueueWait(4, NOON, 5400.0), QueueWait(1, NOON + 1, 0.0)],
    ),
    "PBS": (
        PbsPro(walltime=60),
        json.dumps({"Jobs": JOBS}),
        [QueueWait(4, NOON, 5400.0), QueueWait(1, NOON, 1.0)],
    ),
    "PBS, of a queue": (
        PbsPro(walltime=60, queue="batch"), json.dumps({"Jobs": JOBS}), [QueueWait(4, NOON, 5400.0)]
    ),
    "PBS: nothing": (PbsPro(walltime=60), "", []),
    "LSF": (
        Lsf(walltime=60),
        LSF_JOBS,
        [QueueWait(nodes, NOON, waited) for nodes, waited in ((1, 90.0), (4, 5400.0), (2, 0.0), (1, 6.0))],
    ),
    "LSF, hostile": (Lsf(walltime=60), LSF_HOSTILE, [QueueWait(2, NOON, 60.0)]),
    "LSF: nothing": (Lsf(walltime=60), "", []),
    "Flux": (
        Flux(walltime=60),
        f"{NOON}|{NOON + 90.5}|2\n{NOON}|0.0|\n{NOON}|0.0|2\n",
        [QueueWait(2, NOON, 90.5)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SAID)
def test_waits_are_read(name: str) -> None:
    batch, printed, waits = SAID[name]
    assert family_of(batch).parse_waits(printed) == waits


def test_lsf_may_leave_the_year_out() -> None:
    """It is known by the day of the week, and lines are broken by the shorter time."""
    since = (datetime.now() - timedelta(days=20)).replace(hour=12, minute=0, second=0, microsecond=0)
    begun = since + timedelta(minutes=5)
    printed = (
        f"Job <1>, User <ann>, Command <a>\n{since:%a %b %e %H:%M:%S}: Submitted from host <a>;\n"
        f"{begun:%a %b %e %H:%M:%S}: Dispatched 2 Task(s) on Host(s) <node-of-a-l\n"
        f"{' ' * 21}ong-name> <b>;\n"
    )
    assert family_of(Lsf(walltime=60)).parse_waits(printed) == [QueueWait(2, since.timestamp(), 300.0)]
    leap = "Job <1>\nThu Feb 29 12:00:00: Submitted from host <a>;\nThu Feb 29 12:00:01: Dispatched to <a>;\n"
    [wait] = family_of(Lsf(walltime=60)).parse_waits(leap)
    assert datetime.fromtimestamp(wait.since).strftime("%a %m-%d") == "Thu 02-29"
    with pytest.raises(ValueError, match=r"a time that cannot be read: Thu Feb 31 12:00:00$"):
        family_of(Lsf(walltime=60)).parse_waits("Job <1>\nThu Feb 31 12:00:00: Submitted from host <a>;\n")


def test_bhist_is_asked_for_the_jobs_of_a_month_and_of_the_queue() -> None:
    words = family_of(Lsf(walltime=60, queue="batch")).waits_command()
    assert words is not None
    first = datetime.now() - timedelta(days=30)
    assert words.words[-7:-1] == ("-l", "-n", "0", "-q", "batch", "-S")
    assert abs(datetime.strptime(words.words[-1], "%Y/%m/%d,") - first) < timedelta(days=2)
    assert "-q" not in (family_of(Lsf(walltime=60)).waits_command() or words).words


@pytest.mark.parametrize("printed", ["a|b", "a|b|c", "[]", '{"Jobs": 3}', "2026|1|x"])
@pytest.mark.parametrize("batch", [kind(walltime=60) for kind in (Slurm, PbsPro, Flux, Lsf)])
def test_a_list_that_cannot_be_read_is_an_error(
    printed: str, batch: Batch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{commands.bin}:/bin:/usr/bin")
    for name in ("sacct", "qstat", "flux", "bhist"):
        commands.answers(name, printed)
    commands.answers("qselect", "1.s\n")
    with pytest.raises(SchedulerError, match="printed a list of jobs that cannot be read"):
        SchedulerClient(site().model_copy(update={"scheduler": batch})).waits()


def test_a_user_without_jobs_has_no_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", f"{commands.bin}:/bin:/usr/bin")
    commands.answers("qselect")
    assert SchedulerClient(site("pbspro")).waits() == []
    commands.answers("qselect", stderr="no server\n", code=1)
    with pytest.raises(SchedulerError, match="qstat lists no ended jobs: no server"):
        SchedulerClient(site("pbspro")).waits()
    commands.answers("bhist", stderr="No matching job found\n", code=255)
    assert SchedulerClient(site("lsf")).waits() == []
    commands.answers("bhist", stderr="LSF is down. Please wait ...\n", code=255)
    with pytest.raises(SchedulerError, match="bhist lists no ended jobs: LSF is down"):
        SchedulerClient(site("lsf")).waits()


def test_a_batch_system_that_tells_none_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = Commands(tmp_path)
    monkeypatch.setenv("PATH", str(commands.bin))
    commands.answers("sacct", stderr="Slurm accounting storage is disabled\n", code=1)
    with pytest.raises(
        SchedulerError, match="sacct lists no ended jobs: Slurm accounting storage is disabled"
    ):
        SchedulerClient(site()).waits()
    with pytest.raises(SchedulerError, match="PBS has no command that lists the waits of ended jobs"):
        SchedulerClient(site("torque")).waits()
