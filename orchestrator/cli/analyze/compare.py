"""`analyze compare`: campaigns beside a baseline, and their history."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import BenchmarkOption, JsonOption, LedgerOption, ReferencesArgument
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.wording import percent_words, short_hashes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from db.reader import Reader
    from orchestrator.analysis.base.statistics import Estimate
    from orchestrator.analysis.comparison.campaigns import Comparison, Times

_DIFFERENCES_SHOWN = 20
_ShareOption = Annotated[
    str | None,
    typer.Option(
        "--fail-if-slower",
        help="Exit with 5 if the median of a benchmark is slower than the baseline's by more than this "
        "share, such as 3%, and certainly slower; also if a benchmark has no accepted run.",
        metavar="SHARE",
    ),
]
_JUnitOption = Annotated[
    Path | None,
    typer.Option(
        "--junit",
        help="With --fail-if-slower: also write each benchmark as a test case to this file of JUnit XML.",
        metavar="FILE",
    ),
]
_HistoryOption = Annotated[
    str | None,
    typer.Option(
        "--history",
        help="List instead all campaigns whose names match a pattern, such as 'weekly-*', oldest first.",
        metavar="PATTERN",
    ),
]
_ByOption = Annotated[
    str | None,
    typer.Option(
        "--by",
        help="Compare instead the points of one campaign that differ in this axis, or parameter, alone, "
        "such as framework.",
        metavar="AXIS",
    ),
]
_MetricOption = Annotated[
    str | None,
    typer.Option(
        "--metric",
        help="This metric, or accuracy; by default the time of the instances. With --by the default is "
        "wallclock_seconds where it was measured, and that time is called time.",
    ),
]
_TopOption = Annotated[
    int, typer.Option("--top", help="With --by: print so many rows, largest differences first.", min=0)
]


_DifferenceOption = Annotated[
    str | None,
    typer.Option(
        "--difference",
        help="With --by: decide which points certainly differ by at least so much, such as 3%, by intervals "
        "that hold at every look while the campaign runs.",
        metavar="SHARE",
    ),
]
_ErrorOption = Annotated[
    str,
    typer.Option("--error", help="With --difference: chance of any wrong decision.", metavar="SHARE"),
]


def compare(
    names: ReferencesArgument = None,
    ledger: LedgerOption = None,
    fail_if_slower: _ShareOption = None,
    junit: _JUnitOption = None,
    history: _HistoryOption = None,
    svg: Annotated[
        Path | None,
        typer.Option("--figures", help="With --history: also write the plot to this file."),
    ] = None,
    by: _ByOption = None,
    metric: _MetricOption = None,
    benchmark: BenchmarkOption = None,
    difference: _DifferenceOption = None,
    error: _ErrorOption = "5%",
    top: _TopOption = 20,
    as_json: JsonOption = False,
) -> None:
    """Compare campaigns with the first one: times, longest runs, FOM, and what was recorded differently.

    Ratios above 1 are slower. Intervals cover 95 %. With --by, compare the points of one campaign: what fails
    first, how often each value is best, and certainly so, then the points side by side.

    Example: orchestrator analyze compare weekly-01 weekly-02 --fail-if-slower 3%

    Energy, accuracy, or another metric: orchestrator analyze compare friday monday --metric energy_joules

    Packages, exports and other ledgers: orchestrator analyze compare friday theirs.zip old.sqlite:friday

    Example: orchestrator analyze compare deep500-operators --by framework --top 50

    Certainly different, looked at as often as wanted: orchestrator analyze compare friday --by batch_size
    --difference 3%

    What a campaign with `decide` says of its points: orchestrator analyze compare friday

    All of one pattern: orchestrator analyze compare --history 'weekly-*' --figures weekly.svg
    """
    from db.reader import Reader
    from orchestrator.analysis.comparison.campaigns import compare as compare_campaigns
    from orchestrator.review.referenced import referenced

    if by is not None:
        others = {
            "--fail-if-slower": fail_if_slower,
            "--junit": junit,
            "--history": history,
            "--figures": svg,
        }
        asked = None if difference is None else _asked(difference, error)
        _by(ledger, _one(names, others), by, metric, benchmark, asked, top, as_json=as_json)
        return
    for option, given in {"--difference": difference, "--benchmark": benchmark}.items():
        if given is not None:
            raise typer.BadParameter("is of points side by side: give --by AXIS too", param_hint=option)
    share = None if fail_if_slower is None else _share(fail_if_slower)
    if metric is not None and share is not None:
        raise typer.BadParameter("is of times: leave --metric out", param_hint="--fail-if-slower")
    if junit is not None and (share is None or history is not None):
        raise typer.BadParameter("needs --fail-if-slower, and campaigns by name", param_hint="--junit")
    if svg is not None and history is None:
        raise typer.BadParameter("--figures draws a --history", param_hint="--figures")
    if (history is None) == (not names):
        raise typer.BadParameter("name two campaigns or more, or give --history with a pattern")
    if history is not None:
        with Reader(ledger) as reader:
            _history(reader, history, metric, svg, as_json=as_json)
        return
    with referenced(names or (), ledger) as (reader, known):
        if len(known) == 1 and metric is not None:
            raise typer.BadParameter("name two campaigns, or give --by AXIS", param_hint="--metric")
        if len(known) == 1 and share is None:
            _show_answers(reader, known[0], as_json=as_json)
            return
        found = compare_campaigns(reader, [reader.campaign(name) for name in _several(known)], metric)
    _tell(found, share, junit, as_json=as_json)


def _tell(found: Comparison, share: float | None, junit: Path | None, *, as_json: bool) -> None:
    """Print a comparison; end with an exit code of its own if a benchmark is slower by more than the share.

    With a share, test cases go to the file `junit`.
    """
    from orchestrator.cli.exit_codes import SLOWER

    slower = [] if share is None else _slower(found, share)
    if junit is not None and share is not None:
        from orchestrator.host.atomic_files import atomic_write
        from orchestrator.report.junit import comparison_cases

        atomic_write(junit, comparison_cases(found, share).xml())
    if as_json:
        print_json(found.to_dict() | ({} if share is None else {"slower": slower}))
    else:
        _show(found)
        if share is not None:
            nothing = f"nothing is slower by {percent_words(share)}"
            say("\n" + "\n  ".join(["slower:", *slower] if slower else [nothing]))
    if slower:
        raise typer.Exit(SLOWER)


def _show_answers(reader: Reader, name: str, *, as_json: bool) -> None:
    """Print what a campaign with `decide` or `until` says of its own points."""
    from orchestrator.analysis.sequential.registered import answers
    from orchestrator.cli.terminal.answer_lines import lines_of_campaign

    campaign = reader.campaign(name).campaign_id
    if not (lines := lines_of_campaign(reader, campaign)):
        _several([name])
    if as_json:
        print_json([one.to_dict() for one in answers(reader, campaign)])
    else:
        say("\n".join(lines))


def _one(names: list[str] | None, others: Mapping[str, object]) -> str:
    for option, value in others.items():
        if value is not None:
            raise typer.BadParameter("compares campaigns, and --by the points of one", param_hint=option)
    if names is None or len(names) != 1:
        raise typer.BadParameter("name one campaign: its points are compared", param_hint="--by")
    return names[0]


def _by(
    ledger: str | None,
    name: str,
    axis: str,
    metric: str | None,
    benchmark: str | None,
    asked: tuple[float, float] | None,
    top: int,
    *,
    as_json: bool,
) -> None:
    from orchestrator.cli.analyze.compare_by import compared_by, print_certain, print_comparison
    from orchestrator.review.referenced import referenced

    with referenced([name], ledger) as (reader, [known]):
        found, certain = compared_by(reader, known, axis, metric, benchmark, asked)
    if as_json:
        print_json(asdict(found) | ({} if certain is None else {"certain": asdict(certain)}))
        return
    print_comparison(found, top)
    if certain is not None:
        print_certain(certain, top)


def _several(names: list[str] | None) -> list[str]:
    if names is None or len(names) < 2 or len(set(names)) < len(names):
        raise typer.BadParameter("name two different campaigns or more; the first one is the baseline")
    return names


def _asked(difference: str, error: str) -> tuple[float, float]:
    asked = _share(difference, "--difference"), _share(error, "--error")
    for option, value in zip(("--difference", "--error"), asked, strict=True):
        if value == 0 or (option == "--error" and value >= 1):
            raise typer.BadParameter("lies between 0 and 1, such as 5%", param_hint=option)
    return asked


def _share(text: str, option: str = "--fail-if-slower") -> float:
    """Return the share that a text such as 3% or 0.03 states."""
    from sites.quantities import share

    if text in ("0", "0%"):
        return 0.0
    try:
        return share(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from None


def _slower(found: Comparison, share: float) -> list[str]:
    slower = [
        f"{one.campaign}: {one.benchmark} takes {one.median.value:.6g} times as long"
        for one in found.changes
        if one.slower(share)
    ]
    missing = [
        f"{campaign}: {name} has no accepted run with a time in {campaign} or in {found.baseline}"
        for campaign, absent in found.missing.items()
        for name in absent
    ]
    return slower + missing


def _show(found: Comparison) -> None:
    _show_times(found.times, found.metric)
    say()
    print_table(
        [
            "campaign",
            "benchmark",
            "median ratio",
            "95 %",
            f"{_highest(found.metric)} ratio",
            "95 %",
            "rank test p",
            "FOM ratio",
        ],
        [
            [
                one.campaign,
                one.benchmark,
                one.median.value,
                _interval(one.median),
                one.longest.value,
                _interval(one.longest),
                f"{one.probability:.2g}",
                one.fom,
            ]
            for one in found.changes
        ],
        title=f"beside {found.baseline}",
    )
    for campaign, absent in found.missing.items():
        say(f"{campaign} or {found.baseline} has no accepted run of {', '.join(absent)}")
    for campaign, ratio in found.headline.items():
        if ratio is not None:
            say(f"overall FOM of {campaign}: {ratio:.6g} times the baseline's")
    for campaign, different in found.different.items():
        say()
        listed = list(different.items())[:_DIFFERENCES_SHOWN]
        if listed:
            print_table(
                ["recorded", "baseline", campaign],
                [[name, *map(short_hashes, pair)] for name, pair in listed],
            )
        else:
            say(f"{campaign}: nothing else is recorded differently")
        if (rest := len(different) - len(listed)) > 0:
            say(f"and {rest:,} more differences; --json lists all")


def _show_times(times: Sequence[Times], metric: str | None) -> None:
    highest = _highest(metric)
    print_table(
        ["campaign", "benchmark", "runs", "unit", "median", "95 %", "5th %", "95th %", highest, "FOM"],
        [
            [
                one.campaign,
                one.benchmark,
                one.runs,
                one.unit,
                one.median.value,
                _interval(one.median),
                one.low,
                one.high,
                one.longest,
                one.fom,
            ]
            for one in times
        ],
        title=f"{metric or 'times'} of accepted runs",
        leave=["5th %", "95th %"],
    )


def _highest(metric: str | None) -> str:
    return "longest" if metric is None else "highest"


def _history(reader: Reader, pattern: str, metric: str | None, svg: Path | None, *, as_json: bool) -> None:
    from fnmatch import fnmatchcase

    from orchestrator.analysis.comparison.campaigns import history
    from orchestrator.errors import CampaignError
    from orchestrator.report.line_figures import history_svg

    rows = [row for row in reader.campaigns() if fnmatchcase(row.name, pattern)]
    times = history(reader, rows, metric)
    if not times:
        what = "has an accepted run with a time" if rows else "is in the ledger"
        raise CampaignError(f"no campaign that matches {pattern!r} {what}; `orchestrator status` lists all")
    if svg is not None:
        svg.write_text(history_svg(times), encoding="utf-8")
    if as_json:
        print_json([asdict(one) for one in times])
    else:
        _show_times(times, metric)


def _interval(estimate: Estimate) -> str | None:
    return None if estimate.low is None else f"{estimate.low:.5g} to {estimate.high:.5g}"
