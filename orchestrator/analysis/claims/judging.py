"""Claims judged: whether they hold, with the probability of a false alarm over all of them. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import RootModel

from orchestrator.analysis.base.statistics import holm
from orchestrator.analysis.claims.kinds import Claim
from orchestrator.analysis.claims.samples import ClaimedRuns, Reduced, Statement
from orchestrator.analysis.study.sweep_runs import sweep_runs
from orchestrator.analysis.study.sweep_summary import PointRuns
from orchestrator.errors import CampaignError
from sites import parse, read_text
from workloads.spelling import near

if TYPE_CHECKING:
    from db.reader import Reader

ERROR = 0.05
"""Largest probability that any of the claims that are judged together is judged wrongly."""
_MOST_DIVISIONS = 20_000
"""Divisions of the runs of two points into two groups, up to which a test tries all of them."""
Outcome = Literal["holds", "does not hold", "not decidable here"]


class _Claims(RootModel[dict[str, Claim]]):
    """Claims of a file, by name."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its outcome.

    Parameters
    ----------
    p_if_false, p_if_true
        Probability of what was measured, or of more, if the claim were false, and if it were true; both
        adjusted for all claims that are judged together. None where it could not be tested.
    statements
        The statements to which it reduces, with the medians of both sides.
    reason
        Why it is not decidable; empty where it is.
    differs
        Parameters of the runs that are not the workload's defaults, nor named by the claim.
    """

    name: str
    claim: Claim
    outcome: Outcome
    p_if_false: float | None
    p_if_true: float | None
    statements: Sequence[str]
    reason: str
    differs: str

    @property
    def stated(self) -> str:
        """The outcome in words, which say where the runs of a document's claim are not as the document's."""
        if not (self.claim.source and self.differs) or self.outcome == "not decidable here":
            return self.outcome
        return f"{self.outcome}, with other parameters"

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "name": self.name,
            "says": self.claim.says,
            "source": self.claim.source,
            "workload": self.claim.workload,
            "outcome": self.outcome,
            "p_if_false": self.p_if_false,
            "p_if_true": self.p_if_true,
            "statements": list(self.statements),
            "reason": self.reason,
            "differs": self.differs,
        }


@cache
def shipped_claims() -> Mapping[str, Mapping[str, Claim]]:
    """Return the claims of the documents, by the document's name."""
    return {file.stem: read_claims(file) for file in sorted(Path(__file__).parent.glob("*.yaml"))}


def read_claims(file: Path) -> Mapping[str, Claim]:
    """Return the claims of a file, by name.

    Raises
    ------
    FileError
        If the file cannot be read, or holds something else.
    """
    return parse(read_text(file, "claims"), _Claims, str(file)).root


def claims_named(name: str) -> Mapping[str, Claim]:
    """Return the claims of a document, or of a user's file.

    Raises
    ------
    CampaignError
        If there is no such document and no such file.
    FileError
        If the file holds something else.
    """
    known = shipped_claims()
    if name in known:
        return known[name]
    if not Path(name).is_file():
        raise CampaignError(
            f"no document and no file {name!r}{near(name, known, 'documents are ' + ', '.join(known))}"
        )
    return read_claims(Path(name))


def judge(claims: Mapping[str, Claim], points: Sequence[PointRuns]) -> list[Judged]:
    """Judge claims by the runs of sweeps.

    A claim holds where all its statements on medians do, each by a one-sided test: that of Mann and Whitney
    between the runs of two points, the sign test against a constant. Its probability is the largest of them
    (the intersection-union test); that it does not hold, the smallest times their number (Bonferroni).
    Those of all claims are adjusted by Holm's method, so that the probability of any wrong outcome is at
    most `ERROR`.

    Raises
    ------
    ModuleNotFoundError
        If SciPy is not installed.
    """
    reduced = {
        name: claim.reduced(ClaimedRuns(points, claim.workload, claim.where))
        for name, claim in claims.items()
    }
    tested = [name for name, one in reduced.items() if not one.missing]
    raw = [probability for name in tested for probability in _probabilities(reduced[name])]
    adjusted = dict(zip(tested, holm(raw).reshape(-1, 2).tolist(), strict=True)) if raw else {}
    return [_judged(name, claims[name], one, adjusted.get(name), len(raw)) for name, one in reduced.items()]


