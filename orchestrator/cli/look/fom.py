"""`fom`."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from db.times import utc
from orchestrator.cli.analyze.roofline import show_trainings
from orchestrator.cli.options import (
    JsonOption,
    LastCampaignsArgument,
    LedgerOption,
    campaign_or_last,
    ledger_words,
)
from orchestrator.cli.terminal.answer_lines import answer_lines, search_lines
from orchestrator.cli.terminal.tables import print_json, print_table, say
from orchestrator.wording import ALL_DIGITS, FEW_DIGITS, count_of, few, printable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from db.reader import Reader
    from db.records import CampaignRow
    from orchestrator.analysis.base.makespan import MakespanBreakdown
    from orchestrator.analysis.verdict.review import Review
    from orchestrator.diagnostics.stated_verdicts import FormerVerdict, Statement
    from orchestrator.rulebooks.model import BenchmarkVerdict, RuleResult, Verdict

_Facts = TypeVar("_Facts")
LEFT_OUT = "left out, as packages that they need were not installed at launch: "
_NAMES_SHOWN = 5
_BENCHMARKS_SHOWN = 20
_REASONS_SHOWN = 20
_DIFFERENCES_SHOWN = 10
_CHANGES_SHOWN = 10


def fom(
    names: LastCampaignsArgument = None,
    ledger: LedgerOption = None,
    rules: Annotated[
        bool, typer.Option("--rules", help="List every rule, kept or broken, with its reason.")
    ] = False,
    precise: Annotated[bool, typer.Option("--precise", help="Print more than four digits.")] = False,
    as_json: JsonOption = False,
) -> None:
    """State what the campaign's rulebook counts: its figure of merit, and whether it is reportable.

    Several campaigns, one per benchmark for example, make one suite; those of a rulebook that ranks, such as
    hpcai500, compete.

    Of recipes it counts what PASSED and lists the rest first, worst first; the exit code is 5 unless every
    benchmark and point of a sweep is reportable: metrics within their bounds, no other rule broken.

    Example: orchestrator fom friday --rules
    Example: orchestrator fom candle-run convnet-run lstm-run resnet-run
    """
    from db.evidence.node_hours import hours_per_run
    from db.reader import Reader
    from orchestrator.analysis.roofline.runs import achieved_ratios, figure_roofline
    from orchestrator.analysis.verdict.fom import campaigns_named
    from orchestrator.diagnostics.stated_verdicts import state
    from orchestrator.review.dossier import Dossier

    with Reader(ledger) as reader:
        names = names or [campaign_or_last(reader, None).name]
        rows = campaigns_named(reader, names)
        dossier = Dossier.read(reader, rows, reviews=rules or as_json)
        verdict = dossier.verdict
        hours = {
            row.name: hours_per_run(reader, row.campaign_id) for row in rows if row.name in dossier.answers
        }
        stated = state(ledger, rows, dossier.checked)
        roofline = figure_roofline(reader, rows)
        ratios = achieved_ratios(reader, rows, verdict)
        unfinished = [] if as_json else [line for row in rows if (line := _unfinished(reader, row, ledger))]
    if as_json:
        from orchestrator.report.facts.verdicts import verdict_facts

        print_json(verdict_facts(dossier, stated.former, ratios, roofline))
        _exit_by(verdict)
        return
    digits = ALL_DIGITS if precise else FEW_DIGITS
    if unfinished:
        say("\n".join(unfinished) + "\n")
    for name, answers in dossier.answers.items():
        say("\n".join(answer_lines(answers, hours[name])) + "\n")
    for results in dossier.searches.values():
        say("\n".join(search_lines(results)) + "\n")
    show_fom(verdict, rules=rules, reviews=dossier.reviews, digits=digits)
    _show_statement(stated)
    for warning in dossier.warnings:
        say(printable(f"warning: {warning}"))
    say("\n" + "\n".join(map(str, dossier.nodes)))
    _show_pools(_of_listed(verdict, dossier.pools))
    _show_packages(dossier.packages)
    _show_others(dossier.judged.others, dossier.left_out)
    if rules:
        _show_changes(dossier.changes)
    _show_data(_of_listed(verdict, dossier.data))
    _show_makespans(_of_listed(verdict, dossier.judged.makespans), digits)
    if ratios:
        say("\n" + "\n".join(f"{one.name}: {one}" for one in ratios))
    if roofline is not None:
        say()
        show_trainings(roofline)
    print(f"\nnext     {shlex.join(_next_command(verdict, names, rules=rules))}{ledger_words(ledger)}")
    _exit_by(verdict)


def _unfinished(reader: Reader, row: CampaignRow, ledger: str | None) -> str:
    """Return how much of a campaign is done, where some of it still has to run; else an empty text."""
    from db.queries.instance_totals import instance_totals, left_to_run
    from orchestrator.lifecycle.driver_process.identity import may_be_alive

    if not left_to_run(reader.instance_counts(row.campaign_id)):
        return ""
    totals, running = instance_totals(reader, row.campaign_id), may_be_alive(row)
    state = "running" if running else "not at its end"
    done = f"{totals.done:,} of {count_of(totals.total, 'instance', 'are')} done"
    goes_on = "" if running else f"; `orchestrator resume {row.name}{ledger_words(ledger)}` goes on"
    return f"{row.name} is {state}: {done}; these are interim figures, not the verdict{goes_on}"


def _next_command(verdict: Verdict, names: Sequence[str], *, rules: bool) -> list[str]:
    """Return the command that a reader of a verdict most likely needs."""
    if not (rules or verdict.reportable):
        return ["orchestrator", "fom", *names, "--rules"]
    return ["orchestrator", "report", names[0]]


def _of_listed(verdict: Verdict, facts: Mapping[str, _Facts]) -> dict[str, _Facts]:
    """Return what is known of benchmarks, without those that the table leaves out."""
    absent = {one.benchmark for one in verdict.listed[_BENCHMARKS_SHOWN:]} if verdict.worst_first else set()
    return {name: value for name, value in facts.items() if name not in absent}


def _exit_by(verdict: Verdict) -> None:
    """End with an exit code of its own where the rulebook decides it, and a benchmark is not reportable."""
    from orchestrator.cli.exit_codes import UNMET
    from orchestrator.rulebooks import registry

    decides = registry.load(verdict.rulebook).decides_exit_code
    if decides and not all(one.reportable for one in verdict.benchmarks):
        raise typer.Exit(UNMET)


def _show_data(data: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the data that each benchmark was launched with."""
    if data:
        from orchestrator.lifecycle.data.hashes import describe  # loads NumPy

        say("\ndata read:")
        say("\n".join(f"  {benchmark}: {describe(facts)}" for benchmark, facts in data.items()))


