"""Optimizers in NumPy float64, element by element, and the error that arithmetic of a precision may make.

Notation: x parameters, g gradient, η learning rate, k number of the step, from 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workloads.deep500.optimizers.definitions import Settings, accelegrad_weight
from workloads.deep500.rounding import UNIT_ROUNDOFF

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

State = dict[str, Any]
_ROUNDINGS = 5
"""Roundings that an update carries of each step before: multiply, multiply and add in each of two states, of
which the root halves those of the second. With two steps more it has room for rate, root and quotient."""


@dataclass(frozen=True, slots=True)
class Step:
    """The parameters after a step.

    Parameters
    ----------
    number
        Of the step, from 1.
    gradient, rate
        That it was taken with.
    parameters
        Values after it.
    tolerance
        Largest error of each of them that the precision explains.
    """

    number: int
    gradient: Floats
    rate: float
    parameters: Floats
    tolerance: Floats


def trajectory(
    settings: Settings,
    initial: Floats,
    gradients: Callable[[int, Floats], Floats],
    rates: Iterable[float],
    precision: str = "float32",
) -> Iterator[Step]:
    """Return the parameters after each step, with the error that the precision may make until then.

    The error after step n is bounded to first order, with the unit roundoff u of the precision, by
    ``2 u Σ |x_k| + Σ e_k U_k``, sums over k = 1 … n. The first term is for the parameters, to which a step
    may add two parts one after the other. U_k is the size of an update, computed with the magnitudes of the
    gradients, because sums of both signs cancel but their errors do not; e_k = 5 (k + 2) u, because the
    states carry the roundings of all steps before. The scalars 1 - β₁ᵏ and √(1 - β₂ᵏ) of Adam and the norm of
    AcceleGrad are expected to have float32's roundoff at least.

    Parameters
    ----------
    initial
        Parameters before the first step.
    gradients
        Returns the gradient of a step, of its number from 1 and the parameters at which it is taken.
    rates
        Learning rate of each step.
    precision
        Type of parameters, gradients and states: one of `workloads.deep500.rounding.PRECISIONS`.
    """
    import numpy as np

    rule, state, magnitudes = RULES[settings.optimizer], State(), State()
    parameters, unit = initial.astype(np.float64), UNIT_ROUNDOFF[precision]
    tolerance = np.zeros_like(parameters)
    for number, rate in enumerate(rates, start=1):
        gradient = gradients(number, parameters - _ahead(settings, state, number))
        update = rule(settings, state, gradient, rate, number)
        if settings.centred:
            size = np.abs(update) * state["cancelled"]
        else:
            size = rule(settings, magnitudes, np.abs(gradient), rate, number)
        parameters = parameters - update
        errors = _ROUNDINGS * (number + 2) * unit + _scalar_error(settings, number, parameters.size)
        tolerance = tolerance + 2 * unit * np.abs(parameters) + errors * size
        yield Step(number, gradient, rate, parameters, tolerance)


def _scalar_error(settings: Settings, number: int, size: int) -> float:
    """Return the relative error of an update by the scalars that it is computed with.

    Adam's 1 - βᵏ loses what the power's roundings are to it. AcceleGrad's is that of a sum of squares over
    all parameters, whose roundings have both signs.
    """
    unit = UNIT_ROUNDOFF["float32"]
    if settings.optimizer == "accelegrad":
        return unit * math.sqrt(size)
    if settings.optimizer != "adam":
        return 0.0
    lost = sum(
        share * beta**number / (1 - beta**number)
        for beta, share in ((settings.beta_1, 1.0), (settings.beta_2, 0.5))
    )
    return unit * (number + 4) * lost


def _ahead(settings: Settings, state: State, number: int) -> Floats | float:
    """Return how far from the parameters the gradient of a step is taken; see `_accelegrad`."""
    if settings.optimizer != "accelegrad":
        return 0.0
    found: Floats | float = state.get("momentum", 0.0) / accelegrad_weight(number)
    return found


def _gradient_descent(settings: Settings, state: State, gradient: Floats, rate: float, number: int) -> Floats:  # noqa: ARG001
    """Return η g."""
    return rate * gradient


def _gathered(settings: Settings, state: State, direction: Floats, rate: float) -> tuple[Floats, float]:
    """Return the momentum of a direction d, and the factor by which it changes the parameters.

    v ← μ v + η d and 1, or v ← μ v + d and η. Source: Polyak, Some methods of speeding up the convergence of
    iteration methods, 1964, in the form of Sutskever et al., On the importance of initialization and momentum
    in deep learning, ICML 2013.
    """
    inside = settings.definition.rate_in_momentum
    state["momentum"] = settings.factor * state.get("momentum", 0.0) + (rate if inside else 1.0) * direction
    return state["momentum"], 1.0 if inside else rate


def _momentum(settings: Settings, state: State, gradient: Floats, rate: float, number: int) -> Floats:  # noqa: ARG001
    """Return the momentum v of the gradient, or η v; see `_gathered`."""
    gathered, factor = _gathered(settings, state, gradient, rate)
    return factor * gathered


def _nesterov(settings: Settings, state: State, gradient: Floats, rate: float, number: int) -> Floats:  # noqa: ARG001
    """Return μ v + η g, or η (μ v + g), with the momentum v after this gradient.

    Source: Bengio, Boulanger-Lewandowski and Pascanu, Advances in optimizing recurrent networks, ICASSP 2013:
    Nesterov's gradient with the parameters taken at the place where the next gradient is computed.
    """
    gathered, factor = _gathered(settings, state, gradient, rate)
    return factor * settings.factor * gathered + rate * gradient


def _adam(settings: Settings, state: State, gradient: Floats, rate: float, number: int) -> Floats:
    """Return η m̂ / (√ŝ + ε), or η √(1 - β₂ᵏ) / (1 - β₁ᵏ) m / (√s + ε).

    m ← β₁ m + (1 - β₁) g, s ← β₂ s + (1 - β₂) g², m̂ = m / (1 - β₁ᵏ), ŝ = s / (1 - β₂ᵏ). Source: Kingma and
    Ba, Adam: a method for stochastic optimization, ICLR 2015, algorithm 1, and the other form in section 2.
    """
    import numpy as np

    one, two = settings.beta_1, settings.beta_2
    state["mean"] = one * state.get("mean", 0.0) + (1 - one) * gradient
    state["square"] = two * state.get("square", 0.0) + (1 - two) * gradient**2
    correction = np.sqrt(1 - two**number)
    root = np.sqrt(state["square"])
    if settings.definition.epsilon_after_correction:
        divisor = root / correction + settings.epsilon
    else:
        divisor = (root + settings.epsilon) / correction
    update: Floats = rate * state["mean"] / (1 - one**number) / divisor
    return update


def _rmsprop(settings: Settings, state: State, gradient: Floats, rate: float, number: int) -> Floats:  # noqa: ARG001
    """Return η d with d = g / (√s + ε), or g / √(s + ε), or the momentum of d; see `_gathered`.

    s ← ρ s + (1 - ρ) g²; centred, s less the square of a ← ρ a + (1 - ρ) g takes its place. Sources: Tieleman
    and Hinton, Lecture 6.5 of Neural networks for machine learning, 2012; centred and with momentum: Graves,
    Generating sequences with recurrent neural networks, 2013, equations 38 to 41.
    """
    import numpy as np

    rho = settings.rho
    state["square"] = rho * state.get("square", 0.0) + (1 - rho) * gradient**2
    spread = state["square"]
    if settings.centred:
        state["mean"] = rho * state.get("mean", 0.0) + (1 - rho) * gradient
        spread = state["square"] - state["mean"] ** 2
        # How much larger the relative error of the difference is than those of its terms.
        sum_of_terms = state["square"] + state["mean"] ** 2 + settings.epsilon
        state["cancelled"] = sum_of_terms / (spread + settings.epsilon)
    if settings.definition.epsilon_in_root:
        divisor = np.sqrt(spread + settings.epsilon)
    else:
        divisor = np.sqrt(spread) + settings.epsilon
    gathered, factor = _gathered(settings, state, gradient / divisor, rate)
    return factor * gathered


def _adagrad(settings: Settings, state: State, gradient: Floats, rate: float, number: int) -> Floats:  # noqa: ARG001
    """Return η g / (√s + ε), or η g / √(s + ε), with s ← s + g².

    Source: Duchi, Hazan and Singer, Adaptive subgradient methods for online learning and stochastic
    optimization, JMLR 12, 2011, with the diagonal matrix.
    """
    import numpy as np

    before = state.get("square", settings.definition.initial_accumulator)
    state["square"] = before + gradient**2
    if settings.definition.epsilon_in_root:
        divisor = np.sqrt(state["square"] + settings.epsilon)
    else:
        divisor = np.sqrt(state["square"]) + settings.epsilon
    update: Floats = rate * gradient / divisor
    return update


def _accelegrad(settings: Settings, state: State, gradient: Floats, rate: float, number: int) -> Floats:
    """Return v / α + η' g, with g taken at x - v / α, where η' = η / √(Σ α² ‖g‖² + ε) and α = max(1, k / 4).

    v ← (1 - 1 / α) v + (α - 1) η' g. Source: Levy, Yurtsever and Cevher, Online adaptive methods,
    universality and acceleration, NeurIPS 2018, algorithm 2, without its projection: x is their y, v their
    y - z, η their 2 D, and ε their G². The norm is that of the gradients of all parameters.
    """
    import numpy as np

    weight, ahead = accelegrad_weight(number), _ahead(settings, state, number)
    state["squares"] = state.get("squares", 0.0) + weight**2 * np.sum(gradient**2)
    change = rate / np.sqrt(state["squares"] + settings.epsilon) * gradient
    state["momentum"] = (1 - 1 / weight) * state.get("momentum", 0.0) + (weight - 1) * change
    update: Floats = ahead + change
    return update


Rule = Callable[[Settings, State, "Floats", float, int], "Floats"]
"""Returns what is subtracted from the parameters: of settings, own state, gradient, learning rate, step."""

RULES: dict[str, Rule] = {
    "gradient_descent": _gradient_descent,
    "momentum": _momentum,
    "nesterov": _nesterov,
    "adam": _adam,
    "rmsprop": _rmsprop,
    "rmsprop_momentum": _rmsprop,
    "rmsprop_centred": _rmsprop,
    "adagrad": _adagrad,
    "accelegrad": _accelegrad,
}
