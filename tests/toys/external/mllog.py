"""Prints the MLLOG lines of a short training, as programs of MLPerf HPC do: mllog.py SEED EPOCHS."""

from __future__ import annotations

import json
import sys
import time

SETTINGS = {
    "number_of_ranks": 1, "train_samples": 64, "eval_samples": 16, "global_batch_size": 4,
    "opt_base_learning_rate": 1e-3,
    "opt_learning_rate_warmup_epochs": 0, "opt_learning_rate_warmup_factor": 1.0,
    "opt_learning_rate_decay_boundary_epochs": [], "opt_learning_rate_decay_factor": 1.0,
}  # fmt: skip
seed, epochs = map(int, sys.argv[1:])


def put(key: str, value: object = None, kind: str = "POINT_IN_TIME", **metadata: object) -> None:
    place = {"file": "mllog.py", "lineno": 1}
    event = {
        "namespace": "",
        "time_ms": int(time.time() * 1e3),
        "event_type": kind,
        "key": key,
        "value": value,
    }
    print(f":::MLLOG {json.dumps(event | {'metadata': place | metadata})}", flush=True)


put("submission_org", "SUBMISSION_ORG_PLACEHOLDER")
put("cache_clear", value=True)
put("init_start", kind="INTERVAL_START")
put("seed", seed)
for name, given in SETTINGS.items():
    put(name, given)
put("init_stop", kind="INTERVAL_END")
put("run_start", kind="INTERVAL_START")
for epoch in range(1, epochs + 1):
    put("epoch_start", kind="INTERVAL_START", epoch_num=epoch)
    time.sleep(0.005)
    put("epoch_stop", kind="INTERVAL_END", epoch_num=epoch)
    put("eval_start", kind="INTERVAL_START", epoch_num=epoch)
    put("eval_error", 0.3 / epoch, epoch_num=epoch)
    put("eval_stop", kind="INTERVAL_END", epoch_num=epoch)
put("run_stop", kind="INTERVAL_END", status="success")
