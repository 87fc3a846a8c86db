"""How `analyze study` prints its answers."""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from orchestrator.analysis.study.tables import SECTIONS, columns_of
from orchestrator.cli.terminal.tables import print_table, say
from orchestrator.report.blocks import cell
from orchestrator.wording import ALL_DIGITS, count_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from orchestrator.analysis.base.statistics import Estimate
    from orchestrator.analysis.claims.judging import Judged
    from orchestrator.analysis.study.answers import Answers
    from orchestrator.analysis.study.sweep_summary import Summary

TABLES = ("time", *SECTIONS, "choices", "laws")


def print_csv(found: Sequence[Summary]) -> None:
    """Print a row for each point: axes, time and scaling, then the median and bounds of every metric."""
    axes, metrics = _axes(found), sorted({name for one in found for name in one.metrics})
    rows = [one.to_dict() for one in found]
    figures = [name for name in rows[0] if name not in ("sweep", "axes", "interval", "missing", "metrics")]
    lines = csv.writer(sys.stdout, lineterminator="\n")
    bounds = [f"{name}{part}" for name in metrics for part in ("", "_low", "_high")]
    lines.writerow(["sweep", *axes, *figures, "low", "high", *bounds])
    for one, row in zip(found, rows, strict=True):
        values = [one.axes.get(axis) for axis in axes]
        measured = [
            part
            for name in metrics
            for part in (
                (one.metrics[name].value, one.metrics[name].low, one.metrics[name].high)
                if name in one.metrics
                else (None, None, None)
            )
        ]
        lines.writerow([one.sweep, *values, *(row[name] for name in figures), one.low, one.high, *measured])


def print_claims(claims: Sequence[Judged]) -> None:
    """Print the outcome of each claim, and below it what was measured, or why it is not decidable."""
    if claims:
        counts = Counter(one.stated for one in claims)
        say("\nclaims: " + ", ".join(f"{number} {outcome}" for outcome, number in counts.items()))
    for one in claims:
        say(f"\n{one.stated}: {one.claim.says}" + (f" ({one.claim.source})" if one.claim.source else ""))
        for text in (*one.statements, one.reason, one.differs and f"runs with {one.differs}"):
            if text:
                say(f"  {text}")


def print_tables(answers: Answers, chosen: Collection[str]) -> None:
    """Print the chosen tables of each sweep, then what was asked besides."""
    blank = False
    for sweep in dict.fromkeys(one.sweep for one in answers.found):
        members = [one for one in answers.found if one.sweep == sweep]
        for name in chosen:
            blank = _print_table(answers, name, members, sweep, blank=blank)
    for one in answers.breaks:
        say(("\n" if blank else "") + one.sentence)
        blank = False
    _print_improvements(answers)
    _print_published(answers)
    _print_costs(answers)
    if (energy := str(answers.block_energy)) and "energy" in chosen:
        say(("\n" if blank else "") + energy)


def _print_table(answers: Answers, name: str, members: Sequence[Summary], sweep: str, *, blank: bool) -> bool:
    """Print one table, if it has a column, after a blank line; return whether one is due before the next."""
    if name == "time":
        say("\n" * blank, end="")
        _print_times(members, sweep)
        return True
    if name in SECTIONS:
        return _print_section(answers, name, members, sweep, blank=blank)
    if name == "choices":
        return _print_choices(answers, sweep, blank=blank)
    return _print_laws(answers, sweep, blank=blank)


def _print_times(members: Sequence[Summary], sweep: str) -> None:
    axes = _axes(members)
    columns = {
        "speed-up": [one.speed_up for one in members],
        "efficiency": [one.efficiency for one in members],
        "flatness": [one.flatness for one in members],
    }
    scaling = {name: values for name, values in columns.items() if any(v is not None for v in values)}
    print_table(
        [*axes, "runs", "accepted", f"median {members[0].unit}", "95 % interval", *scaling, "note"],
        [
            [
                *(_shown(one.axes.get(axis)) for axis in axes),
                one.runs,
                f"{one.accepted:.0%}",
                one.median,
                None if one.low is None else f"{cell(one.low, ALL_DIGITS)} to {cell(one.high, ALL_DIGITS)}",
                *(values[number] for values in scaling.values()),
                one.note,
            ]
            for number, one in enumerate(members)
        ],
        title=f"sweep {sweep}: {count_of(sum(one.points for one in members), 'point')}",
    )


def _print_section(
    answers: Answers, name: str, members: Sequence[Summary], sweep: str, *, blank: bool
) -> bool:
    section = SECTIONS[name]
    metrics = columns_of(section, members, answers.units)
    if not metrics:
        return blank
    axes = _axes(members)
    say("\n" * blank, end="")
    print_table(
        [*axes, "runs", *(_heading(metric, answers.units[metric]) for metric in metrics)],
        [
            [
                *(_shown(one.axes.get(axis)) for axis in axes),
                one.runs,
                *(_estimate(one.metrics.get(metric)) for metric in metrics),
            ]
            for one in members
        ],
        title=f"{sweep}: {section.title}",
    )
    return True


