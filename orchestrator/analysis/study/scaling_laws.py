"""Fit how a run time depends on the number of ranks, and predict it for a number that was not run. Pure.

Laws are sums of terms with coefficients of 0 or more, fitted to the logarithms of all run times: the spread
of run times is taken to be a share of them, the same at every size.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.analysis.base.statistics import CONFIDENCE, Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

Run = tuple[int, float]
"""Number of ranks (or nodes) and run time of one run."""
FORMULAS = {"serial": "s", "divided": "w/N", "logarithmic": "a·log2 N", "linear": "b·N"}
_AMDAHL = ("serial", "divided")
_COMMUNICATION = ("logarithmic", "linear")
LAWS: Mapping[str, tuple[str, ...]] = {"Amdahl": _AMDAHL, "Amdahl + communication": _AMDAHL + _COMMUNICATION}
"""Terms of each law where the work is divided among the ranks (strong scaling)."""
WEAK_LAWS: Mapping[str, tuple[str, ...]] = {"constant + communication": ("serial", *_COMMUNICATION)}
"""Those where every rank has as much work (weak scaling)."""
_LEAST_SHARE = 1e-9


class FitRefusedError(ValueError):
    """The runs do not determine the law; the message says why."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A run time that was not measured.

    Parameters
    ----------
    size
        Number of ranks or nodes.
    time
        Of one run there, with the interval in which 95 % of such runs are expected if the law holds there.
    """

    size: int
    time: Estimate


@dataclass(frozen=True, slots=True)
class Fit:
    """A law fitted to runs.

    Parameters
    ----------
    coefficients, errors
        Of each term, and their standard errors, in the unit of the run times.
    residual
        Standard deviation of the run times about the law, as a share of them.
    """

    law: str
    coefficients: Mapping[str, float]
    errors: Mapping[str, float]
    residual: float
    sizes: int
    runs: int
    predictions: tuple[Prediction, ...] = ()

    @property
    def formula(self) -> str:
        """The law with its terms, such as ``s + w/N``."""
        return " + ".join(FORMULAS[term] for term in self.coefficients)

    @property
    def serial_share(self) -> float | None:
        """Share of the time on one rank that is not divided among ranks; None where none is divided."""
        if "divided" not in self.coefficients:
            return None
        serial = self.coefficients["serial"]
        return serial / (serial + self.coefficients["divided"])

    def at(self, size: float) -> float:
        """Return the run time on a number of ranks."""
        return math.fsum(value * _term(name, size) for name, value in self.coefficients.items())

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return asdict(self) | {
            "formula": self.formula,
            "serial_share": self.serial_share,
            "predictions": [{**asdict(one), "predicted": True} for one in self.predictions],
        }


def fit(law: str, terms: Sequence[str], runs: Sequence[Run], predict: Sequence[int] = ()) -> Fit:
    """Fit a law and predict run times.

    Raises
    ------
    FitRefusedError
        If there are too few sizes or runs for the number of its terms.
    """
    import numpy as np
    from scipy.optimize import least_squares
    from scipy.special import stdtrit

    sizes = len({size for size, _ in runs})
    if sizes <= len(terms):
        raise FitRefusedError(f"{sizes} sizes; its {len(terms)} terms need {len(terms) + 1} or more")
    matrix = np.array([[_term(term, size) for term in terms] for size, _ in runs])
    seconds = np.array([time for _, time in runs])
    scale = float(np.median(seconds)) / matrix.mean(axis=0)  # so that all coefficients are about 1

    def misfit(found: Column) -> Column:
        off: Column = np.log(matrix @ (found * scale)) - np.log(seconds)
        return off

    def slopes(found: Column) -> Column:
        found_slopes: Column = matrix * scale / (matrix @ (found * scale))[:, None]
        return found_slopes

    floor = np.full(len(terms), _LEAST_SHARE)  # 0 for all terms at once would be a time of 0
    ended = least_squares(
        misfit,
        np.full(len(terms), 1 / len(terms)),
        jac=slopes,
        bounds=(floor, np.inf),
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
    )
    free = len(runs) - len(terms)
    variance = float(np.sum(ended.fun**2)) / free
    covariance = np.linalg.pinv(slopes(ended.x).T @ slopes(ended.x)) * variance
    reach = float(stdtrit(free, (1 + CONFIDENCE) / 2))

    def predicted(size: int) -> Prediction:
        row = np.array([_term(term, size) for term in terms]) * scale
        time = float(row @ ended.x)
        width = reach * math.sqrt(variance + float(row @ covariance @ row) / time**2)
        return Prediction(size, Estimate(time, time * math.exp(-width), time * math.exp(min(width, 700))))

    # A coefficient at its floor is 0.
    values = np.where(ended.x <= 2 * _LEAST_SHARE, 0.0, ended.x) * scale
    errors = np.sqrt(np.diag(covariance)) * scale
    return Fit(
        law,
        dict(zip(terms, values.tolist(), strict=True)),
        dict(zip(terms, errors.tolist(), strict=True)),
        math.sqrt(variance),
        sizes,
        len(runs),
        tuple(predicted(size) for size in predict),
    )


def _term(name: str, size: float) -> float:
    return {"serial": 1.0, "divided": 1 / size, "logarithmic": math.log2(size), "linear": float(size)}[name]
