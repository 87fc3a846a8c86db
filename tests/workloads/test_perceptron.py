from __future__ import annotations

import math

import numpy as np
import pytest

from workloads.perceptron import WORKLOAD, Perceptron, PerceptronParameters, spiral_points

SMALL = {"train_points": 90, "test_points": 60, "epochs": 3}


def test_points_without_noise_lie_on_their_spirals():
    parameters = PerceptronParameters(spirals=2, turns=2.0, noise=0.0)
    points, labels = spiral_points(parameters, 100, np.random.default_rng(1))
    radius = np.hypot(*points.T)
    angle = 2 * math.pi * (2.0 * radius + labels / 2)
    np.testing.assert_allclose(points, (radius * [np.cos(angle), np.sin(angle)]).T, atol=1e-12)
    assert set(labels) == {0, 1}


def test_gradients_by_hand_are_those_of_differences():
    random = np.random.default_rng(1)
    network = Perceptron(4, 3, random)
    points, labels = random.standard_normal((7, 2)), random.integers(0, 3, 7)
    loss, gradients = network.gradients(points, labels)
    assert loss == network.loss(points, labels)
    for array, gradient in zip(network.weights, gradients, strict=True):
        for place in np.ndindex(array.shape):
            before = array[place]
            beside = []
            for change in (1e-6, -1e-6):
                array[place] = before + change
                beside.append(network.loss(points, labels))
            array[place] = before
            assert gradient[place] == pytest.approx((beside[0] - beside[1]) / 2e-6, abs=1e-8)


def test_a_step_goes_down_the_gradient_and_keeps_a_share_of_the_step_before():
    random = np.random.default_rng(1)
    network = Perceptron(4, 3, random)
    points, labels = random.standard_normal((7, 2)), random.integers(0, 3, 7)
    first = network.weights[0].copy()
    one = -0.1 * network.gradients(points, labels)[1][0]
    network.train(points, labels, 0.1, 0.5)
    np.testing.assert_allclose(network.weights[0], first + one)
    two = 0.5 * one - 0.1 * network.gradients(points, labels)[1][0]
    network.train(points, labels, 0.1, 0.5)
    np.testing.assert_allclose(network.weights[0], first + one + two)


def test_it_learns_the_spirals_and_counts_its_steps(run):
    done = run("perceptron", {"train_points": 1000, "epochs": 100})
    assert done.result.accuracy > 0.9  # a guess is right for a third of the points
    assert done.metric("optimizer_steps") == 100 * 32  # 31 batches of 32 points, and one of 8
    assert done.metric("samples_seen") == 100_000
    assert done.metric("trainable_parameters") == WORKLOAD.sizes["trainable_parameters"]


def test_a_training_seed_replaces_the_instances_own(run):
    own, other = (run("perceptron", SMALL, seed=seed).metric("last_loss") for seed in (1, 2))
    assert own != other
    shared = [
        run("perceptron", SMALL | {"training_seed": 7}, seed=seed).metric("last_loss") for seed in (1, 2)
    ]
    assert shared[0] == shared[1]


def test_a_training_that_diverges_fails(run):
    with pytest.raises(ArithmeticError, match="smaller learning_rate"), np.errstate(all="ignore"):
        run("perceptron", SMALL | {"learning_rate": 1e308})


def test_a_training_that_goes_on_ends_like_one_that_was_never_interrupted(run, tmp_path):
    resume = SMALL | {"resume": True}
    whole = run("perceptron", SMALL | {"epochs": 5}, seed=4)
    first = run("perceptron", resume, seed=4, scratch=tmp_path)
    assert first.metric("checkpoints_written") == 3
    second = run("perceptron", resume | {"epochs": 5}, seed=4, scratch=tmp_path)
    assert second.metric("resumed_from_epoch") == 3
    assert second.metric("last_loss") == whole.metric("last_loss")
    assert second.metric("optimizer_steps") == 2 * 3
    other = run("perceptron", resume | {"epochs": 5, "momentum": 0.5}, seed=4, scratch=tmp_path)
    assert not [one for one in other.result.metrics if one.name == "resumed_from_epoch"]
