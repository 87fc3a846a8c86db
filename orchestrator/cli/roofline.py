"""`roofline`: measured ceilings of a machine, and where trainings stand below them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import CampaignNamesArgument, JsonOption, LedgerOption
from orchestrator.cli.tables import print_json, print_table
from orchestrator.errors import CampaignError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.analysis.roofline import Ceiling, Roofline, Standing

_GIGA = 1e9


def roofline(
    names: CampaignNamesArgument,
    ledger: LedgerOption = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", help="Write the rooflines into this .svg or .png file.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the ceilings that microbenchmarks measured, and where trainings stand below them.

    Ceilings and trainings may be of different campaigns. A training is compared with ceilings of the same
    kind of slot and arithmetic alone; a note names what is missing. All rates are those of one rank.

    Example: orchestrator roofline microbenchmarks friday --figure roofline.svg
    """
    from db.reader import Reader
    from orchestrator.analysis.roofline_runs import campaigns_roofline

    _format(figure)
    with Reader(ledger) as reader:
        found = campaigns_roofline(reader, names)
    if figure is not None:
        _write(figure, found)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)


def _format(figure: Path | None) -> str:
    """Return the format of the file; refuse others before anything is read."""
    ending = "" if figure is None else figure.suffix.lower().removeprefix(".")
    if figure is not None and ending not in ("svg", "png"):
        raise CampaignError(f"--figure {figure}: the name must end in .svg or .png")
    return ending


def _write(file: Path, found: Roofline) -> None:
    from orchestrator.host.atomic_files import atomic_write
    from orchestrator.report.roofline_figure import roofline_figure

    try:
        atomic_write(file, roofline_figure(found, _format(file)))
    except OSError as error:
        raise CampaignError(f"--figure {file}: cannot be written: {error.strerror}") from None


def _show(found: Roofline) -> None:
    print_table(
        ["ceiling", "type", "slot", "ranks", "nodes", "sustained", "lowest", "highest", "unit", "runs", "by"],
        [_ceiling(one) for one in found.ceilings],
        title="measured ceilings of one rank",
    )
    if not found.trainings:
        print("\nno trainings; name a campaign with some as well")
        return
    print()
    print_table(
        [
            "training", "ranks", "type", "runs", "GFLOP/s", "% of peak", "FLOP/B", "attainable GFLOP/s",
            "% of it", "bound by",
        ],
        [_training(one) for one in found.trainings],
        title="trainings, one rank of each",
    )  # fmt: skip
    _show_notes(found.trainings)


def _ceiling(one: Ceiling) -> list[object]:
    unit = "GB/s" if one.kind not in ("gemm", "conv") else "GFLOP/s"
    rates = [rate / _GIGA for rate in (one.value, one.lowest, one.highest)]
    return [
        one.kind, one.precision or None, str(one.place), one.ranks, one.nodes, *rates, unit, one.runs,
        one.measured_by,
    ]  # fmt: skip


def _training(one: Standing) -> list[object]:
    return [
        one.name,
        one.ranks,
        one.precision or None,
        one.runs,
        _times(one.flop_per_second, 1 / _GIGA),
        _times(one.share_of_peak, 100),
        one.intensity,
        _times(one.attainable, 1 / _GIGA),
        _times(one.share_of_attainable, 100),
        one.bound or None,
    ]


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _show_notes(trainings: Sequence[Standing]) -> None:
    """Print why figures are absent or doubtful; trainings with the same reason share a line."""
    named: dict[str, list[str]] = {}
    for one in trainings:
        for note in one.notes:
            named.setdefault(note, []).append(one.name)
    if named:
        print()
    for note, names in named.items():
        print(f"{', '.join(names)}: {note}")
