"""A report's sections, in the order in which a reader asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from db.evidence.node_hours import hours_per_run
from db.evidence.runs import NO_RUNS, run_columns
from db.queries.accepted_curves import accepted_curves
from db.queries.attempt_times import blocks_of
from db.queries.power_series import power_series
from db.times import utc_seconds
from orchestrator.analysis.base.statistics import five_numbers
from orchestrator.analysis.slot_time.parts import COUNTED, PARTS
from orchestrator.analysis.slot_time.timeline import concurrent_runs, slot_timeline
from orchestrator.analysis.verdict.causes import causes
from orchestrator.report import figures
from orchestrator.report.answers import answer_blocks
from orchestrator.report.blocks import Checklist, Code, Opened, Section, Table, Task, Text
from orchestrator.report.figures import Band
from orchestrator.report.frameworks import framework_blocks
from orchestrator.report.roofline_figure import roofline_drawing
from orchestrator.report.roofline_tables import ceilings_table, notes, trainings_table
from orchestrator.report.run_figures import Panel, distributions, relative_times
from orchestrator.report.searches import search_blocks
from orchestrator.wording import count_of, few, number_words

if TYPE_CHECKING:
    from db.reader import Reader
    from orchestrator.report.contents import Contents
    from orchestrator.rulebooks.model import BenchmarkVerdict, RuleResult, Verdict

_ROWS, _COLUMNS, _SPANS = 600, 1500, 500
_BENCHMARKS = 8
"""Benchmarks with a colour of their own in the timeline."""
_PANELS = 9
_CURVES = 200
"""Instances of a benchmark whose learning curves are drawn."""
_WORST = 10
_GIB = 2**30


def sections(reader: Reader, found: Contents) -> list[Section]:
    """Return the sections of a report; those for which the ledger has nothing are left out."""
    answers = found.dossier.answers.get(found.campaign.name, ())
    searches = found.dossier.searches.get(found.campaign.name, ())
    cost = hours_per_run(reader, found.campaign.campaign_id) if answers else None
    made = [
        Section("answers", "Answers", list(answer_blocks(answers, cost))),
        Section("searches", "Searches", [block for one in searches for block in search_blocks(one)]),
        Section("verdict", "Verdict", list(_verdict(found))),
        Section("rules", "Rules", list(_rules(found))),
        Section("frameworks", "Frameworks side by side", list(_frameworks(found))),
        Section("time", "Where and when it ran", list(_when(reader, found))),
        Section("distributions", "Times and accuracies", list(_distributions(reader, found))),
        Section("makespan", "Makespan explained", list(_makespan(found))),
        Section("nodes", "Slow nodes and the tail", list(_nodes(found))),
        Section("failures", "Failures", list(_failures(found))),
        Section("resources", "Memory, CPU and other metrics", list(_resources(reader, found))),
        Section("rooflines", "Rooflines", list(_rooflines(found))),
        Section("evidence", "Rules and evidence of each benchmark", list(_evidence(found)), "Evidence"),
        Section("environment", "Environment", list(_environment(found))),
        Section("reproduce", "Reproduce it", list(_reproduce(found))),
    ]
    return [one for one in made if one.blocks]


def _verdict(found: Contents) -> Iterator[Any]:
    verdict = found.dossier.verdict
    reports = any(one.headline is not None for one in verdict.benchmarks)
    for warning in found.dossier.warnings:
        yield Text(f"Warning: {warning}.")
    if unmet := causes(verdict, found.rules):
        yield Checklist(
            "What would make it reportable" if reports else "Rules that are broken",
            [Task(one.name, one.benchmarks, " ".join(one.sentences), one.reasons) for one in unmet],
        )
    columns = _answer_first(verdict)
    units = [_time_unit(one, columns) for one in verdict.listed]
    unlike = any(unit not in (None, "s") for unit in units)  # the headings say seconds
    yield Table(
        "Figures of each benchmark",
        [
            *("benchmark", *["reportable"] * reports, *(heading for heading, _ in columns)),
            *["times in"] * unlike,
        ],
        [
            [
                *(one.benchmark, *[one.reportable] * reports, *(one[key] for _, key in columns)),
                *[unit] * unlike,
            ]
            for one, unit in zip(verdict.listed, units, strict=True)
        ],
    )
    if verdict.groups:
        yield Table(
            "Groups of the suite",
            ["group", "weight", "FOM", "reportable", "missing"],
            [[g.name, g["weight"], g["fom"], g.reportable, ", ".join(g.missing)] for g in verdict.groups],
        )
    for ranking in verdict.rankings:
        yield Table(
            f"Ranking: {ranking.title}",
            ["place", "benchmark", *(heading for heading, _ in verdict.columns), "reportable"],
            verdict.ranked(ranking),
        )
    if verdict.required:
        yield Table(
            "What the suite asks a report to state",
            ["benchmark", "item", "value", "unit"],
            list(_required(found)),
        )
        yield Text(
            "Configuration: sections Environment and Reproduce it. Logs: "
            f"`orchestrator logs {found.campaign.name} INSTANCE`."
        )
    stated = [
        [one.benchmark, figure.name, figure.arithmetic]
        for one in verdict.benchmarks
        for figure in (one.headline, *one.figures)
        if figure is not None and figure.arithmetic
    ]
    if stated:
        yield Table("Arithmetic", ["benchmark", "figure", "with its numbers"], stated, folded=True)


def _answer_first(verdict: Verdict) -> list[tuple[str, str]]:
    """Return the columns of the benchmarks' table, that of the figure which is reported first."""
    answers = {one.headline.name for one in verdict.benchmarks if one.headline is not None}
    return sorted(verdict.columns, key=lambda column: column[1] not in answers)