def judged_claims(reader: Reader, name: str, benchmark: str | None, claims: str) -> list[Judged]:
    """Judge the claims of a document, or of a file, by a campaign's sweeps: `judge`, `claims_named`."""
    return judge(claims_named(claims), sweep_runs(reader, name, benchmark))


def _judged(
    name: str, claim: Claim, reduced: Reduced, adjusted: Sequence[float] | None, tests: int
) -> Judged:
    p_if_false, p_if_true = adjusted or (None, None)
    outcome: Outcome = "not decidable here"
    if p_if_false is not None and p_if_true is not None and min(p_if_false, p_if_true) <= ERROR:
        outcome = "holds" if p_if_false <= p_if_true else "does not hold"
    reason = reduced.missing
    if not reason and outcome == "not decidable here":
        runs = least_runs(tests, constant=any(one.constant for one in reduced.statements))
        reason = reduced.untested or (
            f"p = {p_if_false:.2g} if it were false, {p_if_true:.2g} if true; deciding it takes {runs} runs "
            "of each point or more"
        )
    differing = {
        part for one in reduced.statements for side in (one.left, one.right) for part in side.differs
    }
    return Judged(
        name, claim, outcome, p_if_false, p_if_true,
        tuple(_in_numbers(statement) for statement in reduced.statements), reason,
        ", ".join(sorted(differing)),
    )  # fmt: skip


def least_runs(tests: int, *, constant: bool = False) -> int:
    """Return the fewest runs of each point with which one of so many tests can be decided.

    Parameters
    ----------
    constant
        Whether a point is compared with a number, by the sign test, and not with another point.
    """
    return next(n for n in range(2, 100) if tests / (2**n if constant else math.comb(2 * n, n)) <= ERROR)


def _in_numbers(statement: Statement) -> str:
    import numpy as np

    left, right = float(np.median(statement.left.values)), float(np.median(statement.right.values))
    return f"{statement.text}: {left:.4g} and {right:.4g}"


def _probabilities(reduced: Reduced) -> tuple[float, float]:
    """Return the probabilities that speak for a claim and against it."""
    each = [(_probability(one, "greater"), _probability(one, "less")) for one in reduced.statements]
    number = len(each)
    if reduced.untested:
        return 1.0, min(1.0, number * min(one for _, one in each))
    if reduced.anywhere:
        return min(1.0, number * min(one for one, _ in each)), max(one for _, one in each)
    return max(one for one, _ in each), min(1.0, number * min(one for _, one in each))


def _probability(statement: Statement, alternative: Literal["greater", "less"]) -> float:
    """Return the probability of what was measured if the left side were not greater, or not less."""
    from scipy.stats import PermutationMethod, mannwhitneyu

    left, right = statement.left, statement.right
    scaled = [statement.factor * value for value in right.values]
    if right.constant:
        return _sign_test(left.values, scaled[0], alternative)
    if left.constant:
        return _sign_test(scaled, left.values[0], "less" if alternative == "greater" else "greater")
    both = (*left.values, *scaled)
    if len(left.values) < 2 or len(scaled) < 2:
        return 1.0  # no division of so few values is improbable
    if len(set(both)) < len(both) and math.comb(len(both), len(scaled)) <= _MOST_DIVISIONS:
        # SciPy's choice for values that occur twice is the normal distribution, too sure of few runs.
        method = PermutationMethod(n_resamples=_MOST_DIVISIONS)
        return float(mannwhitneyu(left.values, scaled, alternative=alternative, method=method).pvalue)
    return float(mannwhitneyu(left.values, scaled, alternative=alternative).pvalue)


def _sign_test(values: Sequence[float], level: float, alternative: Literal["greater", "less"]) -> float:
    from scipy.stats import binomtest

    # A value at the level speaks for "at least", and only a smaller value against it.
    beyond = sum(value >= level if alternative == "greater" else value < level for value in values)
    return float(binomtest(beyond, len(values), 0.5, alternative="greater").pvalue)
