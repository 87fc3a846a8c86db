"""Objects about figures of merit."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from orchestrator.analysis.roofline.runs import achieved_ratios, figure_roofline
from orchestrator.analysis.verdict.fom import campaigns_named
from orchestrator.review.dossier import Dossier

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.reader import Reader
    from orchestrator.analysis.roofline.achieved import Achieved
    from orchestrator.analysis.roofline.ceilings import Roofline
    from orchestrator.diagnostics.stated_verdicts import FormerVerdict


def read_verdict_facts(reader: Reader, name: str) -> dict[str, Any]:
    """Return the verdict on a campaign as an object `VerdictFacts`; nothing is written.

    Raises
    ------
    CampaignError
        If the campaign cannot be judged.
    """
    rows = campaigns_named(reader, [name])
    dossier = Dossier.read(reader, rows)
    ratios = achieved_ratios(reader, rows, dossier.verdict)
    return verdict_facts(dossier, dossier.checked.former, ratios, figure_roofline(reader, rows))


def verdict_facts(
    dossier: Dossier,
    former: FormerVerdict | None,
    ratios: Sequence[Achieved],
    roofline: Roofline | None,
) -> dict[str, Any]:
    """Return a verdict as an object `VerdictFacts`; what a campaign seldom has is left out where it has none.

    Parameters
    ----------
    former
        The verdict that was stated before, if it differs.
    ratios
        Ratios of the benchmarks to theoretical peaks.
    """
    optional = {
        "former_verdict": former and asdict(former),
        "left_out": dossier.left_out,
        "data": dossier.data,
        "pools": dossier.pools,
        "packages": dossier.packages,
        "changes": dossier.changes,
        "answers": {name: [one.to_dict() for one in known] for name, known in dossier.answers.items()},
        "searches": {name: [one.to_dict() for one in known] for name, known in dossier.searches.items()},
        "warnings": dossier.warnings,
        "achieved": [one.to_dict() for one in ratios],
        "roofline": roofline and roofline.to_dict(),
    }
    return {
        **dossier.verdict.to_dict(),
        "makespan": {key: asdict(value) for key, value in dossier.judged.makespans.items()},
        "other_campaigns": dossier.judged.others,
        "evidence": {name: review.facts() for name, review in dossier.reviews.items()},
        **{key: value for key, value in optional.items() if value},
    }
