"""The families of this package pass the tests that packages with others run on theirs."""

from __future__ import annotations

import json
import math
import time
from datetime import datetime

from orchestrator.schedulers.conformance import ALLOCATION_NOW, Answer, FamilyConformance, FamilyExample
from orchestrator.schedulers.flux import FluxFamily
from orchestrator.schedulers.lsf import LsfFamily
from orchestrator.schedulers.model import JobState, QueueWait
from orchestrator.schedulers.pbs import PbsProFamily, TorqueFamily
from orchestrator.schedulers.psij.family import PsijFamily
from orchestrator.schedulers.slurm import SlurmFamily
from sites.schedulers import Flux, Lsf, PbsPro, Psij, Slurm, Torque

STARTED = time.ctime(ALLOCATION_NOW - 600)
NOON = datetime.fromisoformat("2026-11-28T12:00:00").timestamp()
WAITED = {
    "etime": time.ctime(NOON), "stime": time.ctime(NOON + 90), "Resource_List": {"nodect": 4},
}  # fmt: skip
BHIST = """
Job <7>, User <ann>, Project <default>, Command <a>
Sat Nov 28 12:00:00 2026: Submitted from host <login1>, to Queue <normal>, CWD <$HOME>;
Sat Nov 28 12:01:30 2026: Dispatched 8 Task(s) on Host(s) <8*node1>, Allocated 8 Slot(s
                          ) on Host(s) <8*node1>, Effective RES_REQ <select[type == any] >;
------------------------------------------------------------------------------
Job <8>, User <ann>, Project <default>, Command <a>
Sat Nov 28 12:00:00 2026: Submitted from host <login1>, to Queue <normal>, CWD <$HOME>;
"""
QUEUED, RUNNING, UNKNOWN = JobState.QUEUED, JobState.RUNNING, JobState.UNKNOWN


class TestSlurm(FamilyConformance):
    example = FamilyExample(
        settings=Slurm(walltime=3600),
        family=SlurmFamily,
        submitted={"12\n": "12", "13;cluster\n": "13"},
        not_submitted=["Submitted\n"],
        answers=[
            Answer(["7", "8"], "7|RUNNING|None\n8|PENDING|Priority\n", [RUNNING, QUEUED]),
            Answer(["7", "8"], "7|TIMEOUT|None\n", [JobState.TIMEOUT, UNKNOWN]),
            Answer(
                ["7", "8"], "7|PENDING|JobHeldUser\n8|CANCELLED by 7\n", [JobState.HELD, JobState.CANCELLED]
            ),
            Answer(["7", "8"], "7|FAILED\n8|NODE_FAIL|None\n", [JobState.FAILED, JobState.NODE_FAILURE]),
        ],
        unknown_word=Answer(["7"], "7|LEVITATING|None\n"),
        no_answers=[
            Answer(["7"], "", code=1, stderr="slurm_load_jobs error: Unable to contact slurm controller"),
            Answer(["7"], "squeue: warning\n"),
        ],
        found={"12\n13\n": ["12", "13"], "squeue: error\n": []},
        allocations={
            "RUNNING|1-02:03:04\n": 93784.0,
            "RUNNING|59:30\n": 3570.0,
            "RUNNING|UNLIMITED\n": math.inf,
            "RUNNING|INVALID\n": 0.0,
            "TIMEOUT|0:00\n": 0.0,
        },
        waits={
            "2026-11-28T12:00:00|2026-11-28T12:01:30|4\n2026-11-28T12:00:00|Unknown|4\n": [
                QueueWait(4, NOON, 90.0)
            ]
        },
    )