def _show_changes(changes: Sequence[Mapping[str, str | None]]) -> None:
    """Print the last changes by users."""
    if changes:
        say("\nchanged by users after the launch:")
    for one in changes[-_CHANGES_SHOWN:]:
        say(printable(f"  {one['at']} {one['campaign']}: {one['what']}"))
    if (more := len(changes) - _CHANGES_SHOWN) > 0:
        say(f"  and {more:,} earlier changes; --json has all")


def _show_statement(stated: Statement) -> None:
    """Print how a verdict differs from the one that was stated before, and why it was not stored."""
    if (former := stated.former) is not None:
        data = _data_of(former)
        say(f"\nanother verdict than on {utc(former.at_us)}, by version {former.version} from {data}:")
        for line in former.differences[:_DIFFERENCES_SHOWN]:
            say(f"  {line}")
        if (more := len(former.differences) - _DIFFERENCES_SHOWN) > 0:
            say(f"  and {more:,} more differences; --json has all")
    if stated.not_stored:
        say(f"\nthe verdict was not stored: {stated.not_stored}")


def _data_of(former: FormerVerdict) -> str:
    """Return whether a former verdict was stated on the rows of today."""
    if former.same_data:
        return "the same data"
    if former.events_since > 0:
        return "other data, as more was recorded since"
    if former.events_since < 0:
        return f"other data: {count_of(-former.events_since, 'event', 'were')} deleted since"
    return "other data: nothing was recorded since, and rows were edited"


def _show_pools(pools: Mapping[str, Mapping[str, int]]) -> None:
    for benchmark, by_pool in pools.items():
        say(f"{benchmark}: {', '.join(f'{number:,} on pool {pool}' for pool, number in by_pool.items())}")


def _show_others(others: Sequence[str], absent: Sequence[str]) -> None:
    """Print what else of the ledger ran the same, and which benchmarks did not run at all."""
    if others:
        others_words = count_of(len(others), "other campaign")
        say(f"\n{others_words} of this ledger ran the same: {few(others, _NAMES_SHOWN)}")
    if absent:
        say(f"\n{LEFT_OUT}{', '.join(absent)}")


