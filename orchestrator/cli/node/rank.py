"""`node rank`: which nodes and slots are slower than others, and the campaign without them."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from orchestrator.cli.options import JsonOption, LastCampaignArgument, LedgerOption, campaign_or_last
from orchestrator.cli.terminal.tables import print_json, print_table, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orchestrator.analysis.nodes.ranking import NodeRanking
    from orchestrator.analysis.nodes.scores import PlaceScore

_SHOWN = 10


def nodes(
    name: LastCampaignArgument = None, ledger: LedgerOption = None, as_json: JsonOption = False
) -> None:
    """Rank nodes and slots by speed, name those that are slower, and state the FOM without them.

    A node is named only if two tests agree; at most one campaign in a hundred names a good one.

    Example: orchestrator node rank friday
    """
    from db.reader import Reader
    from orchestrator.analysis.nodes.ranking import rank_nodes
    from orchestrator.schedulers.families import exclude_line

    with Reader(ledger) as reader:
        row = campaign_or_last(reader, name)
        found = rank_nodes(reader, row)
    exclude = exclude_line(row, found.slow)
    if as_json:
        print_json({**found.to_dict(), "exclude": exclude})
        return
    _show_scores("nodes", found.nodes, found.failed)
    if found.slots:
        say()
        _show_scores("slots", found.slots, {})
        say()
        _show_scores("slots of all nodes, by number", found.positions, {})
    say()
    _show_verdict(found, exclude)


def _show_scores(what: str, scores: Sequence[PlaceScore], failed: dict[str, int]) -> None:
    slow = sum(one.slow for one in scores)
    listed = scores[: max(_SHOWN, slow)]
    print_table(
        ["place", "runs", "slower %", "score", "p", "verdict", *(["failed attempts"] if failed else [])],
        [
            [
                one.place,
                one.runs,
                f"{100 * one.slowdown:+.2f}",
                None if one.score is None else f"{one.score:.1f}",
                None if one.score is None else f"{one.probability:.2g}",
                "slow" if one.slow else "",
                *([failed.get(one.place, 0)] if failed else []),
            ]
            for one in listed
        ],
        title=f"slowest {what}",
    )
    if (rest := len(scores) - len(listed)) > 0:
        say(f"and {rest:,} faster; --json lists all")


def _show_verdict(found: NodeRanking, exclude: str | None) -> None:
    from orchestrator.analysis.nodes.scores import FALSE_ALARMS

    rate = f"false-alarm rate {FALSE_ALARMS:.0%} per campaign"
    if found.why_no_verdict:
        say(f"no verdict: {found.why_no_verdict}")
    elif found.slow:
        say(f"slower than the others ({rate}): {', '.join(found.slow)}")
    else:
        say(f"no node is slower than the others ({rate})")
    for fact, names in found.differing.items():
        say(f"differs from most nodes in {fact}: {', '.join(names)}")
    _show_conditions(found)
    for one in found.without:
        changes = [f"{name} {value:+.1%}" for name, value in one.fom.items() if value is not None]
        if one.headline is not None:
            changes.append(f"overall {one.headline:+.1%}")
        what = "FOM"
        if not changes:
            what = "longest time"
            changes = [f"{name} {value:+.1%}" for name, value in one.longest.items() if value is not None]
        if changes:
            say(f"{what} without {', '.join(one.nodes)}: {', '.join(changes)}")
    if exclude:
        say(f"to exclude them, in the site file under scheduler:\n  {exclude}")
    elif found.slow:
        say(f"no one line of the site file excludes them; launch with --exclude {','.join(found.slow)}")


def _show_conditions(found: NodeRanking) -> None:
    """Print heat, clock and throttling of the GPUs of nodes that are slow or were throttled."""
    clocks = [one.clock_megahertz for one in found.conditions if one.clock_megahertz is not None]
    named = [one for one in found.conditions if one.throttled_attempts or one.node in found.slow]
    for one in named[:_SHOWN]:
        number = one.throttled_attempts
        facts = [f"{one.throttled_seconds:.0f} s in {number} attempt{'s' * (number > 1)}"] * bool(number)
        if one.hottest_celsius is not None:
            facts.append(f"up to {one.hottest_celsius:.0f} °C")
        if one.clock_megahertz is not None:
            usual = f"{median(clocks):,.0f} MHz is the median of all nodes"
            facts.append(f"mean clock {one.clock_megahertz:,.0f} MHz ({usual})")
        say(f"GPUs {'throttled on' if number else 'of'} {one.node}: {', '.join(facts)}")
