"""The references follow the published formulas, and the bound leaves room for roundings alone."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from workloads.deep500.optimizers import gradients
from workloads.deep500.optimizers.definitions import DEFINITIONS, NAMES, Settings
from workloads.deep500.optimizers.reference import RULES, trajectory
from workloads.deep500.rounding import PRECISIONS, UNIT_ROUNDOFF

G, ETA, EPSILON = 0.5, 0.1, 1e-3


def settings(name, definition="torch", **changes):
    return Settings(name, DEFINITIONS[definition], **changes)


def steps(of, slopes=(G,), rates=(ETA,), precision="float32", initial=(1.0,)):
    found = trajectory(
        of, np.array(initial), lambda number, _: np.array([slopes[number - 1]]), rates, precision
    )
    return list(found)


FIRST = {
    ("gradient_descent", "torch"): ETA * G,
    ("momentum", "torch"): ETA * G,
    ("nesterov", "torch"): ETA * 1.9 * G,
    ("nesterov", "keras"): ETA * 1.9 * G,
    ("adam", "torch"): ETA * G / (G + EPSILON),
    ("adam", "keras"): ETA * G / (G + EPSILON / math.sqrt(0.001)),
    ("rmsprop", "torch"): ETA * G / (math.sqrt(0.1) * G + EPSILON),
    ("rmsprop", "keras"): ETA * G / math.sqrt(0.1 * G**2 + EPSILON),
    ("rmsprop_centred", "torch"): ETA * G / (math.sqrt(0.1 * G**2 - (0.1 * G) ** 2) + EPSILON),
    ("rmsprop_centred", "keras"): ETA * G / math.sqrt(0.1 * G**2 - (0.1 * G) ** 2 + EPSILON),
    ("adagrad", "torch"): ETA * G / (G + EPSILON),
    ("adagrad", "keras"): ETA * G / math.sqrt(0.1 + G**2 + EPSILON),
    ("accelegrad", "torch"): ETA * G / math.sqrt(G**2 + EPSILON),
}


@pytest.mark.parametrize(("name", "definition"), FIRST)
def test_the_first_step_is_the_formula(name, definition):
    (step,) = steps(settings(name, definition))
    assert 1 - step.parameters[0] == pytest.approx(FIRST[name, definition], rel=1e-12)


def test_where_the_learning_rate_stands_shows_when_it_changes():
    inside, outside = (
        steps(settings("momentum", one), (G, G), (ETA, ETA / 2))[-1].parameters[0]
        for one in ("keras", "torch")
    )
    assert 1 - inside == pytest.approx(ETA * G + (0.9 * ETA * G + ETA / 2 * G))
    assert 1 - outside == pytest.approx(ETA * G + ETA / 2 * (0.9 * G + G))


def test_adam_after_two_steps():
    first, second = G, -0.25
    mean = 0.9 * 0.1 * first + 0.1 * second
    square = 0.999 * 0.001 * first**2 + 0.001 * second**2
    update = ETA * (mean / (1 - 0.81)) / (math.sqrt(square / (1 - 0.999**2)) + EPSILON)
    found = steps(settings("adam"), (first, second), (ETA, ETA))
    assert found[0].parameters[0] - found[1].parameters[0] == pytest.approx(update, rel=1e-12)


def test_accelegrad_is_the_two_coupled_sequences_of_its_paper():
    """The paper's x, y and z; the reference has y and their difference alone."""

    def slope(where):
        return np.array([1.0, 10.0]) * where

    y = z = np.array([1.0, -2.0])
    squares, expected = EPSILON, []
    for index in range(12):
        weight = 1 if index <= 2 else (index + 1) / 4
        x = z / weight + (1 - 1 / weight) * y
        gradient = slope(x)
        squares += weight**2 * (gradient @ gradient)
        rate = ETA / math.sqrt(squares)
        y, z = x - rate * gradient, z - weight * rate * gradient
        expected.append((y, gradient))
    found = trajectory(
        settings("accelegrad"), np.array([1.0, -2.0]), lambda _, where: slope(where), [ETA] * 12
    )
    for step, (parameters, gradient) in zip(found, expected, strict=True):
        assert step.parameters == pytest.approx(parameters, rel=1e-12)
        assert step.gradient == pytest.approx(gradient, rel=1e-12)


def test_every_optimizer_has_its_rule_with_formula_and_source():
    assert set(RULES) == set(NAMES)
    assert all("Return" in (rule.__doc__ or "") for rule in RULES.values())
    assert all(one.source for one in DEFINITIONS.values())


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", NAMES)
def test_the_bound_grows_and_is_a_share_of_what_was_moved(name, precision):
    slopes = [gradients.drawn(1, 3, number)[0] for number in range(1, 11)]
    found = steps(settings(name), slopes, [ETA] * 10, precision)
    bounds = [one.tolerance[0] for one in found]
    assert all(one < other for one, other in itertools.pairwise(bounds))
    assert bounds[0] > 2 * UNIT_ROUNDOFF[precision] * abs(found[0].parameters[0])
    moved = [abs(one.parameters[0] - other.parameters[0]) for one, other in itertools.pairwise(found)]
    if precision == "float32":
        assert bounds[-1] < 0.01 * sum(moved)


@pytest.mark.parametrize(
    "name", [one for one in NAMES if one not in ("gradient_descent", "momentum", "nesterov", "accelegrad")]
)
def test_the_frameworks_definitions_differ_by_more_than_the_bound(name):
    slopes, rates = [gradients.drawn(1, 3, number)[0] for number in range(1, 6)], [0.01] * 5
    one, other = (steps(settings(name, definition), slopes, rates)[-1] for definition in DEFINITIONS)
    assert abs(one.parameters[0] - other.parameters[0]) > 10 * max(one.tolerance[0], other.tolerance[0])


def test_an_unknown_optimizer_is_refused():
    with pytest.raises(ValueError, match=r"no optimizer 'adamw'; there are gradient_descent, "):
        Settings("adamw")


def test_the_gradients_of_the_network_are_its_slopes():
    sizes = gradients.NETWORK_SHAPES
    where = gradients.initial(sizes, 1)
    slope = gradients.of_network(where, 1)
    assert slope.size == 2762
    line = np.random.default_rng(1).standard_normal(slope.size)
    rows, labels = gradients._rows(1)

    def loss(parameters):
        shares = gradients._forward(parameters, rows)[1]
        return -np.log(shares[np.arange(labels.size), labels]).mean()

    ahead, behind = (loss(where + shift * line) for shift in (1e-5, -1e-5))
    assert (ahead - behind) / 2e-5 == pytest.approx(slope @ line, rel=1e-6)
    assert (gradients.of_network(where, 2) != slope).any()
