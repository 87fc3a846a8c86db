from __future__ import annotations

import math

import numpy as np
import pytest

from tests.workloads.orders import send
from workloads.context import Context, SlotView
from workloads.lstm import WORKLOAD, Layer
from workloads.runtime.framework import configure_framework

SMALL = {"batch_size": 8, "hidden_width": 16, "sequence_length": 5, "steps": 10}


@pytest.fixture
def single():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _reference(kernel, sequences):
    """The published cell, one time step after another: gates in the order in, new, forget, out."""
    state = output = np.zeros_like(sequences[0])
    for step in sequences:
        enter, new, forget, leave = np.split(np.concatenate([step, output], axis=1) @ kernel, 4, axis=1)
        state = state * _sigmoid(forget + 1) + _sigmoid(enter) * np.tanh(new)
        output = np.tanh(state) * _sigmoid(leave)
    return output


def test_the_forward_run_is_the_basic_cell(single):
    layer = Layer(6, 0.01)
    sequences = np.random.default_rng(1).random((4, 3, 6), dtype=np.float32)
    expected = _reference(layer.kernel.numpy().astype(float), sequences.astype(float))
    np.testing.assert_allclose(layer.forward(sequences).numpy(), expected, rtol=1e-4, atol=1e-6)


def test_a_training_step_updates_the_weights_and_returns_the_summed_square(single):
    layer = Layer(6, 0.01)
    random = np.random.default_rng(1)
    sequences, target = random.random((4, 3, 6), dtype=np.float32), random.random((3, 6), dtype=np.float32)
    before = ((layer.forward(sequences).numpy() - target) ** 2).sum()
    kernel = layer.kernel.numpy()
    assert layer.train(sequences, target).numpy() == pytest.approx(before, rel=1e-5)
    assert (layer.kernel.numpy() != kernel).any()
    assert layer.bias.numpy().any()
    assert ((layer.forward(sequences).numpy() - target) ** 2).sum() < before


def test_a_run_times_training_inside_its_window():
    report = send("lstm", SMALL)
    assert report.marks == ["ready", "run_start", "timed_window_start", "timed_window_stop", "run_stop"]
    result = report.last["result"]
    at = {line["mark"]: line["at_us"] for line in report.lines[:-1]}
    window = (at["timed_window_stop"] - at["timed_window_start"]) / 1e6
    assert 0 < result["fom_seconds"] * 8 * 10 <= window
    assert result["accuracy"] is None
    metrics = {metric["name"]: metric for metric in result["metrics"]}
    assert metrics["last_loss"]["value"] < metrics["first_loss"]["value"]
    assert metrics["forward_seconds_per_sample"]["unit"] == "s/sample"
    assert metrics["trainable_parameters"]["value"] == 4 * (32 * 16 + 16)


def test_the_seed_decides_the_losses(run):
    first, again, other = (run("lstm", SMALL, seed=seed) for seed in (1, 1, 2))
    assert first.metric("last_loss") == again.metric("last_loss") != other.metric("last_loss")


def test_reduced_precision_runs(run):
    done = run("lstm", SMALL | {"precision": "mixed_bfloat16"})
    assert done.metric("last_loss") < done.metric("first_loss")
    assert done.result.observed["precision"] == "mixed_bfloat16"


def test_the_full_layer_has_the_published_size(single):
    layer = Layer(1024, 0.01)
    assert layer.trainable_parameters() == WORKLOAD.sizes["trainable_parameters"]
    assert 2 * math.prod(layer.kernel.shape) * 30 == WORKLOAD.sizes["forward_flop_per_sample"]
