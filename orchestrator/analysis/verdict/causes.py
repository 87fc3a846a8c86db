"""Group the reasons of a verdict by the thing that somebody would have to change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orchestrator.rulebooks.model import Verdict

_SIZES = "sizes"
_SIZE_RULES = frozenset({"parameters", "data", "epochs"})
"""Rules that a trial breaks together, because it is smaller than the suite asks for."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing to change.

    Parameters
    ----------
    name
        Of the broken rule, ``sizes`` for those that a small trial breaks, or ``campaign`` for what concerns
        no benchmark alone.
    sentences
        What the rules ask for.
    benchmarks
        Those concerned, in the order of the campaign.
    reasons
        What was found, each once.
    """

    name: str
    sentences: tuple[str, ...]
    benchmarks: tuple[str, ...]
    reasons: tuple[str, ...]


def causes(verdict: Verdict, sentences: Mapping[str, str]) -> list[Cause]:
    """Return the causes of a verdict, those of most benchmarks first, and of the campaign last.

    Parameters
    ----------
    sentences
        Of the rulebook's rules, by name; a rule that it has no sentence for is stated by its name.
    """
    broken: dict[str, list[tuple[str, str, str]]] = {}
    for one in verdict.benchmarks:
        for rule in one.rules:
            if rule.passed is False:
                name = _SIZES if rule.name in _SIZE_RULES else rule.name
                broken.setdefault(name, []).append((one.benchmark, rule.name, rule.reason))
    made = []
    for name, found in broken.items():
        benchmarks, rules, reasons = (tuple(dict.fromkeys(column)) for column in zip(*found, strict=True))
        made.append(Cause(name, tuple(sentences.get(rule, rule) for rule in rules), benchmarks, reasons))
    made.sort(key=lambda cause: -len(cause.benchmarks))
    covered = {
        text
        for one in verdict.benchmarks
        for reason in one.reasons
        for text in (reason, f"{one.benchmark}: {reason}")
    }
    if others := tuple(reason for reason in verdict.reasons if reason not in covered):
        made.append(Cause("campaign", (), (), others))
    return made
