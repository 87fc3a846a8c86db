"""`analyze study`: what sweeps measured, as tables, figures and fitted laws."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import (
    BenchmarkOption,
    JsonOption,
    LedgerOption,
    ReferenceArgument,
    complete_campaign,
    without_passwords,
)
from orchestrator.cli.terminal.tables import print_json, say
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from orchestrator.analysis.study.answers import Answers

_LARGEST_SIZE = 10**9
_ByOption = Annotated[
    str | None,
    typer.Option("--by", help="One row for each value of this axis, such as ranks."),
]
_TableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        help="Print this table only: time, phases, epochs, communication, accuracy, loading, "
        "energy, choices, laws. "
        "May be repeated.",
    ),
]
_ThresholdOption = Annotated[
    float | None,
    typer.Option("--threshold", help="Name the ranks, nodes or epochs at which accuracy falls below this."),
]
_PredictOption = Annotated[
    list[int] | None,
    typer.Option(
        "--predict",
        help="Predict the time on this number of ranks (or nodes). May be repeated.",
        min=1,
        max=_LARGEST_SIZE,
    ),
]
_CompareOption = Annotated[
    str | None,
    typer.Option(
        "--compare",
        help="Print by how many percent each point takes less than in this campaign.",
        metavar="CAMPAIGN",
        autocompletion=complete_campaign,
        callback=without_passwords,
    ),
]
_AgainstOption = Annotated[
    str | None,
    typer.Option(
        "--against",
        help="Print the published measurements of this machine beside: summit, theta.",
        metavar="MACHINE",
    ),
]
_ClaimsOption = Annotated[
    str | None,
    typer.Option(
        "--claims",
        help="Judge the claims of a document (candle, coral2, deep500, hpcai500) or of a file of yours.",
        metavar="DOCUMENT|FILE",
    ),
]
_CostOption = Annotated[
    str | None,
    typer.Option(
        "--cost-model",
        help="Predict the communication of a step from the all-reduces of this campaign.",
        metavar="CAMPAIGN",
        autocompletion=complete_campaign,
        callback=without_passwords,
    ),
]
_FiguresOption = Annotated[
    Path | None,
    typer.Option("--figures", help="Write the figures as SVG into this directory."),
]


def study(
    name: ReferenceArgument,
    ledger: LedgerOption = None,
    by: _ByOption = None,
    benchmark: BenchmarkOption = None,
    table: _TableOption = None,
    threshold: _ThresholdOption = None,
    predict: _PredictOption = None,
    compare: _CompareOption = None,
    against: _AgainstOption = None,
    claims: _ClaimsOption = None,
    cost_model: _CostOption = None,
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

    Example: orchestrator analyze study friday --by batch_size

    Example: orchestrator analyze study friday --benchmark nt3 --threshold 0.9 --predict 384 --figures plots

    Example: orchestrator analyze study friday --against summit --table time

    Example: orchestrator analyze study friday --claims candle

    A package, an export or another ledger: orchestrator analyze study theirs.zip --compare friday
    """
    from orchestrator.analysis.claims.judging import judged_claims
    from orchestrator.analysis.study.answers import ask
    from orchestrator.cli.analyze.study_output import TABLES, print_claims, print_csv, print_tables
    from orchestrator.cli.terminal.answer_lines import lines_of_campaign
    from orchestrator.review.referenced import referenced

    if as_csv and as_json:
        raise typer.BadParameter("--csv and --json exclude each other")
    if unknown := set(table or ()) - set(TABLES):
        raise typer.BadParameter(
            f"no table {sorted(unknown)[0]!r}; there are {', '.join(TABLES)}", param_hint="--table"
        )
    if threshold is not None and not abs(threshold) < float("inf"):
        raise typer.BadParameter("must be a number", param_hint="--threshold")
    references = dict.fromkeys(filter(None, (name, compare, cost_model)))
    with referenced([*references], ledger) as (reader, known):
        names = dict(zip(references, known, strict=True))
        name = names[name]
        answers = ask(
            reader,
            name,
            benchmark,
            by,
            threshold=threshold,
            predict=predict or (),
            compare=names.get(compare or ""),
            against=against,
            cost_model=names.get(cost_model or ""),
        )
        judged = [] if claims is None else judged_claims(reader, name, benchmark, claims)
        lines = [] if table else lines_of_campaign(reader, reader.campaign(name).campaign_id)
    if figures is not None:
        _write_figures(figures, answers, threshold)
    if as_json:
        print_json(answers.to_dict() | {"claims": [one.to_dict() for one in judged]})
    elif as_csv:
        print_csv(answers.found)
    else:
        if lines:
            say("\n".join(lines) + "\n")
        print_tables(answers, table or TABLES)
        print_claims(judged)


def _write_figures(folder: Path, answers: Answers, threshold: float | None) -> None:
    from orchestrator.analysis.study.figures import figures as drawn
    from orchestrator.host.atomic_files import atomic_write
    from orchestrator.report.line_figures import line_svg

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in drawn(answers.laws, answers.epochs, answers.choices, threshold, answers.costs):
            atomic_write(folder / f"{one.name}.svg", line_svg(one.drawn))
    except OSError as error:
        raise CampaignError(f"--figures {folder}: cannot be written: {error.strerror}") from None
