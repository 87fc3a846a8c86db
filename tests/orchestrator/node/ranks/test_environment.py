from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.node.ranks.environment import rank_environment, runner_request
from orchestrator.protocol.order import AttemptOrder, RankResources
from tests.messages import order


def environment(ordered: AttemptOrder) -> dict[str, str]:
    return rank_environment(ordered, 0, 1, 2, [], "n1", None)


def test_a_training_inherits_what_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SETTING", "1")
    monkeypatch.setenv("KERAS_MAX_EPOCHS", "1")
    monkeypatch.setenv("PARSL_X", "1")
    assert not {"MY_SETTING", "KERAS_MAX_EPOCHS", "PARSL_X"} & set(environment(order()))
    assert environment(order())["PATH"]
    assert "MY_SETTING" in environment(order(inherit=("MY_*",)))
    every = environment(order(inherit=("*",)))
    assert every["KERAS_MAX_EPOCHS"] == "1"
    assert "PARSL_X" not in every
    assert environment(order(environment={"KERAS_MAX_EPOCHS": "2"}))["KERAS_MAX_EPOCHS"] == "2"


def test_a_training_knows_which_listings_need_no_report() -> None:
    request = runner_request(order(known_documents=("a" * 64,)), 0, 1, RankResources((0,)), [])
    assert request["known_documents"] == ["a" * 64]


def test_paths_of_the_dataset_cache_have_the_nodes_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NODE_DISK", "/disk")
    for stage, found in (("$NODE_DISK/cache", "/disk/cache"), (None, None)):
        ordered = order(cache="/shared/cache", cache_stage=stage)
        request = runner_request(ordered, 0, 1, RankResources((0,)), [])
        assert (request["cache"], request["cache_stage"]) == ("/shared/cache", found)


@pytest.mark.slow
def test_a_users_keras_json_changes_no_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"floatx": "float16", "epsilon": 1e-7, "backend": "jax", "image_data_format": "channels_first"}
    for home in (tmp_path / ".keras", tmp_path / "other"):
        home.mkdir()
        (home / "keras.json").write_text(json.dumps(settings))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KERAS_HOME", str(tmp_path / "other"))
    program = "from keras import config; print(config.floatx(), config.image_data_format(), config.backend())"
    for inherit in ((), ("*",)):
        variables = environment(order(inherit=inherit)) | {"KERAS_BACKEND": "tensorflow"}
        done = subprocess.run([sys.executable, "-c", program], env=variables, capture_output=True, text=True)
        assert done.stdout.split() == ["float32", "channels_last", "tensorflow"], done.stderr