def _time_unit(one: BenchmarkVerdict, columns: Sequence[tuple[str, str]]) -> str | None:
    """Return the units of the benchmark's times in the columns, such as ``s/sample``."""
    names = {name for _, name in columns}
    units = (figure.unit for figure in one.figures if figure.name in names)
    return ", ".join(dict.fromkeys(unit for unit in units if unit == "s" or unit.startswith("s/"))) or None


def _required(found: Contents) -> Iterator[list[Any]]:
    """Yield a row for each item that the suite asks for, with the reason where its figure is absent."""
    for one in found.dossier.verdict.benchmarks:
        figures = {figure.name: figure for figure in (one.headline, *one.figures) if figure is not None}
        for item, name in found.dossier.verdict.required:
            if (figure := figures.get(name)) is not None and one.headline is not None:
                value = f"absent: {figure.absent}" if figure.value is None else f"{figure.value:.7g}"
                yield [one.benchmark, item, value, figure.unit]


def _rules(found: Contents) -> Iterator[Any]:
    benchmarks = found.dossier.verdict.benchmarks
    results = [{rule.name: rule for rule in one.rules} for one in benchmarks]
    names = dict.fromkeys(name for rules in results for name in rules)
    if names:
        failures = {name: sum(_failed(rules.get(name)) for rules in results) for name in names}
        yield Table(
            "Rules of each benchmark; a result opens its reason",
            ["rule", *(one.benchmark for one in benchmarks)],
            [
                [name, *(_opened(rules.get(name)) for rules in results)]
                for name in sorted(names, key=lambda name: -failures[name])
            ],
        )


def _failed(rule: RuleResult | None) -> bool:
    return rule is not None and rule.passed is False


def _evidence(found: Contents) -> Iterator[Any]:
    for one in found.dossier.verdict.benchmarks:
        broken = sum(map(_failed, one.rules))
        title = f"{one.benchmark}: {count_of(len(one.rules), 'rule')}, {broken or 'none'} broken"
        yield Table(title, ["result", "rule", "reason"], list(_rule_rows(one)), folded=True)
        if (facts := found.dossier.reviews.get(one.benchmark)) is not None:
            yield Table(
                f"{one.benchmark}: evidence",
                ["fact", "value"],
                [line.partition(": ")[::2] for line in facts.lines()],
                folded=True,
            )


def _opened(rule: RuleResult | None) -> Opened | None:
    """Return a rule's result as a sign and a word, which open its reason."""
    if rule is None:
        return None
    sign, kind = {True: ("✓", "pass"), False: ("✗", "fail"), None: ("–", "na")}[rule.passed]
    return Opened(f"{sign} {rule.result}", kind, rule.reason)


def _rule_rows(one: BenchmarkVerdict) -> Iterator[list[str]]:
    for rule in sorted(one.rules, key=lambda rule: rule.passed is not False):
        yield [rule.result, rule.name, rule.reason]
        for text in rule.declared:
            yield ["declared", rule.name, text]
    for text in one.modifications:
        yield ["modified", "", text]


