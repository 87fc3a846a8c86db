"""The packages a plan's trainings import, and whether the Python that runs them has them."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable

from orchestrator.errors import CampaignError
from orchestrator.planning import Plan, PlannedBenchmark
from orchestrator.probe import absent_packages
from sites import Site
from sites.schedulers import Batch
from workloads.backends import NAMES

_KERAS = "keras"
_FRAMEWORK = "framework"


def packages_of(benchmark: PlannedBenchmark) -> tuple[str, ...]:
    """Return the packages that a benchmark's training imports, as far as its description tells."""
    workload = benchmark.workload
    if any(one.name == _FRAMEWORK and one.choices == NAMES for one in workload.parameters):
        return _KERAS, str(benchmark.parameters[_FRAMEWORK])
    if workload.ranks and workload.entry.startswith("workloads."):  # the suite's ResNet-50
        return (_KERAS, "tensorflow", *(["horovod"] if benchmark.shape.ranks > 1 else []))
    return ()


def missing_packages(plan: Plan) -> list[str]:
    """Return, a line for each package that the trainings' Python lacks, who needs it and how to get it.

    Nothing where that Python cannot be asked from here: where it is not there, or gives no answer.
    """
    wanted: dict[str, list[str]] = {}
    for benchmark in plan.benchmarks:
        for package in packages_of(benchmark):
            wanted.setdefault(package, []).append(benchmark.name)
    interpreter = shutil.which(plan.site.interpreter or sys.executable)
    if interpreter is None or not wanted:
        return []
    absent = absent_packages(interpreter, tuple(wanted), _environment(plan.site))
    if absent - {_KERAS}:
        absent -= {_KERAS}  # whatever brings the other brings it too
    gpus = any(benchmark.shape.gpus for benchmark in plan.benchmarks)
    unless = " (unless the site's setup lines bring it)" if _set_up_on_nodes(plan.site) else ""
    return [
        f"benchmark{'s' if len(names) > 1 else ''} {', '.join(names)}: {package} is not installed for "
        f"{interpreter}{unless}; in the project's folder: {_install(interpreter, package, gpus=gpus)}"
        for package, names in wanted.items()
        if package in absent
    ]


def check_packages(plan: Plan, say: Callable[[str], None]) -> None:
    """Refuse a plan whose trainings could not even begin.

    Parameters
    ----------
    say
        Told instead where a block's own setup lines may bring what is missing here.

    Raises
    ------
    CampaignError
        With a line for each missing package.
    """
    lines = missing_packages(plan)
    if lines and not _set_up_on_nodes(plan.site):
        raise CampaignError("\n".join(lines))
    for line in lines:
        say(line)


def _set_up_on_nodes(site: Site) -> bool:
    batch = site.scheduler if isinstance(site.scheduler, Batch) else None
    return batch is not None and bool(batch.setup or batch.node_setup or site.script_hook)


def _environment(site: Site) -> dict[str, str]:
    """Return the variables of the trainings that decide what they can import."""
    return os.environ | {name: os.path.expandvars(value) for name, value in site.environment.items()}


def _install(interpreter: str, package: str, *, gpus: bool) -> str:
    """Return the command that installs the project's extra with a package."""
    if package == "horovod":  # built against TensorFlow, with settings that uv alone reads from the project
        return f"uv pip install --python {interpreter} '.[horovod]'"
    extra = package if package in ("jax", "torch") else "gpu" if gpus else "cpu"
    return f"{interpreter} -m pip install '.[{extra}]'"
