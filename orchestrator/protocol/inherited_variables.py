"""Environment variables that a training inherits from the worker that starts it."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Callable

INHERITED = (
    # the user, the language, temporary files
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "HOSTNAME", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR",
    "XDG_*",
    # what a module system or an environment manager sets
    "LD_LIBRARY_PATH", "MODULE*", "LOADEDMODULES", "_LMFILES_", "LMOD_*", "CONDA_*", "VIRTUAL_ENV", "SPACK_*",
    "PYTHONPATH", "PYTHONUSERBASE", "PYTHONNOUSERSITE", "PYTHONDONTWRITEBYTECODE",
    # devices
    "CUDA_*", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "ROCM_*", "ROCR_*", "HIP_*", "HSA_*",
    "GPU_DEVICE_ORDINAL", "ZE_*", "ONEAPI_*",
    # communication
    "NCCL_*", "RCCL_*", "UCX_*", "FI_*", "MPI_*", "MPICH_*", "OMPI_*", "I_MPI_*", "PMI_*", "PMIX_*", "PALS_*",
    "ALPS_*", "CRAY_*",
    # batch systems
    "SLURM_*", "SLURMD_*", "PBS_*", "LSB_*", "LSF_*", "LS_*", "JSM_*", "FLUX_*",
    # marks of our own processes
    "ORCHESTRATOR_*",
)  # fmt: skip
"""Names and globs of the variables that every training inherits."""
ALL = "*"
NO_KERAS_HOME = "/dev/null/keras"
"""Directory that cannot exist: Keras takes its own defaults, and not those of a user's ``keras.json``."""


@functools.cache
def inherited(further: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a function that tells whether a training inherits a variable.

    Parameters
    ----------
    further
        Names and globs beside `INHERITED`.
    """
    expression = re.compile("|".join(fnmatch.translate(one) for one in (*INHERITED, *further)))
    return functools.cache(lambda name: expression.match(name) is not None)
