"""libEnsemble with local workers and its executor; its history is the record."""

from __future__ import annotations

from functools import partial

from tests.bench.peers.ensemble import Ensemble, Peer

ENVIRONMENT = "libensemble"
REQUIREMENTS = ("libensemble",)
SCRIPT = """\
import numpy as np
from libensemble import Ensemble
from libensemble.alloc_funcs.give_pregenerated_work import give_pregenerated_sim_work
from libensemble.executors import Executor
from libensemble.specs import AllocSpecs, ExitCriteria, LibeSpecs, SimSpecs


def train(H, persis_info, sim_specs, libE_info):
    number = H["number"][0]
    arguments = f"instance.sh {{number}}"
    logs = {{"stdout": f"reports/{{number}}.out", "stderr": f"reports/{{number}}.log"}}
    task = libE_info["executor"].submit(app_name="instance", app_args=arguments, **logs)
    task.wait()
    out = np.zeros(1, dtype=sim_specs["out"])
    out["code"] = task.errcode
    return out


def report(H, persis_info, sim_specs, libE_info):
    return np.zeros(1, dtype=sim_specs["out"])


if __name__ == "__main__":
    executor = Executor()
    executor.register_app(full_path="/bin/sh", app_name="instance")
    given = np.zeros({instances}, dtype=[("number", int), ("sim_id", int), ("sim_started", bool)])
    given["number"] = given["sim_id"] = range({instances})
    Ensemble(
        libE_specs=LibeSpecs(nworkers={slots}, comms="local"),
        sim_specs=SimSpecs(sim_f={function}, inputs=["number"], out=[("code", int)]),
        alloc_specs=AllocSpecs(alloc_f=give_pregenerated_sim_work),
        exit_criteria=ExitCriteria(sim_max={instances}),
        H0=given,
        executor=executor,
    ).run()
"""


def files(function: str, ensemble: Ensemble) -> dict[str, str]:
    """Return the script of a simulation function."""
    text = SCRIPT.format(function=function, slots=ensemble.slots, instances=ensemble.instances)
    return {"ensemble.py": text}


def command(ensemble: Ensemble) -> list[str]:
    """Return the command that runs the script."""
    return [ensemble.python, "ensemble.py"]


TRAINING = (Peer("libEnsemble", partial(files, "train"), command, ENVIRONMENT),)
NO_OPS = (Peer("libEnsemble", partial(files, "report"), command, ENVIRONMENT, isolates=False),)
