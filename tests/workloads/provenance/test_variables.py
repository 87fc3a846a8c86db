from __future__ import annotations

from workloads.provenance.variables import recorded_variables


def test_what_changes_speed_or_numbers_is_recorded_without_secrets() -> None:
    given = {
        "OMP_NUM_THREADS": "4", "TF_XLA_FLAGS": "--x", "KERAS_HOME": "/k", "MALLOC_ARENA_MAX": "1",
        "LD_PRELOAD": "a.so", "PYTHONPATH": "/fork", "HOROVOD_CYCLE_TIME": "1",
        "TF_API_TOKEN": "t", "HOROVOD_SECRET_KEY": "k", "TF_PROXY": "http://me:word@host/",
        "HOME": "/home/me", "SLURM_JOB_ID": "7", "MY_PASSWORD": "p",
        "CUDA_VISIBLE_DEVICES": "GPU-1", "ROCR_VISIBLE_DEVICES": "0", "HOROVOD_RANK": "1",
        "HOROVOD_GLOO_RENDEZVOUS_PORT": "4242",
    }  # fmt: skip
    assert recorded_variables(given) == {
        "OMP_NUM_THREADS": "4", "TF_XLA_FLAGS": "--x", "KERAS_HOME": "/k", "MALLOC_ARENA_MAX": "1",
        "LD_PRELOAD": "a.so", "PYTHONPATH": "/fork", "HOROVOD_CYCLE_TIME": "1",
        "TF_API_TOKEN": None, "HOROVOD_SECRET_KEY": None, "TF_PROXY": None,
    }  # fmt: skip