def _print_choices(answers: Answers, sweep: str, *, blank: bool) -> bool:
    mine = [one for one in answers.choices if one.sweep == sweep]
    for axis in dict.fromkeys(one.axis for one in mine):
        members = [one for one in mine if one.axis == axis]
        values = list(dict.fromkeys(value for one in members for value in one.medians))
        others = list(dict.fromkeys(name for one in members for name in one.axes))
        less = [value for value in values if any(value in one.improvement for one in members)]
        say("\n" * blank, end="")
        print_table(
            [*others, "figure", *values, *(f"{value}: % less" for value in less)],
            [
                [
                    *(_shown(one.axes.get(name)) for name in others),
                    _heading(one.figure, one.unit),
                    *(one.medians.get(value) for value in values),
                    *(_estimate(one.improvement.get(value)) for value in less),
                ]
                for one in members
            ],
            title=f"{sweep}: {axis} side by side" + (f", percent less than {values[0]}" if less else ""),
        )
        blank = True
    return blank


def _print_laws(answers: Answers, sweep: str, *, blank: bool) -> bool:
    mine = [one for one in answers.laws if one.curve.sweep == sweep]
    fits = [(one.curve, fit) for one in mine for fit in one.fits]
    if fits:
        terms = list(dict.fromkeys(term for _, fit in fits for term in fit.coefficients))
        say("\n" * blank, end="")
        print_table(
            ["curve", "law", *terms, "serial %", "fit's error %"],
            [
                [
                    curve.name,
                    f"{fit.law}: {fit.formula}",
                    *(
                        f"{fit.coefficients[term]:.4g} ± {fit.errors[term]:.2g}"
                        if term in fit.coefficients
                        else None
                        for term in terms
                    ),
                    None if fit.serial_share is None else 100 * fit.serial_share,
                    100 * fit.residual,
                ]
                for curve, fit in fits
            ],
            title=f"{sweep}: laws fitted to all runs, N {mine[0].curve.scale}, ± standard error",
        )
        blank = True
    predictions = [(curve, fit, one) for curve, fit in fits for one in fit.predictions]
    if predictions:
        say("\n" * blank, end="")
        print_table(
            ["curve", "law", mine[0].curve.scale, "predicted", "95 % interval of a run", "note"],
            [
                [
                    curve.name,
                    fit.law,
                    one.size,
                    one.time.value,
                    f"{cell(one.time.low, ALL_DIGITS)} to {cell(one.time.high, ALL_DIGITS)}",
                    "prediction beside runs of this size"
                    if one.size in curve.sizes
                    else "prediction, not run",
                ]
                for curve, fit, one in predictions
            ],
            title=f"{sweep}: predictions, if the law holds there",
        )
    lines = [
        f"{one.curve.name}: {law} is not fitted: {reason}"
        for one in mine
        for law, reason in one.refused.items()
    ]
    if lines:
        say("\n" * blank + "\n".join(lines))
    return blank or bool(lines)


def _print_improvements(answers: Answers) -> None:
    if answers.improvements:
        say()
        print_table(
            ["point", "figure", "median", "other", "% less"],
            [
                [one.benchmark, _heading(one.figure, one.unit), one.median, one.other, _estimate(one.percent)]
                for one in answers.improvements
            ],
            title="beside the other campaign",
        )


def _print_costs(answers: Answers) -> None:
    link = answers.link
    if link is None:
        return
    say()
    print_table(
        ["curve", "ranks", "MB", "step s", "all-reduce s", "server s"],
        [
            [one.curve, one.ranks, one.moved / 1e6, one.step, one.collective, one.server]
            for one in answers.costs
        ],
        title="measured step, and its communication as the cost models predict it",
    )
    say(
        f"L {_estimate(link.latency)} s, G {_estimate(link.seconds_per_byte)} s/byte from "
        f"{count_of(link.runs, 'all-reduce')}; the fit's error is {100 * link.residual:.3g} %"
    )


def _print_published(answers: Answers) -> None:
    machine = answers.machine
    if machine is None:
        return
    say()
    if answers.published:
        print_table(
            ["workload", "parameters", "figure", "published", "ours", "ours ÷ published", "point", "differs"],
            [
                [
                    one.published.workload,
                    one.published.conditions,
                    _heading(one.published.figure, one.published.unit) if one.published.figure else "verdict",
                    one.published.failure or one.published.value,
                    one.outcome or _estimate(one.ours),
                    one.ratio,
                    one.benchmark or "not run like this",
                    one.differs,
                ]
                for one in answers.published
            ],
            title=machine.title,
        )
    elif machine.results:
        say(f"{machine.title}: nothing published of the workloads of this campaign")
    say(f"source: {machine.source}" + (f"; {machine.note}" if machine.note else ""))


def _axes(found: Sequence[Summary]) -> list[str]:
    return list(dict.fromkeys(axis for one in found for axis in one.axes))


def _heading(metric: str, unit: str) -> str:
    name = re.sub("(?:_mb|_rows)?_per_second$", "", metric) if unit.endswith("/s") else metric
    name = name.removesuffix({"s": "_seconds", "J": "_joules", "W": "_watts"}.get(unit, "?"))
    return f"{name.replace('_', ' ')}{unit.removeprefix('1') if unit == '1/s' else f' {unit}'}".strip()


def _estimate(value: Estimate | None) -> Any:
    """Return the median as a number, or with its interval as text."""
    if value is None or value.low is None:
        return None if value is None else value.value
    middle, low, high = (cell(one, ALL_DIGITS) for one in (value.value, value.low, value.high))
    return f"{middle} ({low} to {high})"


def _shown(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value