def _show_packages(packages: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print the root hash of the last package of each campaign that was packaged."""
    for name, found in packages.items():
        last = found[-1]
        outdated = "; the campaign went on since" if last["outdated"] else ""
        say(f"\n{name} is packaged as {last['file']}, root hash {last['root']}{outdated}")


def show_fom(
    verdict: Verdict,
    *,
    rules: bool = False,
    reviews: Mapping[str, Review] | None = None,
    digits: int = FEW_DIGITS,
) -> None:
    """Print the figures of a verdict, and why they are not reportable where they are not."""
    reports = any(one.headline is not None for one in verdict.benchmarks)
    shown = verdict.listed
    if verdict.worst_first:
        passed = sum(bool(one.reportable) for one in shown)
        say(f"{passed:,} of {count_of(len(shown), 'benchmark')} PASSED", end="\n\n")
        shown = shown[:_BENCHMARKS_SHOWN]
    print_table(
        ["benchmark", *(heading for heading, _ in verdict.columns), *(["reportable"] if reports else [])],
        [
            [one.benchmark, *(one[key] for _, key in verdict.columns), *([one.reportable] if reports else [])]
            for one in shown
        ],
        title=f"{'figure of merit' if reports else 'what was measured'}, rulebook {verdict.rulebook}",
        leave=_columns_but_headline(verdict),
        digits=digits,
    )
    if more := len(verdict.benchmarks) - len(shown):
        say(f"and {more:,} more benchmarks; --json and the report have all")
    if verdict.groups:
        say()
        _show_groups(verdict, digits)
    _show_meaning(verdict)
    for ranking in verdict.rankings:
        say()
        headings = ["place", "benchmark", *(heading for heading, _ in verdict.columns), "reportable"]
        print_table(
            headings,
            verdict.ranked(ranking),
            title=f"ranking: {ranking.title}",
            leave=_columns_but_headline(verdict),
            digits=digits,
        )
    if rules:
        for one in verdict.listed:
            _show_rules(one)
            if one.benchmark in (reviews or {}):
                _show_review((reviews or {})[one.benchmark])
    else:
        _show_broken(verdict)
        _show_absent(verdict)
        _show_declared(verdict)
    _show_misfit(verdict)


def _show_misfit(verdict: Verdict) -> None:
    """Print what to write where no benchmark is of the rulebook's suite."""
    from orchestrator.rulebooks import registry

    if hint := registry.misfit(verdict.rulebook, [one.workload for one in verdict.benchmarks]):
        say(f"\n{hint}")


def _show_declared(verdict: Verdict) -> None:
    """Print how many deviations and modifications belong to what is reported."""
    declared = sum(len(one.declared) for one in verdict.benchmarks)
    modified = sum(len(one.modifications) for one in verdict.benchmarks)
    counts = [
        count_of(number, noun)
        for number, noun in ((declared, "declared deviation"), (modified, "modification"))
        if number
    ]
    if counts:
        say(f"\na report states {' and '.join(counts)}; `fom --rules` lists them")


def _columns_but_headline(verdict: Verdict) -> list[str]:
    """Return the columns that a narrow table can go without, the last first."""
    kept = {one.headline.name for one in verdict.benchmarks if one.headline is not None}
    return [heading for heading, name in reversed(verdict.columns) if name not in kept]


def _show_meaning(verdict: Verdict) -> None:
    """Print what the figure of the rulebook stands for."""
    from orchestrator.rulebooks import registry

    if meaning := registry.load(verdict.rulebook).meaning:
        say(f"\n{meaning}")


def _show_groups(verdict: Verdict, digits: int) -> None:
    overall = verdict.headline.value if verdict.headline else None
    rows = [
        [g.name, g["weight"], g["fom"], g.reportable, ", ".join(g.missing) or None] for g in verdict.groups
    ]
    print_table(
        ["group", "weight", "FOM", "reportable", "missing"],
        [*rows, ["overall", None, overall, verdict.reportable, None]],
        leave=("weight", "missing"),
        digits=digits,
    )


def _show_rules(one: BenchmarkVerdict) -> None:
    """Print the arithmetic of a benchmark's figures, and every rule with its result."""
    stated = [figure for figure in (one.headline, *one.figures) if figure is not None and figure.arithmetic]
    say(f"\n{one.benchmark}: {stated[0].arithmetic}" if stated else f"\n{one.benchmark}")
    for figure in stated[1:]:
        say(f"  {figure.name}: {figure.arithmetic}")
    for given in (one.headline, *one.figures):
        if given is not None and given.absent:
            say(f"  {given.name}: absent: {given.absent}")
    for rule in one.rules:
        say(f"  {rule.result:4}  {rule.name}: {rule.reason}")
        for text in rule.declared:
            say(f"        declared: {text}")
    for text in one.modifications:
        say(f"  modification: {text}")
    attempts = ", ".join(f"{number:,} {outcome}" for outcome, number in one.attempts.items())
    say(f"  attempts: {attempts}")


def _show_review(facts: Review) -> None:
    """Print what a reviewer asks of a benchmark besides its rules."""
    say("  evidence:")
    for line in facts.lines():
        say(f"    {line}")


def _show_broken(verdict: Verdict) -> None:
    """Print the broken rules; of benchmarks without an ended attempt one line, as they break most."""
    untried = [one.benchmark for one in verdict.benchmarks if one.attempts and not any(one.attempts.values())]
    tried = [one for one in verdict.listed if one.benchmark not in untried]
    broken: list[str] = []
    if verdict.worst_first:
        broken = _outside(tried)
        if (more := len(broken) - _REASONS_SHOWN) > 0:
            broken = [*broken[:_REASONS_SHOWN], f"and {more:,} more reasons; --rules has all"]
    elif verdict.headline is None:
        broken = [f"{one.benchmark}: {_named(rule)}" for one in tried for rule in _failed(one)]
    elif not verdict.reportable:
        outside = [one for one in tried if one.group is None]
        of_tried = [one for one in verdict.reasons if not one.startswith(tuple(f"{x}: " for x in untried))]
        broken = _outside(outside) + _by_reason(of_tried, {one.benchmark for one in tried})
    if untried:
        broken.insert(0, f"{few(untried, _NAMES_SHOWN)}: no attempt has ended")
    if broken:
        reports = any(one.headline is not None for one in verdict.benchmarks)
        say("\nnot reportable:" if reports else "\nrules that are broken:")
        for line in broken:
            say(f"  {line}")
    elif verdict.headline is None:
        results = Counter(rule.result for one in verdict.benchmarks for rule in one.rules)
        kept = count_of(results["pass"], "rule", "are")
        say(f"\n{kept} kept, none is broken, {results['n/a']} do not apply here")


def _show_absent(verdict: Verdict) -> None:
    """Print why figures of the table have no value, where no broken rule says the same."""
    named: dict[tuple[str, str], list[str]] = {}
    for one in verdict.benchmarks if not verdict.worst_first else ():
        why = {figure.name: figure.absent for figure in (one.headline, *one.figures) if figure is not None}
        for heading, name in verdict.columns:
            if why.get(name) and why[name] not in one.reasons:
                named.setdefault((heading, why[name]), []).append(one.benchmark)
    if named:
        say("\nabsent:")
    for (heading, reason), names in named.items():
        say(f"  {heading} of {few(names, _NAMES_SHOWN)}: {reason}")


def _outside(benchmarks: Sequence[BenchmarkVerdict]) -> list[str]:
    """Return a line for each reason of benchmarks that count for nothing; points of a sweep share theirs."""
    lines = [f"{one.benchmark}: {reason}" for one in benchmarks for reason in one.reasons]
    return _by_reason(lines, {one.benchmark for one in benchmarks})


def _by_reason(lines: Sequence[str], benchmarks: Collection[str]) -> list[str]:
    """Return lines; those of benchmarks, ``NAME: reason``, become one line where they share the reason."""
    named: dict[tuple[bool, str], list[str]] = {}
    for line in lines:
        name, _, reason = line.partition(": ")
        known = name in benchmarks
        named.setdefault((known, reason if known else line), []).append(name)
    return [
        f"{few(names, _NAMES_SHOWN)}: {text}" if known else text for (known, text), names in named.items()
    ]


def _failed(one: BenchmarkVerdict) -> list[RuleResult]:
    return [rule for rule in one.rules if rule.passed is False]


def _named(rule: RuleResult) -> str:
    return f"{rule.name}: {rule.reason}"


def _show_makespans(spans: Mapping[str, MakespanBreakdown], digits: int) -> None:
    if not spans:
        return
    say()
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
        title="where the time of accepted runs went",
        leave=("start skew s", "slots", "tail s", "span s"),
        digits=digits,
    )
