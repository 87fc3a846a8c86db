"""Apply an optimizer of a framework, or the rule of a user, to Keras variables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from workloads.deep500 import user_module
from workloads.deep500.optimizers.accelegrad import AcceleGrad
from workloads.deep500.optimizers.definitions import Settings
from workloads.deep500.optimizers.rules import UpdateRule, load_rule


@dataclass(frozen=True, slots=True)
class Update:
    """A step of an optimizer in its two parts.

    Parameters
    ----------
    apply
        Changes the variables once, by a gradient for each and a learning rate.
    begin
        Called with the learning rate before the gradient is computed; may change the variables for that.
    """

    apply: Callable[[Sequence[Any], float], None]
    begin: Callable[[float], None] = lambda rate: None  # noqa: ARG005


def implementation(framework: str, asked: str) -> str:
    """Return whose optimizer runs, ``keras`` or ``torch``: PyTorch's own where it runs and is asked for."""
    return "torch" if (framework, asked) == ("torch", "native") else "keras"


def framework_update(settings: Settings, framework: str, asked: str, variables: Sequence[Any]) -> Update:
    """Return the update by an optimizer of a framework, or by AcceleGrad, which runs operation by operation.

    Parameters
    ----------
    settings
        The optimizer; its definition is not asked for, because each framework has its own.
    asked
        ``native`` or ``keras``; see `implementation`.
    """
    if settings.optimizer == "accelegrad":
        own = AcceleGrad(variables, settings.epsilon, _copy)
        return Update(own.apply, own.begin)
    if implementation(framework, asked) == "torch":
        return _torch_update(settings, variables)
    optimizer = _keras_optimizer(settings)
    optimizer.build(variables)
    make = {"tensorflow": _tensorflow, "jax": _jax}.get(framework)
    apply = optimizer.apply if make is None else make(optimizer, variables)

    def update(gradients: Sequence[Any], rate: float) -> None:
        optimizer.learning_rate = rate
        apply(gradients)

    return Update(update)


def rule_of(path: str, settings: Settings) -> UpdateRule | None:
    """Return a user's rule with these settings as its constants; None for an empty path.

    Then the rule of an earlier run of this process is forgotten.
    """
    if not path:
        user_module.forget()
        return None
    constants = asdict(settings)
    return load_rule(path, {name: constants[name] for name in constants if name != "definition"})


def rule_update(rule: UpdateRule, variables: Sequence[Any]) -> Update:
    """Return the update by a rule, which runs operation by operation."""
    names = [f"parameter_{number}" for number in range(len(variables))]

    def begin(rate: float) -> None:
        rule.begin(rate)
        for name, variable in zip(names, variables, strict=True):
            variable.assign(rule.prepared(name, _copy(variable)))

    def apply(gradients: Sequence[Any], rate: float) -> None:  # noqa: ARG001
        for name, variable, gradient in zip(names, variables, gradients, strict=True):
            variable.assign(rule.updated(name, _copy(variable), gradient))

    return Update(apply, begin)


def _copy(variable: Any) -> Any:
    """Return a variable's value, which does not change with it, and of which no gradient is taken."""
    import keras

    value = variable.value
    return value.detach().clone() if hasattr(value, "detach") else keras.ops.convert_to_tensor(value)


def _keras_optimizer(settings: Settings) -> Any:
    import keras

    rmsprop = {"rho": settings.rho, "epsilon": settings.epsilon, "momentum": settings.factor}
    made: dict[str, Callable[[], Any]] = {
        "adam": lambda: keras.optimizers.Adam(
            beta_1=settings.beta_1, beta_2=settings.beta_2, epsilon=settings.epsilon
        ),
        "adagrad": lambda: keras.optimizers.Adagrad(epsilon=settings.epsilon),
        "rmsprop": lambda: keras.optimizers.RMSprop(**rmsprop),
        "rmsprop_momentum": lambda: keras.optimizers.RMSprop(**rmsprop),
        "rmsprop_centred": lambda: keras.optimizers.RMSprop(**rmsprop, centered=True),
    }
    descent = keras.optimizers.SGD
    return made.get(
        settings.optimizer,
        lambda: descent(momentum=settings.factor, nesterov=settings.optimizer == "nesterov"),
    )()


def _tensorflow(optimizer: Any, variables: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:  # noqa: ARG001
    import tensorflow as tf

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator]
    def apply(gradients: Sequence[Any]) -> None:
        optimizer.apply(gradients)

    return lambda gradients: apply(list(gradients))


def _jax(optimizer: Any, variables: Sequence[Any]) -> Callable[[Sequence[Any]], Any]:
    import jax

    compiled = jax.jit(optimizer.stateless_apply)

    def apply(gradients: Sequence[Any]) -> None:
        values, state = compiled(
            [one.value for one in optimizer.variables], list(gradients), [one.value for one in variables]
        )
        for variable, value in zip((*variables, *optimizer.variables), (*values, *state), strict=True):
            variable.assign(value)

    return apply


def _torch_update(settings: Settings, variables: Sequence[Any]) -> Update:
    import torch

    values = [one.value for one in variables]
    rmsprop = {"alpha": settings.rho, "eps": settings.epsilon, "momentum": settings.factor}
    made: dict[str, Callable[[], Any]] = {
        "adam": lambda: torch.optim.Adam(
            values, betas=(settings.beta_1, settings.beta_2), eps=settings.epsilon
        ),
        "adagrad": lambda: torch.optim.Adagrad(values, eps=settings.epsilon),
        "rmsprop": lambda: torch.optim.RMSprop(values, **rmsprop),
        "rmsprop_momentum": lambda: torch.optim.RMSprop(values, **rmsprop),
        "rmsprop_centred": lambda: torch.optim.RMSprop(values, **rmsprop, centered=True),
    }
    descent = torch.optim.SGD
    optimizer = made.get(
        settings.optimizer,
        lambda: descent(values, lr=1.0, momentum=settings.factor, nesterov=settings.optimizer == "nesterov"),
    )()

    def update(gradients: Sequence[Any], rate: float) -> None:
        optimizer.param_groups[0]["lr"] = rate
        for value, gradient in zip(values, gradients, strict=True):
            value.grad = gradient
        optimizer.step()

    return Update(update)
