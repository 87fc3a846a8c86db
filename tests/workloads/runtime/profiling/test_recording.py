"""Real trainings of each framework are profiled, each in a process of its own; what fails costs no result."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.harness import wait_for
from tests.schedulers.fixtures import missing
from workloads.runtime.profiling import recording
from workloads.runtime.profiling.kernels import Lines, Span, read_profile
from workloads.runtime.profiling.profilers import SpanProfiler, profiler
from workloads.runtime.profiling.recording import ProfileRecording

TRAINING = """
import json, sys, time
import keras, numpy
from workloads.runtime.profiling.recording import ProfileRecording
layers = keras.layers
model = keras.Sequential([
    keras.Input((16, 16, 3)), layers.Conv2D(16, 3), layers.BatchNormalization(), layers.ReLU(),
    layers.MaxPooling2D(), layers.Flatten(), layers.Dense(10),
])
jit = "auto" if keras.backend.backend() == "jax" else False
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=jit)
images, labels = numpy.ones((256, 16, 16, 3), "float32"), numpy.zeros(256)
model.fit(images, labels, batch_size=64, verbose=0)
recording = ProfileRecording(sys.argv[1], 0.0, 60.0)
recording.start()
until = time.monotonic() + 1.5
while time.monotonic() < until:
    model.fit(images, labels, batch_size=64, verbose=0)
recording.end()
print(json.dumps({one.name: one.value for one in recording.keep()}), recording.state)
recording.close()
"""


class Made(SpanProfiler):
    """A profiler with one kernel, which may fail."""

    name = "torch"

    def __init__(self, fails: str = "") -> None:
        self.fails, self.calls = fails, [""]

    def start(self) -> None:
        self._note("start")

    def stop(self) -> None:
        self._note("stop")

    def lines(self) -> tuple[str, Lines]:
        self._note("lines")
        return "device", [[Span(0, 10, "aten::mm")]]

    def close(self) -> None:
        self._note("close")

    def _note(self, name: str) -> None:
        self.calls.append(name)
        if self.fails == name:
            raise RuntimeError(f"{name} was to fail")


@pytest.mark.parametrize("framework", ["tensorflow", "torch", "jax"])
def test_kernels_of_a_training_are_recorded_by_class(framework: str, tmp_path: Path) -> None:
    missing([] if importlib.util.find_spec(framework) else [f"{framework} is not installed: make backends"])
    file = tmp_path / "toy-0.1.json.gz"
    done = subprocess.run(
        [sys.executable, "-c", TRAINING, str(file)],
        env=os.environ | {"KERAS_BACKEND": framework, "TF_CPP_MIN_LOG_LEVEL": "2"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    *_, line = done.stdout.splitlines()
    metrics: dict[str, Any]
    metrics, end = json.JSONDecoder().raw_decode(line)
    assert line[end:] == " recorded"
    profile = read_profile(file)
    assert (profile.profiler, profile.place) == (framework, "host")
    assert 0 < profile.busy_seconds <= metrics["profile_seconds"]
    assert metrics["profile_kernel_seconds"] == pytest.approx(profile.kernel_seconds)
    classes = profile.by_class()
    assert "allreduce" not in classes
    assert all(classes[name] > 0 for name in ("pooling", "element_wise"))
    if framework != "jax":  # whose fused kernels on a CPU do not name their convolutions
        assert all(classes[name] > 0 for name in ("convolution", "gemm"))
    shares = [value for name, value in metrics.items() if name.endswith("_percent")]
    assert sum(shares) == pytest.approx(100.0)


def test_a_run_that_ends_before_its_profile_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Made()
    monkeypatch.setattr(recording, "profiler", lambda: made)
    asked = ProfileRecording(str(tmp_path / "f.json.gz"), 3600.0, 10.0)
    asked.start()
    assert asked.keep() == ()
    assert asked.state == "not begun"
    assert capsys.readouterr().err == "no profile: the run ended before its profile began, after 3600 s\n"
    asked.close()
    assert made.calls == ["", "close"]
    assert list(tmp_path.iterdir()) == []


def test_a_profile_ends_after_its_duration_and_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Made()
    monkeypatch.setattr(recording, "profiler", lambda: made)
    asked = ProfileRecording(str(tmp_path / "f.json.gz"), 0.0, 0.01)
    asked.start()
    asked._thread.join()  # without the end of the run
    assert [one.name for one in asked.keep()][:1] == ["profile_seconds"]
    asked.close()
    assert asked.state == "recorded"
    assert made.calls == ["", "start", "stop", "lines", "close"]
    assert read_profile(tmp_path / "f.json.gz").kernels[0].name == "aten::mm"


@pytest.mark.parametrize("fails", ["start", "stop", "lines"])
def test_a_profiler_that_fails_costs_no_result(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recording, "profiler", lambda: Made(fails))
    asked = ProfileRecording(str(tmp_path / "f.json.gz"), 0.0, 0.01)
    asked.start()
    asked._thread.join()
    assert [one.name for one in asked.keep()] == ["profile_seconds"]  # it took time, and does not count
    assert asked.state == "failed"
    assert f"no profile: RuntimeError: {fails} was to fail" in capsys.readouterr().err


def test_a_profiler_that_does_not_stop_costs_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    held = threading.Event()
    made = Made()
    monkeypatch.setattr(made, "stop", held.wait)
    monkeypatch.setattr(recording, "profiler", lambda: made)
    monkeypatch.setattr(recording, "_STOP_SECONDS", 0.01)
    asked = ProfileRecording(str(tmp_path / "f.json.gz"), 0.0, 0.01)
    asked.start()
    wait_for(lambda: asked.state == "failed", "the profile to begin")
    asked.keep()
    assert "no profile: the profiler did not stop within 0.01 s" in capsys.readouterr().err
    held.set()
    asked._thread.join()


def test_a_process_without_a_framework_has_no_profiler(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("keras", "torch", "jax", "tensorflow"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert profiler() is None
    asked = ProfileRecording(str(tmp_path / "f.json.gz"), 0.0, 10.0)
    asked.start()
    assert asked.keep() == ()
    assert asked.state == "not begun"
    assert "had imported neither TensorFlow, JAX nor PyTorch when it began" in capsys.readouterr().err