def _frameworks(found: Contents) -> Iterator[Any]:
    return framework_blocks(found.frameworks) if found.frameworks is not None else iter(())


def _when(reader: Reader, found: Contents) -> Iterator[Any]:
    size = {"rows": _ROWS, "columns": _COLUMNS, "benchmarks": _BENCHMARKS}
    jobs = blocks_of(reader, found.campaign.campaign_id)
    drawn = slot_timeline(found.times, blocks=jobs, sessions=found.sessions, **size)
    if drawn is not None:
        yield figures.timeline(drawn)
        if (runs := concurrent_runs(found.times, spans=_SPANS)) is not None:
            yield figures.concurrency(runs, drawn.names)
    nodes = str(found.dossier.nodes[0])
    yield Text(f"{nodes[0].upper()}{nodes[1:]}.")
    states = sorted({state for counts in found.counts.values() for state in counts})
    yield Table(
        "Instances by state",
        ["benchmark", *states],
        [
            [name, *(found.counts[name].get(state, 0) for state in states)]
            for name in (one.gathered.benchmark.benchmark for one in found.dossier.judged.judged)
            if name in found.counts
        ],
    )
    pools = [
        [one.measurements.benchmark, pool, number]
        for one in found.dossier.judged.judged
        for pool, number in one.measurements.slots.pools.items()
    ]
    if pools:
        yield Table("Accepted instances by pool of the site", ["benchmark", "pool", "instances"], pools)
    yield Table(
        "Sessions",
        ["session", "kind", "host", "version", "started", "ended", "outcome"],
        [
            [
                s.session_number,
                s.kind,
                s.host,
                s.version,
                utc_seconds(s.started_us),
                utc_seconds(s.ended_us),
                s.outcome,
            ]
            for s in found.sessions
        ],
    )
    if found.explained is not None and found.explained.blocks:
        blocks = found.explained.blocks
        pooled = any(b.pool for b in blocks)
        energy = found.block_energy
        joules = {(session, block): value for (session, _, block), value in energy.joules.items()}
        yield Table(
            "Blocks (jobs of the batch system)",
            [
                *("session", "block", *["pool"] * pooled, "job", "nodes", "state", "queued s", "held s"),
                *["energy J"] * bool(joules),
            ],
            [
                [
                    *(b.session, b.block, *[b.pool] * pooled, b.job, b.nodes, b.state),
                    *(b.queued_seconds, b.held_seconds),
                    *[joules.get((b.session, b.block))] * bool(joules),
                ]
                for b in blocks
            ],
            folded=True,
        )
        if text := str(energy):
            yield Text(f"{text[0].upper()}{text[1:]}.")


def _distributions(reader: Reader, found: Contents) -> Iterator[Any]:
    times, accuracies = [], []
    runs = run_columns(reader, found.campaign.campaign_id)
    for judged, one in zip(found.dossier.judged.judged, found.dossier.verdict.benchmarks, strict=True):
        columns = runs.get(judged.gathered.benchmark.benchmark, NO_RUNS)[-2:]
        seconds, accuracy = (values[np.isfinite(values)] for values in map(np.asarray, columns))
        if seconds.size:
            longest = max(float(seconds.max()), judged.measurements.superseded.longest_seconds or 0.0)
            marks = {"longest": longest} | _figure(one, "reference_seconds", "reference")
            times.append(Panel(one.benchmark, judged.measurements.times.unit, seconds, marks))
        if accuracy.size:
            metric = judged.gathered.benchmark.quality_metric or "accuracy"
            accuracies.append(Panel(one.benchmark, metric, accuracy, _figure(one, "target", "target")))
    spread = [(panel.title, panel.unit, panel.values) for panel in (*times, *accuracies)]
    if positive := [panel for panel in times if (panel.values > 0).all()]:
        yield relative_times(positive)
    if times:
        more = f" The first {_PANELS} of {len(times)} benchmarks." if len(times) > _PANELS else ""
        superseded = sum(one.measurements.superseded.number for one in found.dossier.judged.judged)
        gone = f", but not of {superseded:,} superseded, whose times count, too" if superseded else ""
        text = f"Time of each accepted instance{gone}; the longest decides.{_far(times, 'reference')}{more}"
        yield distributions("times", "Distribution of times", text, times[:_PANELS])
    if accuracies:
        more = f" The first {_PANELS} of {len(accuracies)} benchmarks." if len(accuracies) > _PANELS else ""
        caption = f"Quality that each accepted instance reached.{_far(accuracies, 'target')}{more}"
        yield distributions("accuracies", "Distribution of accuracies", caption, accuracies[:_PANELS])
    yield from _learning_curves(reader, found)
    if spread:
        yield Table(
            "The same in numbers",
            ["benchmark", "unit or metric", "instances", "lowest", "5 %", "median", "95 %", "highest"],
            [[name, unit, values.size, *five_numbers(values)] for name, unit, values in spread],
        )