class TestLsf(FamilyConformance):
    example = FamilyExample(
        settings=Lsf(walltime=3600),
        family=LsfFamily,
        submitted={"Job <12> is submitted to queue <batch>.\n": "12"},
        not_submitted=["Request aborted by esub.\n"],
        answers=[
            Answer(["7", "8"], "7|RUN|-\n8|PEND|-\n", [RUNNING, QUEUED]),
            Answer(["7", "8"], "7|PSUSP|-\n", [JobState.HELD, UNKNOWN], 255, "Job <8> is not found\n"),
            Answer(["7", "8"], "7|EXIT|TERM_RUNLIMIT: x\n8|EXIT|-\n", [JobState.TIMEOUT, JobState.FAILED]),
            Answer(["7", "8"], "7|EXIT|TERM_OWNER: x\n8|DONE|-\n", [JobState.CANCELLED, JobState.COMPLETED]),
        ],
        unknown_word=Answer(["7"], "7|LEVITATING|-\n"),
        no_answers=[Answer(["7"], "", code=255, stderr="LSF is down. Please wait ...\n")],
        found={"12\n13  \n": ["12", "13"], "No unfinished job found\n": []},
        allocations={
            "RUN|160 second(s)|60.0/host\n": 3440.0,
            "RUN|00:02:40|01:00:00\n": 3440.0,
            "RUN|160 second(s)|2.0\n": 0.0,
            "RUN|160 second(s)|-\n": math.inf,
            "EXIT|160 second(s)|60.0\n": 0.0,
        },
        waits={BHIST: [QueueWait(1, NOON, 90.0)]},
    )


def pro(**jobs: dict[str, object]) -> str:
    return json.dumps({"Jobs": {f"{number.removeprefix('j')}.pbs": facts for number, facts in jobs.items()}})


class TestPbsPro(FamilyConformance):
    example = FamilyExample(
        settings=PbsPro(walltime=3600),
        family=PbsProFamily,
        submitted={"12.pbs-01\n": "12.pbs-01"},
        not_submitted=["qsub: waiting\n"],
        answers=[
            Answer(["7.pbs", "8.pbs"], pro(j7={"job_state": "R"}, j8={"job_state": "Q"}), [RUNNING, QUEUED]),
            Answer(
                ["7.pbs", "8.pbs"],
                pro(j7={"job_state": "H"}),
                [JobState.HELD, UNKNOWN],
                153,
                "qstat: Unknown Job Id 8.pbs\n",
            ),
            Answer(
                ["7.pbs", "8.pbs"],
                pro(j7={"job_state": "F", "Exit_status": -29}, j8={"job_state": "F", "Exit_status": 3}),
                [JobState.TIMEOUT, JobState.FAILED],
            ),
        ],
        unknown_word=Answer(["7.pbs"], pro(j7={"job_state": "Z"})),
        no_answers=[
            Answer(
                ["7.pbs"], "", code=111, stderr="Connection refused\nqstat: cannot connect to server pbs\n"
            ),
            Answer(["7.pbs"], "<html>"),
        ],
        found={"12.pbs-01\n13.pbs-01\n": ["12.pbs-01", "13.pbs-01"], "No jobs\n": []},
        allocations={
            pro(j7={"job_state": "R", "stime": STARTED, "Resource_List": {"walltime": "01:00:00"}}): 3000.0,
            pro(j7={"job_state": "R", "stime": STARTED, "Resource_List": {"walltime": "00:05:00"}}): 0.0,
            pro(j7={"job_state": "R", "stime": STARTED}): math.inf,
            pro(j7={"job_state": "F", "Exit_status": -29}): 0.0,
        },
        waits={pro(j7=WAITED, j8={"etime": WAITED["etime"]}): [QueueWait(4, NOON, 90.0)]},
    )


class TestTorque(FamilyConformance):
    example = FamilyExample(
        settings=Torque(walltime=3600),
        family=TorqueFamily,
        submitted={"12.torque\n": "12.torque"},
        not_submitted=["qsub: waiting\n"],
        answers=[
            Answer(
                ["7.t", "8.t"],
                "Job Id: 7.t\n    job_state = R\n\nJob Id: 8.t\n    job_state = Q\n",
                [RUNNING, QUEUED],
            ),
            Answer(
                ["7.t", "8.t"],
                "Job Id: 7.t\n    job_state = C\n    exit_status = -11\n",
                [JobState.TIMEOUT, UNKNOWN],
                153,
                "qstat: Unknown Job Id Error 8.t\n",
            ),
        ],
        unknown_word=Answer(["7.t"], "Job Id: 7.t\n    job_state = Z\n"),
        no_answers=[Answer(["7.t"], "", code=1, stderr="pbs_iff: cannot connect\n")],
        found={"12.torque\n": ["12.torque"], "No jobs\n": []},
        allocations={
            "Job Id: 7.t\n    job_state = R\n    Resource_List.walltime = 01:00:00\n"
            f"    start_time = {STARTED}\n": 3000.0,
            "Job Id: 7.t\n    job_state = C\n": 0.0,
        },
    )


