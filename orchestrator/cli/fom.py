"""`fom`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import CampaignArgument, JsonOption, LedgerOption
from orchestrator.cli.tables import print_json, print_table

if TYPE_CHECKING:
    from orchestrator.rulebooks.model import SuiteFom


def fom(
    name: CampaignArgument,
    ledger: LedgerOption = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="List every rule, kept or broken, with its reason.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """State the figure of merit, and whether it counts.

    Example: orchestrator fom friday --rules
    """
    from db.reader import Reader
    from orchestrator.analysis.fom import verdict_and_makespans
    from orchestrator.planning.campaign_file import left_out

    with Reader(ledger) as reader:
        row = reader.campaign(name)
        judged, spans = verdict_and_makespans(reader, row)
        absent = left_out(row.spec_text, [one.benchmark for one in reader.benchmarks(row.campaign)])
    if as_json:
        from dataclasses import asdict

        makespan = {key: asdict(value) for key, value in spans.items()}
        print_json({**judged.to_dict(), "makespan": makespan, "left_out": absent})
        return
    show_fom(judged, rules=rules)
    if absent:
        print(f"\n{LEFT_OUT}{', '.join(absent)}")
    if spans:
        print()
        print_table(
            ["benchmark", "runs", "slots", "span s", "start skew s", "median run s", "tail s", "slot use %"],
            [
                [
                    key,
                    one.runs,
                    one.slots,
                    one.span_seconds,
                    one.start_skew_seconds,
                    one.median_run_seconds,
                    one.tail_seconds,
                    100 * one.slot_use,
                ]
                for key, one in spans.items()
            ],
            title="where the time went",
        )


LEFT_OUT = "left out, as packages that they need were not installed at launch: "


def show_fom(verdict: SuiteFom, *, rules: bool = False) -> None:
    """Print the figures of merit, and why they do not count where they do not."""
    print_table(
        ["benchmark", "at once", "max s", "reference s", "accuracy", "target", "FOM", "reportable"],
        [
            [
                one.benchmark,
                one.instances,
                one.seconds,
                one.reference_seconds,
                one.accuracy,
                one.target,
                one.fom,
                one.reportable,
            ]
            for one in verdict.benchmarks
        ],
        title=f"figure of merit, rulebook {verdict.rulebook}",
    )
    print()
    print_table(
        ["group", "weight", "FOM", "reportable", "missing"],
        [[g.name, g.weight, g.fom, g.reportable, ", ".join(g.missing) or None] for g in verdict.groups]
        + [["overall", None, verdict.overall, verdict.reportable, None]],
    )
    if rules:
        for one in verdict.benchmarks:
            print(f"\n{one.benchmark}: {one.arithmetic}" if one.arithmetic else f"\n{one.benchmark}")
            for rule in one.rules:
                print(f"  {'pass' if rule.passed else 'FAIL'}  {rule.name}: {rule.reason}")
    elif not verdict.reportable:
        print("\nnot reportable:")
        outside = [
            f"{b.benchmark}: {reason}" for b in verdict.benchmarks if b.group is None for reason in b.reasons
        ]
        for reason in (*outside, *verdict.reasons):
            print(f"  {reason}")