def _far(panels: Sequence[Panel], mark: str) -> str:
    """Return a sentence with the marks of that name in numbers: some lie outside of their panels."""
    drawn = [one for one in panels[:_PANELS] if mark in one.marks]
    marks = [f"{one.title} {number_words(one.marks[mark])} {one.unit}" for one in drawn]
    return f" {mark.capitalize()}: {', '.join(marks)}." if marks else ""


def _learning_curves(reader: Reader, found: Contents) -> Iterator[Any]:
    curves = accepted_curves(reader, found.campaign.campaign_id, _CURVES)
    panels = [
        figures.band_of(f"{benchmark}: {name}", axis, points)
        for (benchmark, name, axis), points in curves.items()
        if any(value is not None for curve in points for _, value in curve)
    ]
    if panels:
        more = f" The first {_PANELS} of {len(panels)} curves." if len(panels) > _PANELS else ""
        caption = (
            f"Median of the accepted instances of a benchmark, {_CURVES} at most, and their range.{more}"
        )
        yield figures.bands("curves", "Learning curves", caption, panels[:_PANELS])


def _figure(one: BenchmarkVerdict, key: str, label: str) -> dict[str, float]:
    try:
        value = one[key]
    except KeyError:  # this rulebook states none
        return {}
    return {} if value is None else {label: value}


def _makespan(found: Contents) -> Iterator[Any]:
    explained = found.explained
    if explained is None or not explained.offered_us:
        return
    offered = explained.offered_us
    yield figures.slot_time(explained.parts, COUNTED)
    yield Table(
        "Parts of the slot-time",
        ["part", "slot-hours", "%", "what it is"],
        [
            [name.replace("_", " "), spent / 3.6e9, f"{100 * spent / offered:.2f}", PARTS[name]]
            for name, spent in explained.parts.items()
            if spent
        ],
    )
    hours = explained.node_hours
    yield Table(
        "Node-hours of the whole campaign",
        ["asked for", "held", "busy", "in accepted runs"],
        [[hours.asked, hours.held, hours.busy, hours.accepted]],
    )
    for line in found.bill.lines() if found.bill is not None else ():
        yield Text(f"{line[0].upper()}{line[1:]}.")


def _nodes(found: Contents) -> Iterator[Any]:
    if (ranking := found.nodes) is not None:
        if len(ranking.nodes) > 1:
            yield figures.slowdowns([(one.place, one.slowdown, one.slow) for one in ranking.nodes])
            failed = ranking.failed
            yield Table(
                "Slowest nodes",
                ["node", "runs", "slower %", "slow by both tests", "failed attempts"],
                [
                    [one.place, one.runs, f"{100 * one.slowdown:+.2f}", one.slow, failed.get(one.place, 0)]
                    for one in ranking.nodes[:_WORST]
                ],
            )
        if ranking.why_no_verdict:
            yield Text(f"No node is named slow: {ranking.why_no_verdict}.")
        changes = [
            [", ".join(one.nodes), name, f"{100 * change:+.2f}"]
            for one in ranking.without
            for name, change in one.fom.items()
            if change is not None
        ]
        if changes:
            yield Table("FOM without nodes", ["without", "benchmark", "FOM changes by %"], changes)
    elif len(found.times):
        why = "no accepted attempt was timed"
        if find_spec("scipy") is None:
            why = "SciPy is not installed; pip install '.[statistics]' adds it"
        yield Text(f"Nodes are not ranked: {why}.")
    if found.explained is not None:
        rows = [[w.name, w.tail_us / 1e6, w.ratio] for w in found.explained.instances if w.tail_us]
        if rows:
            yield Table("Longest runs", ["instance", "s beyond the median", "longest ÷ median"], rows)


