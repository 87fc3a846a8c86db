"""Prints an MLflow file store as JSON, as MLflow's own client reads it: mlflow_reader.py FOLDER.

It runs in an environment of its own, with mlflow-skinny.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.update(MLFLOW_ALLOW_FILE_STORE="true", MLFLOW_DISABLE_TELEMETRY="true", DO_NOT_TRACK="true")

if __name__ == "__main__":
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=Path(sys.argv[1]).resolve().as_uri())
    found = {}
    for experiment in client.search_experiments():
        for run in client.search_runs([experiment.experiment_id]):
            histories = {
                name: [
                    (one.step, one.value, one.timestamp)
                    for one in client.get_metric_history(run.info.run_id, name)
                ]
                for name in run.data.metrics
            }
            found[f"{experiment.name}/{run.info.run_name}"] = {
                "status": run.info.status, "start": run.info.start_time, "end": run.info.end_time,
                "params": run.data.params, "tags": run.data.tags, "metrics": histories,
            }  # fmt: skip
    print(json.dumps(found))
