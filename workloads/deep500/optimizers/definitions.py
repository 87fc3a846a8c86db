"""Where the frameworks define an optimizer in different ways: data, with their sources.

The reference takes these as parameters, so that a difference that is left is a defect.
"""

from __future__ import annotations

from dataclasses import dataclass

NAMES = (
    "gradient_descent",
    "momentum",
    "nesterov",
    "adam",
    "rmsprop",
    "rmsprop_momentum",
    "rmsprop_centred",
    "adagrad",
    "accelegrad",
)


@dataclass(frozen=True, slots=True)
class Definition:
    """Choices that an optimizer's published formula leaves open, or that frameworks make otherwise.

    Parameters
    ----------
    rate_in_momentum
        The momentum gathers steps, v ← μ v + η d, x ← x - v; otherwise directions, v ← μ v + d, x ← x - η v.
        They differ where the learning rate η changes.
    epsilon_in_root
        RMSProp and AdaGrad divide by √(s + ε), otherwise by √s + ε.
    epsilon_after_correction
        Adam divides by √(s / (1 - β₂ᵏ)) + ε, otherwise by √s + ε, and corrects the quotient.
    initial_accumulator
        Sum of squares with which AdaGrad begins.
    """

    source: str
    rate_in_momentum: bool
    epsilon_in_root: bool
    epsilon_after_correction: bool
    initial_accumulator: float


DEFINITIONS = {
    "keras": Definition(
        source="Keras 3.15.1, keras/src/optimizers/{sgd,adam,rmsprop,adagrad}.py",
        rate_in_momentum=True,
        epsilon_in_root=True,
        epsilon_after_correction=False,
        initial_accumulator=0.1,
    ),
    "torch": Definition(
        source="PyTorch 2.13.0, torch/optim/{sgd,adam,rmsprop,adagrad}.py",
        rate_in_momentum=False,
        epsilon_in_root=False,
        epsilon_after_correction=True,
        initial_accumulator=0.0,
    ),
}

ACCELEGRAD = (
    "Levy, Yurtsever and Cevher, NeurIPS 2018, algorithm 2, with the sum of squares over all parameters"
)


def accelegrad_weight(number: int) -> float:
    """Return α of a step of AcceleGrad, counted from 1, in which its gradient weighs so much."""
    return max(1.0, number / 4)


@dataclass(frozen=True, slots=True)
class Settings:
    """An optimizer with its constants.

    Parameters
    ----------
    optimizer
        One of `NAMES`.
    definition
        What its formula leaves open.
    momentum
        μ of ``momentum``, ``nesterov`` and ``rmsprop_momentum``.
    beta_1, beta_2
        Shares that Adam keeps of the means of gradients and of their squares.
    rho
        Share that RMSProp keeps of the mean of squares.
    epsilon
        Added to divisors.
    """

    optimizer: str
    definition: Definition = DEFINITIONS["torch"]
    momentum: float = 0.9
    beta_1: float = 0.9
    beta_2: float = 0.999
    rho: float = 0.9
    epsilon: float = 1e-3

    def __post_init__(self) -> None:
        if self.optimizer not in NAMES:
            raise ValueError(f"no optimizer {self.optimizer!r}; there are {', '.join(NAMES)}")

    @property
    def source(self) -> str:
        """Where the formula with these choices is from."""
        return ACCELEGRAD if self.optimizer == "accelegrad" else self.definition.source

    @property
    def centred(self) -> bool:
        """True if RMSProp subtracts the square of the mean gradient."""
        return self.optimizer == "rmsprop_centred"

    @property
    def factor(self) -> float:
        """The momentum that is in force: 0 of an optimizer without one."""
        return self.momentum if self.optimizer in ("momentum", "nesterov", "rmsprop_momentum") else 0.0
