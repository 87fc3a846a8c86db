"""Formulas of the CORAL-2 figures of merit."""

from __future__ import annotations

from orchestrator.rulebooks.means import usable


def throughput_fom(
    reference_seconds: float, seconds: float, instances: int, reference_instances: int
) -> float:
    """Return the FOM of a CANDLE, convnet or LSTM benchmark.

    FOM = (longest time on Titan ÷ longest time) × (concurrent instances ÷ Titan's 14,000), with
    the instance time for CANDLE, forward + backward seconds per batch for convnets and per
    sample for the LSTM. Source: CORAL-2 Deep Learning Suite benchmark description.

    Raises
    ------
    ValueError
        If a time or a count is not positive, or the result is not a usable number.
    """
    speed = usable("reference time", reference_seconds) / usable("time", seconds)
    width = usable("instances", instances) / usable("reference instances", reference_instances)
    return usable("FOM", speed * width)


def resnet50_fom(reference_seconds: float, seconds: float, factor: float = 10) -> float:
    """Return the FOM of a base ResNet-50 run: (reference time ÷ time) × 10.

    The times are the longest of 5 concurrent instances on the reference system and of 50 on the
    proposed one, hence the factor 50 ÷ 5; preprocessing and input/output are inside the time.
    Source: CORAL-2 Deep Learning Suite benchmark description.

    Raises
    ------
    ValueError
        If a time is not positive, or the result is not a usable number.
    """
    speed = usable("reference time", reference_seconds) / usable("time", seconds)
    return usable("FOM", speed * usable("factor", factor))


def resnet50_optimized_factor(accuracy_percent: float, target_percent: float) -> float:
    """Return what the base formula is multiplied with in an optimized ResNet-50 run.

    Factor = 1 + ((accuracy − target) ÷ (100 − target))³, accuracy being top-1 in percent: 1 at the
    target, 2 at 100 %, and 0 or less from 2 × target − 100 down. Source: CORAL-2 Deep Learning Suite
    benchmark description.

    Raises
    ------
    ValueError
        If the accuracy is not between 0 and 100, or the target not below 100.
    """
    if not 0 <= accuracy_percent <= 100:
        raise ValueError(f"an accuracy in percent is between 0 and 100, not {accuracy_percent!r}")
    if not 0 <= target_percent < 100:
        raise ValueError(f"a target in percent is at least 0 and below 100, not {target_percent!r}")
    return 1.0 + float((accuracy_percent - target_percent) / (100 - target_percent)) ** 3