def _failures(found: Contents) -> Iterator[Any]:
    if found.failures:
        yield Table("Attempts that did not succeed", ["reason", "attempts"], found.failures)
    elif len(found.times):
        yield Text("Every attempt succeeded.")


def _resources(reader: Reader, found: Contents) -> Iterator[Any]:
    rows = [
        [
            one.benchmark,
            None if one.largest_memory_bytes is None else one.largest_memory_bytes / _GIB,
            one.mean_cpu_seconds,
            one.largest_cpu_seconds,
        ]
        for one in found.resources
    ]
    if any(value is not None for row in rows for value in row[1:]):
        yield Table(
            "Of accepted attempts", ["benchmark", "most memory, GiB", "mean CPU s", "most CPU s"], rows
        )
        codes = [one.measurements.provenance.code for one in found.dossier.judged.judged]
        if any(code and code.forked for code in codes):
            yield Text("CPU time of forked attempts is without imports, which a fork server did once.")
    metrics = [
        [benchmark, name, number, low, high]
        for benchmark, ranges in found.metrics.items()
        for name, (low, high, number) in ranges.items()
    ]
    columns = ["benchmark", "metric", "instances", "lowest", "highest"]
    if power := [row for row in metrics if str(row[1]).endswith(("_joules", "_watts"))]:
        yield Table("Energy and power of accepted attempts", columns, power)
    if kernels := [row for row in metrics if str(row[1]).startswith("profile_")]:
        yield Table("Kernels of recorded runs", columns, kernels)
    if series := power_series(reader, found.campaign.campaign_id):
        panels = [
            Band(
                f"{one.instance}: {one.quantity.replace('_', ' ')} of {one.device}, W",
                "s",
                *zip(*one.points, strict=True),
            )
            for one in series[:_PANELS]
            if one.points
        ]
        caption = "Longest accepted run of each benchmark; the band is from the lowest to the highest sample."
        yield figures.bands("power", "Power over time", caption, panels)
    if others := [row for row in metrics if row not in (*power, *kernels)]:
        yield Table("Other metrics that instances reported", columns, others, folded=True)


def _rooflines(found: Contents) -> Iterator[Any]:
    measured = found.roofline
    if measured is None:
        return
    yield roofline_drawing(measured)
    for table in (ceilings_table(measured), trainings_table(measured)):
        yield replace(table, title=table.title.capitalize())
    for text in notes(measured.trainings):
        yield Text(f"{text}.")


def _environment(found: Contents) -> Iterator[Any]:
    for one in found.described:
        yield Table(
            f"{count_of(len(one.nodes), 'node')} alike: {few(one.nodes, _WORST)}",
            ["fact", "value"],
            list(one.facts.items()),
            folded=True,
        )
    if found.dossier.data:
        rows = [
            [name, key, str(value)]
            for name, facts in found.dossier.data.items()
            for key, value in facts.items()
        ]
        yield Table("Data read", ["benchmark", "fact", "value"], rows, folded=True)
    if found.site_text:
        yield Code(f"Site file {found.campaign.site_name}, as registered", found.site_text)


def _reproduce(found: Contents) -> Iterator[Any]:
    name = found.campaign.name
    yield Text(f"Identity of the campaign: {found.campaign.uid}.")
    if found.campaign_text:
        yield Text("Save the campaign file below and the site file above; the versions are in the sessions.")
        yield Code("Commands", (
            "orchestrator plan campaign.yaml --site site.yaml\n"
            "orchestrator launch campaign.yaml --site site.yaml --name again\n"
            f"orchestrator analyze compare {name} again\n"
        ), opened=True)  # fmt: skip
        yield Code("Campaign file, as registered", found.campaign_text)
    else:
        yield Text("The ledger has no campaign file: it was simulated, or came from another program.")
    if packages := found.dossier.packages.get(found.campaign.name):
        yield Table(
            "Packages of evidence (check one with `orchestrator evidence verify`)",
            ["file", "root hash", "written", "campaign went on since"],
            [[one["file"], one["root"], utc_seconds(one["at_us"]), one["outdated"]] for one in packages],
        )
