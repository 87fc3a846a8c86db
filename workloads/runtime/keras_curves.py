"""Learning curves of trainings by Keras."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workloads.context import Context


def curve_recorder(context: Context, prefix: str = "", done: int = 0) -> Any:
    """Return a Keras callback that records what each epoch logs: ``loss``, ``val_loss`` and the metrics.

    Keras has brought these numbers to the host by then.

    Parameters
    ----------
    prefix
        Before the names of the curves.
    done
        Epochs of earlier calls of ``fit``.
    """
    import keras

    def record(epoch: int, logs: Mapping[str, Any] | None) -> None:
        for name, value in (logs or {}).items():
            context.curve(f"{prefix}{name}", value, epoch=done + epoch + 1)

    return keras.callbacks.LambdaCallback(on_epoch_end=record)
