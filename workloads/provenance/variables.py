"""Environment variables that can change a training's speed or numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PREFIXES = (
    # frameworks and compilers
    "AUTOGRAPH_", "HOROVOD_", "ITEX_", "JAX_", "KERAS_", "PJRT_", "PYTORCH_", "TF_", "TF2_", "TORCH",
    "TRITON_", "XLA_",
    # threads and mathematics
    "ACL_", "BLIS_", "DNNL_", "GOMP_", "GOTO_", "KMP_", "MKL_", "NUMEXPR_", "OMP_", "ONEDNN_", "OPENBLAS_",
    "VECLIB_",
    # devices and communication
    "AMD_", "CCL_", "CUBLAS", "CUDA_", "CUDNN_", "FI_", "GLOO_", "GPU_", "HIP", "HSA_", "I_MPI_", "MIOPEN_",
    "MPICH_", "NCCL_", "NVIDIA_", "NVTE_", "OMPI_MCA_", "ONEAPI_", "RCCL_", "ROCBLAS_", "ROCM_", "ROCR_",
    "SYCL_", "TENSILE_", "UCX_", "ZE_",
    # the process
    "GLIBC_TUNABLES", "JEMALLOC_", "LD_", "MALLOC_", "MIMALLOC_", "PYTHON", "TCMALLOC_",
)  # fmt: skip
# Each process has its own value; recorded, every attempt would have a set of variables of its own. Ranks,
# devices and addresses are in the observation and in the order.
_OF_ONE_PROCESS = re.compile(
    r".*VISIBLE_DEVICES|GPU_DEVICE_ORDINAL|ZE_AFFINITY_MASK"
    r"|HOROVOD_(RANK|SIZE|(LOCAL|CROSS)_(RANK|SIZE)|HOSTNAME|GLOO_RENDEZVOUS_(ADDR|PORT)|GLOO_IFACE)|FI_TCP_IFACE"
)
_SECRET = re.compile(r"TOKEN|PASS|_PWD|SECRET|KEY|CREDENTIAL|COOKIE|AUTH|JWT|BEARER|SIGNATURE")
_IN_ADDRESS = re.compile(r"://[^/\s@]*@|://\S*[?&]\S*=")


def recorded_variables(environment: Mapping[str, str]) -> dict[str, str | None]:
    """Return the variables that can change speed or numbers; None stands for a value that may be a secret."""
    return {
        name: None if is_secret(name, value) else value
        for name, value in sorted(environment.items())
        if name.startswith(_PREFIXES) and not _OF_ONE_PROCESS.fullmatch(name)
    }


def is_secret(name: str, value: str) -> bool:
    """Return whether a variable may hold a secret, by its name or by credentials in an address."""
    return bool(_SECRET.search(name.upper()) or _IN_ADDRESS.search(value))


def variables_document(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the document of a process's recorded variables."""
    return {"variables": recorded_variables(environment)}
