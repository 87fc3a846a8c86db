"""`analyze project`: from a campaign on a few nodes to the figure of merit of a whole system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from orchestrator.cli.options import CampaignNamesArgument, JsonOption, LedgerOption
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from orchestrator.analysis.projection.system_projection import BenchmarkProjection, SystemProjection


def project(
    names: CampaignNamesArgument,
    site: Annotated[
        str, typer.Option("--site", "-s", help="The whole system: a name (see `site list`) or a .yaml file.")
    ],
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", min=1, help="Nodes in use; by default all that the site declares."),
    ] = None,
    ledger: LedgerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Project the longest run and the FOM of a whole system from runs on a few of its nodes.

    The longest of many runs grows with their number; it is predicted by extreme-value statistics, with an
    interval of 90 %, or refused where the runs cannot carry that. Campaigns at several scales add a term
    for contention.

    Example: orchestrator analyze project friday --site frontier --nodes 9000
    """
    from db.reader import Reader
    from orchestrator.analysis.projection.system_projection import project_system
    from orchestrator.analysis.verdict.fom import campaigns_named
    from orchestrator.planning.registered import slots_of_system
    from sites import load

    machine, _ = load(site)
    with Reader(ledger) as reader:
        rows = campaigns_named(reader, names)
        at_once: dict[str, int] = {}
        for row in rows:
            system, mine = slots_of_system(row, reader.benchmarks(row.campaign_id), machine, nodes)
            at_once |= mine
        found = project_system(reader, rows, machine.site, system, at_once)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found)


def _show(found: SystemProjection) -> None:
    say(
        f"A prediction, no measurement: {count_of(found.nodes, 'node')} of site {found.site}, if "
        "they are like "
        "those that were measured.\n"
    )
    print_table(
        ["benchmark", "measured", "longest of them", "at once", "longest", "90 %", "FOM", "90 %"],
        [_row(one) for one in found.benchmarks],
    )
    if found.headline is not None:
        low, value, high = found.headline
        say(f"\noverall: {value:.6g} ({low:.6g} to {high:.6g} if every benchmark is at that end)")
    say()
    for one in found.benchmarks:
        if one.found is None:
            enough = f"; about {count_of(one.needed, 'run')} would do" if one.needed is not None else ""
            say(f"{one.benchmark}: not projected, since {one.refused}{enough}")
            continue
        say(f"{one.benchmark}: {one.found.method}; tail shape {one.found.maximum.shape:+.2f}")
        contention = one.found.contention
        if contention is None:
            say("  no term for contention: all campaigns ran at one scale")
        else:
            scales = ", ".join(f"{scale:,}" for scale in contention.scales)
            say(
                f"  contention: time grows as (instances at once) ^ {contention.exponent:.3g} "
                f"± {contention.error:.2g}, measured with {scales} at once"
            )


def _row(one: BenchmarkProjection) -> list[object]:
    longest = interval = fom = foms = None
    if one.found is not None:
        maximum = one.found.maximum
        longest, interval = maximum.value, f"{maximum.low:.5g} to {maximum.high:.5g}"
    if one.fom is not None:
        fom, foms = one.fom[1], f"{one.fom[0]:.5g} to {one.fom[2]:.5g}"
    return [one.benchmark, one.measured_runs, one.measured_longest, one.at_once, longest, interval, fom, foms]
