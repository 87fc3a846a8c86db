"""`study`: what sweeps measured, as tables, figures and fitted laws."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from orchestrator.cli.options import (
    BenchmarkOption,
    CampaignArgument,
    JsonOption,
    LedgerOption,
    complete_campaign,
)
from orchestrator.cli.tables import print_json
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.evidence.block_energy import BlockEnergy
    from db.reader import Reader
    from orchestrator.analysis.published import Beside, MachineResults
    from orchestrator.analysis.study_comparison import Choice, Improvement
    from orchestrator.analysis.study_curves import Break, Curve, Laws
    from orchestrator.analysis.sweep_summary import PointRuns, Summary

_LARGEST_SIZE = 10**9
_ByOption = Annotated[
    str | None,
    typer.Option("--by", help="One row for each value of this axis, such as ranks.", show_default=False),
]
_TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        help="Print this table only: time, phases, epochs, communication, accuracy, loading, "
        "energy, choices, laws. "
        "May be repeated.",
        show_default=False,
    ),
]
_ThresholdOption = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        help="Name the ranks, nodes or epochs at which accuracy falls below this.",
        show_default=False,
    ),
]
_PredictOption = Annotated[
    list[int] | None,
    typer.Option(
        "--predict",
        help="Predict the time on this number of ranks (or nodes). May be repeated.",
        min=1,
        max=_LARGEST_SIZE,
        show_default=False,
    ),
]
_CompareOption = Annotated[
    str | None,
    typer.Option(
        "--compare",
        help="Print by how many percent each point takes less than in this campaign.",
        metavar="CAMPAIGN",
        autocompletion=complete_campaign,
        show_default=False,
    ),
]
_AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against",
        help="Print the published measurements of this machine beside: summit, theta.",
        metavar="MACHINE",
        show_default=False,
    ),
]
_FiguresOption = Annotated[
    Path | None,
    typer.Option("--figures", help="Write the figures as SVG into this directory.", show_default=False),
]


@dataclass(frozen=True, slots=True)
class Answers:
    """What was asked of a study."""

    found: Sequence[Summary]
    units: dict[str, str]
    laws: Sequence[Laws]
    epochs: Sequence[Curve]
    breaks: Sequence[Break]
    choices: Sequence[Choice]
    improvements: Sequence[Improvement]
    machine: MachineResults | None
    published: Sequence[Beside]
    block_energy: BlockEnergy

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-ready data."""
        return {
            "points": [one.to_dict() for one in self.found],
            "units": self.units,
            "laws": [one.to_dict() for one in self.laws],
            "accuracy_breaks": [asdict(one) for one in self.breaks],
            "side_by_side": [one.to_dict() for one in self.choices],
            "improvements": [asdict(one) for one in self.improvements],
            "source": self.machine and self.machine.source,
            "published": [one.to_dict() for one in self.published],
            "block_energy": self.block_energy.to_dict(),
        }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(rich_help_panel="Look")(study)


def study(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    by: _ByOption = None,
    benchmark: BenchmarkOption = None,
    table: _TableOption = None,
    threshold: _ThresholdOption = None,
    predict: _PredictOption = None,
    compare: _CompareOption = None,
    against: _AgainstOption = None,
    figures: _FiguresOption = None,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Print CSV, all metrics of a point in one row.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Summarize sweeps: time, scaling, phases, accuracy, energy and scaling laws of each point.

    Figures are medians with their 95 % confidence intervals, from order statistics, which need six runs.
    Speed-up and parallel efficiency (weak scaling: flatness) are against the point with the fewest ranks
    (or nodes) and the same values of all other axes.

    Example: orchestrator study friday --by batch_size

    Example: orchestrator study friday --benchmark nt3 --threshold 0.9 --predict 384 --figures plots

    Example: orchestrator study friday --against summit --table time
    """
    from db.reader import Reader
    from orchestrator.cli.study_output import TABLES, print_csv, print_tables

    if as_csv and as_json:
        raise typer.BadParameter("--csv and --json exclude each other")
    if unknown := set(table or ()) - set(TABLES):
        raise typer.BadParameter(
            f"no table {sorted(unknown)[0]!r}; there are {', '.join(TABLES)}", param_hint="--table"
        )
    if threshold is not None and not abs(threshold) < float("inf"):
        raise typer.BadParameter("must be a number", param_hint="--threshold")
    with Reader(ledger) as reader:
        answers = _ask(
            reader,
            name,
            benchmark,
            by,
            threshold=threshold,
            predict=predict or (),
            compare=compare,
            against=against,
        )
    if figures is not None:
        _write_figures(figures, answers, threshold)
    if as_json:
        print_json(answers.to_dict())
    elif as_csv:
        print_csv(answers.found)
    else:
        print_tables(answers, table or TABLES)


def _ask(
    reader: Reader,
    name: str,
    benchmark: str | None,
    by: str | None,
    *,
    threshold: float | None,
    predict: Sequence[int],
    compare: str | None,
    against: str | None,
) -> Answers:
    from db.evidence.block_energy import block_energy
    from orchestrator.analysis.study_comparison import improvements, side_by_side
    from orchestrator.analysis.study_curves import accuracy_break, curves, epoch_curves, laws_of
    from orchestrator.analysis.study_tables import metric_units
    from orchestrator.analysis.sweep_runs import sweep_runs
    from orchestrator.analysis.sweep_summary import summaries

    points = sweep_runs(reader, name, benchmark)
    others = [] if compare is None else sweep_runs(reader, compare, benchmark)
    found = summaries(points, by)
    if not found:
        known = ", ".join(dict.fromkeys(axis for point in points for axis in point.axes))
        raise CampaignError(f"no sweep of campaign {name} has the axis {by}; there are {known}")
    lines, over_epochs = curves(points), epoch_curves(points)
    if predict and not lines:
        raise CampaignError(
            f"no sweep of campaign {name} has several numbers of ranks or nodes to predict from"
        )
    if threshold is not None and not (lines or over_epochs):
        raise CampaignError(f"no sweep of campaign {name} has several numbers of ranks, nodes or epochs")
    machine, published = (None, []) if against is None else _published(against, points)
    answers = Answers(
        found=found,
        units=metric_units(points),
        laws=[laws_of(one, predict) for one in lines],
        epochs=over_epochs,
        breaks=[]
        if threshold is None
        else [accuracy_break(one, threshold) for one in (*lines, *over_epochs)],
        choices=side_by_side(points),
        improvements=improvements(points, others),
        machine=machine,
        published=published,
        block_energy=block_energy(reader, reader.campaign(name).campaign_id),
    )
    if compare is not None and not answers.improvements:
        raise CampaignError(f"campaigns {name} and {compare} have no point with runs in common")
    return answers


def _published(machine: str, points: Sequence[PointRuns]) -> tuple[MachineResults, list[Beside]]:
    from orchestrator.analysis.published import beside, published_of

    results = published_of(machine)
    return results, beside(results, points)


def _write_figures(folder: Path, answers: Answers, threshold: float | None) -> None:
    from orchestrator.analysis.study_figures import figures as drawn
    from orchestrator.host.atomic_files import atomic_write

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in drawn(answers.laws, answers.epochs, answers.choices, threshold):
            atomic_write(folder / f"{one.name}.svg", one.svg)
    except OSError as error:
        raise CampaignError(f"--figures {folder}: cannot be written: {error.strerror}") from None
