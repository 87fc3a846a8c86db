"""Sections on the page of a running campaign."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from db.times import utc_seconds
from orchestrator.analysis.live.progress import SO_FAR
from orchestrator.monitoring.campaign_status import longest
from orchestrator.monitoring.outcome_words import outcome_words
from orchestrator.report.blocks import Bar, Link, Section, Table, Text
from orchestrator.report.searches import search_blocks
from orchestrator.serve.pages.addresses import of_instance, of_instances
from orchestrator.serve.pages.campaign_list import rate, session_seconds
from orchestrator.wording import count_of, number_words, rate_words
from sites.quantities import shown

if TYPE_CHECKING:
    from orchestrator.analysis.live.progress import BenchmarkProgress, FigureSoFar
    from orchestrator.analysis.sequential.questions import Answer
    from orchestrator.monitoring.campaign_status import CampaignStatus

_ROWS = 100
_WORDS = {True: "reportable", False: "not reportable", None: "not judged yet"}


def headline(status: CampaignStatus, figures: Sequence[FigureSoFar] | None) -> tuple[str, str]:
    """Return where a campaign stands in a line, and its kind: ``good``, ``bad`` or ``plain``.

    Of a campaign that ended the line has the figure of merit with its verdict.

    Parameters
    ----------
    figures
        Figures of merit; None while they are read for the first time.
    """
    progress = status.progress
    through = f"{progress.done:,} of {progress.total:,} done"
    if status.driver is not None:
        asked = f", {status.stop_request} requested" if status.stop_request else ""
        known = [*([_answered(status.answers)] if status.answers else []), *_best(status)]
        answered = "".join(f"; {one}" for one in known)
        return f"running, {through}{asked}{answered}", "plain"
    if status.outcome is None:
        return f"not started, {through}", "plain"
    words, reportable = _verdict_words(figures)
    if status.answers and not figures:
        words = _answered(status.answers)
    elif status.searches and not figures:
        words = "; ".join(_best(status))
    complete = status.outcome == "complete"
    kind = "bad" if not complete or reportable is False else "good" if reportable else "plain"
    return f"{outcome_words(status.outcome)}, {through}; {words}", kind


def _answered(answers: Sequence[Answer]) -> str:
    """Return the answer to the questions that may end a campaign, or how many have one."""
    if len(answers) == 1 and len(answers[0].sentences) == 1:
        return answers[0].sentences[0]
    certain = sum(one.certain for one in answers)
    return f"{certain:,} of {count_of(len(answers), 'question')} answered"


def _best(status: CampaignStatus) -> list[str]:
    """Return the best trial of each search in words."""
    return [one.headline for one in status.searches]


def _verdict_words(figures: Sequence[FigureSoFar] | None) -> tuple[str, bool | None]:
    """Return the figure of merit with its verdict in words, and the verdict; None where it is not known."""
    if figures is None:
        return "being judged", None
    whole = next((one for one in figures if not one.subject), None)
    if whole is not None:
        value = "-" if whole.value is None else f"{number_words(whole.value)} {whole.unit}".strip()
        return f"figure of merit {value}, {_WORDS[whole.reportable]}", whole.reportable
    if figures:
        good = sum(one.reportable is True for one in figures)
        return f"{good:,} of {count_of(len(figures), 'figure')} reportable", None
    return "no figure of merit", None


def facts(status: CampaignStatus) -> dict[str, str]:
    """Return the facts for the head of the page."""
    found, row = status.progress, status.row
    made = {
        "site": row.site_name,
        "rulebook": f"{row.rulebook}, class {row.run_class}",
        "driver": status.driver or "none",
    }
    if status.driver is not None:  # without one, nothing records how runs end
        made["slots busy"] = f"{found.slots_busy:,} of {'-' if found.slots is None else f'{found.slots:,}'}"
        pace = found.per_minute
        made["rate"] = "-" if pace is None else f"{rate_words(pace)} of this session"
        made["time left"] = str(found.time_left)
        made |= status.forecasts
        if status.outlook.wave is not None:
            made["start barrier"] = f"wave {status.outlook.wave} waits"
    elif status.last_end_us is not None:
        made["ended"] = f"{utc_seconds(status.last_end_us)} UTC"
        seconds = session_seconds(status.sessions)
        pace = rate(found.done, seconds)
        made["took"] = "-" if seconds is None else shown(round(seconds))
        made["rate"] = "-" if pace is None else f"{rate_words(pace)} of the sessions"
    if (job := status.outlook.driver_job) is not None:
        made["next driver"] = f"job {job.job}, which has not begun"
    return made | {"read": f"{utc_seconds(status.read_us)} UTC"}


def sections(status: CampaignStatus, figures: Sequence[FigureSoFar] | None) -> list[Section]:
    """Return the sections; those for which there is nothing are left out.

    Parameters
    ----------
    figures
        Figures of merit so far; None while they are read for the first time.
    """
    running = status.row.outcome != "complete"
    made = [
        Section("answers", "Answers", list(_answers(status))),
        Section("searches", "Searches", [block for one in status.searches for block in search_blocks(one)]),
        Section("benchmarks", "Benchmarks", list(_benchmarks(status))),
        Section(
            "figures", f"Figures of merit{' so far' if running else ''}", list(_figures(figures, running))
        ),
        Section("blocks", "Blocks", list(_blocks(status))),
        Section("failures", "Failures", list(_failures(status))),
    ]
    return [one for one in made if one.blocks]


def _answers(status: CampaignStatus) -> Iterator[Any]:
    if status.answers:
        yield Table(
            "What is known of the questions that may end it",
            ["question", "so far", "certain"],
            [
                [one.question.label or one.question.metric, sentence, one.certain]
                for one in sorted(status.answers, key=lambda one: one.certain)
                for sentence in one.sentences
            ][:_ROWS],
        )


def _benchmarks(status: CampaignStatus) -> Iterator[Any]:
    name, found = status.row.name, status.progress.benchmarks
    rows = [
        [
            Link(_named(group, points), of_instances(name, benchmark=group)),
            _bar(points),
            sum(one.planned for one in points),
            sum(one.running for one in points),
            sum(one.done for one in points),
            sum(one.exhausted for one in points),
            sum(one.failed_attempts for one in points),
            _longest(points),
            _oldest(points),
        ]
        for group, points in status.groups()
    ]
    columns = [
        "benchmark", "progress", "planned", "running", "done", "out of retries", "failed attempts",
        "longest so far", "oldest run",
    ]  # fmt: skip
    yield Table("Instances by benchmark", columns, rows[:_ROWS])
    if len(rows) > _ROWS:
        yield Text(f"The first {_ROWS} of {len(rows):,} benchmarks; the list of instances has all.")
    held = [one.benchmark for one in found if one.paused]
    if held:
        yield Text(
            f"Paused, until `orchestrator instance unpause` lets them start: {', '.join(held[:_ROWS])}."
        )


def _named(group: str, points: Sequence[BenchmarkProgress]) -> str:
    return group if points[0].benchmark == group else f"{group} ({len(points):,} points)"


def _bar(points: Sequence[BenchmarkProgress]) -> Bar:
    parts = {
        "done": sum(one.done for one in points),
        "running": sum(one.running for one in points),
        "exhausted": sum(one.exhausted for one in points),
    }
    return Bar(sum(one.total for one in points), parts)


def _longest(points: Sequence[BenchmarkProgress]) -> str | None:
    found = longest(points)
    return found and f"{number_words(found[0])} {found[1]}"


def _oldest(points: Sequence[BenchmarkProgress]) -> str | None:
    ages = [one.longest_running_seconds for one in points if one.longest_running_seconds is not None]
    return shown(round(max(ages))) if ages else None


def _figures(figures: Sequence[FigureSoFar] | None, running: bool) -> Iterator[Any]:
    if figures is None:
        yield Text("They are being computed; this takes some seconds.")
    elif figures:
        if running:
            yield Text(SO_FAR)
        yield Table(
            "Figures",
            ["of", "figure", "value", "unit", "reportable"],
            [
                [one.subject or "campaign", one.name, one.value, one.unit, _verdict(one)]
                for one in figures[:_ROWS]
            ],
        )


def _verdict(one: FigureSoFar) -> str:
    return {True: "yes", False: "no", None: "not judged yet"}[one.reportable]


def _blocks(status: CampaignStatus) -> Iterator[Any]:
    found = status.outlook.blocks
    if not found:
        return
    yield Table(
        "Blocks (jobs of the batch system)",
        ["block", "job", "pool", "state", "nodes", "walltime left", "reason"],
        [
            [
                one.block,
                one.job,
                one.pool,
                one.state,
                one.nodes,
                None if one.left_seconds is None else shown(round(one.left_seconds)),
                one.reason,
            ]
            for one in found[:_ROWS]
        ],
    )
    if len(found) > _ROWS:
        yield Text(f"The first {_ROWS} of {len(found):,} blocks.")
    for node, why in list(status.outlook.excluded_nodes.items())[:_ROWS]:
        yield Text(f"Node {node} gets no more work: {why}")


def _failures(status: CampaignStatus) -> Iterator[Any]:
    name = status.row.name
    if status.reasons:
        total = sum(number for _, number in status.reasons)
        yield Table(
            "Attempts that did not succeed, by cause",
            ["cause", "share", "attempts"],
            [
                [Link(reason, of_instances(name, reason=reason)), Bar(total, {"attempts": number}), number]
                for reason, number in status.reasons
            ],
        )
    if status.progress.failures:
        yield Table(
            "Last failures",
            ["at (UTC)", "instance", "attempt", "cause", "node", "message"],
            [
                [
                    utc_seconds(one.at_us),
                    Link(one.instance, of_instance(name, one.instance)),
                    one.attempt,
                    one.reason,
                    None if one.node is None else Link(one.node, of_instances(name, node=one.node)),
                    one.message,
                ]
                for one in status.progress.failures
            ],
        )