class TestFlux(FamilyConformance):
    """Its answers are those of flux-core 0.88."""

    example = FamilyExample(
        settings=Flux(walltime=3600),
        family=FluxFamily,
        submitted={"ƒWgEdBM\n": "fWgEdBM", "fWgEdBM\n": "fWgEdBM"},
        not_submitted=["flux-batch: warning\n"],
        answers=[
            Answer(["f7", "f8"], "ƒ7|RUN||16||||||\nƒ8|SCHED||16||||||\n", [RUNNING, QUEUED]),
            Answer(["f7", "f8"], "f7|SCHED||0||||||\n", [JobState.HELD, UNKNOWN], 0, "JobID f8 unknown\n"),
            Answer(["f7"], "", [UNKNOWN], 1, "JobID ƒ7 unknown\n"),
            Answer(
                ["f7", "f8"],
                "ƒ7|INACTIVE|TIMEOUT|16|142|timeout||||resource allocation expired\n"
                "ƒ8|INACTIVE|CANCELED|16|-128|cancel||||\n",
                [JobState.TIMEOUT, JobState.CANCELLED],
            ),
            Answer(
                ["f7", "f8"],
                "ƒ7|INACTIVE|FAILED|16|1|alloc||||unsatisfiable request: need 9 | node(s)\n"
                "ƒ8|INACTIVE|FAILED|16|1|node-failure||||lost\n",
                [JobState.FAILED, JobState.NODE_FAILURE],
            ),
            Answer(
                ["f7", "f8"],
                "f7|INACTIVE|COMPLETED|16|0|||||\nf8|CLEANUP||16|0|||||\n",
                [
                    JobState.COMPLETED,
                    RUNNING,
                ],
            ),
        ],
        unknown_word=Answer(["f7"], "f7|LEVITATE||16||||||\n"),
        no_answers=[
            Answer(["f7"], "", code=1, stderr="flux-jobs: ERROR: Unable to connect to Flux\n"),
            Answer(["f7"], "usage: flux jobs\n"),
        ],
        found={"ƒjL6Vg3\nƒWgEdBM\n": ["fjL6Vg3", "fWgEdBM"], "flux: error\n": []},
        allocations={"18\n": 18.0, "0\n": 0.0, "inf\n": math.inf, "4294967295\n": math.inf},
        waits={f"{NOON}|{NOON + 90}|2\n{NOON}|0.0|\n": [QueueWait(2, NOON, 90.0)]},
    )


def listed(**jobs: object) -> str:
    return json.dumps({"jobs": {number.removeprefix("j"): facts for number, facts in jobs.items()}})


class TestPsij(FamilyConformance):
    example = FamilyExample(
        settings=Psij(walltime=3600, executor="cobalt", python="/psij/bin/python"),
        family=PsijFamily,
        submitted={'{"submitted": "12"}\n': "12", 'warning\n{"submitted": "13.x"}\n': "13.x"},
        not_submitted=["{}\n", "12\n", '{"submitted": null}'],
        answers=[
            Answer(["7", "8"], listed(j7=["ACTIVE", ""], j8=["QUEUED", ""]), [RUNNING, QUEUED]),
            Answer(["7", "8"], listed(j7=["FAILED", "exit code 3"], j8=None), [JobState.FAILED, UNKNOWN]),
            Answer(
                ["7", "8"],
                listed(j7=["FAILED", "Job reached its time limit"], j8=["CANCELED", ""]),
                [JobState.TIMEOUT, JobState.CANCELLED],
            ),
            Answer(["7"], listed(j7=["COMPLETED", ""]), [JobState.COMPLETED]),
        ],
        unknown_word=Answer(["7"], listed(j7=["LEVITATING", ""])),
        no_answers=[
            Answer(["7"], "", code=1, stderr="RuntimeError: status command exited with 1"),
            Answer(["7"], listed(j8=None)),
            Answer(["7"], "squeue: error\n"),
        ],
        found={'{"found": ["12", "13"]}\n': ["12", "13"], "Traceback\n": []},
    )
