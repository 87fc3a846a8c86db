"""How `status NAME --watch` shows a campaign: on a whole terminal, as lines, or as JSON lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from db.times import utc
from orchestrator.analysis.live.progress import SO_FAR
from orchestrator.cli.terminal.answer_lines import answer_lines, search_lines
from orchestrator.cli.terminal.tables import print_json_line
from orchestrator.monitoring.outcome_words import outcome_words
from orchestrator.report.blocks import cell
from orchestrator.wording import count_of, rate_words
from sites.quantities import shown

if TYPE_CHECKING:
    from orchestrator.analysis.live.progress import BenchmarkProgress, FigureSoFar
    from orchestrator.monitoring.campaign_status import CampaignStatus
    from orchestrator.monitoring.outlook import BlockNow, Outlook
    from orchestrator.monitoring.watched import Look

_WIDE = 100  # columns from which every number has one of its own
_ASCII, _BLOCKS = ("#", "=", "!", "."), ("█", "▒", "▚", "·")


class JsonLines:
    """One JSON object a line."""

    def show(self, look: Look) -> None:
        """Print it."""
        print_json_line(look.to_dict())

    def message(self, text: str) -> None:
        """Print why it cannot be read."""
        print_json_line({"message": text})

    def resized(self) -> None:
        """Do nothing: lines have no width."""


class PlainLines:
    """One line of text each time, for pipes, files and plain terminals."""

    def show(self, look: Look) -> None:
        """Print it."""
        print(plain_line(look.status), flush=True)

    def message(self, text: str) -> None:
        """Print why it cannot be read."""
        print(one_line(text), flush=True)

    def resized(self) -> None:
        """Do nothing: lines have no width."""


def plain_line(status: CampaignStatus) -> str:
    """Return where a campaign stands as one line."""
    progress = status.progress
    parts = [
        str(utc(status.read_us))[:19] + "Z",
        f"{status.row.name}: {state_words(status)}",
        counts_words(status),
    ]
    parts += pace_words(status)
    if status.answers:
        certain = sum(one.certain for one in status.answers)
        parts.append(f"{certain:,} of {count_of(len(status.answers), 'question')} answered")
    parts += [one.headline for one in status.searches]
    parts += [f"block {one.block} is {one.state}" for one in status.outlook.blocks if one.started_us is None][
        :1
    ]
    failed = progress.failures[:1]
    parts += [f"last failure {one.instance}: {one.reason}" for one in failed]
    return one_line("; ".join(parts))


def state_words(status: CampaignStatus) -> str:
    """Return who runs a campaign, or why it does not run."""
    if status.driver:
        asked = status.stop_request
        return f"run by {status.driver}" + (f", {asked} requested" if asked in ("drain", "cancel") else "")
    if status.left and status.outlook.driver_job is not None:
        return f"waits for job {status.outlook.driver_job.job}, which runs its driver"
    if not status.over:
        return "its driver has been silent since its lease ran out"
    return outcome_words(status.outcome) if status.outcome else "not finished"


def counts_words(status: CampaignStatus) -> str:
    """Return how many instances of a campaign are in each state."""
    rows = status.progress.benchmarks
    parts = [f"{sum(one.done for one in rows):,} of {sum(one.total for one in rows):,} done"]
    sums = {
        "running": sum(one.running for one in rows),
        "planned": sum(one.planned for one in rows),
        "out of retries": sum(one.exhausted for one in rows),
        "failed attempts": sum(one.failed_attempts for one in rows),
    }
    return ", ".join([*parts, *(f"{number:,} {word}" for word, number in sums.items() if number)])


def pace_words(status: CampaignStatus) -> list[str]:
    """Return rate, time left and slots of a campaign that runs."""
    if not status.driver:
        return []
    progress = status.progress
    rate = [] if progress.per_minute is None else [rate_words(progress.per_minute)]
    of = "" if progress.slots is None else f" of {progress.slots:,}"
    left = [str(progress.time_left)] if status.left else []
    return [*rate, *left, f"{progress.slots_busy:,}{of} slots busy"]


def one_line(text: str) -> str:
    """Return a text without what moves a cursor or ends a line."""
    return "".join(one if one.isprintable() else " " for one in text)


class ScreenView:
    """The whole terminal, drawn again at each look; it is left as it was.

    Parameters
    ----------
    interval
        Seconds between two looks.
    """

    def __init__(self, console: Console, interval: float) -> None:
        self._console, self._interval = console, interval
        self._live = Live(console=console, screen=True, auto_refresh=False, redirect_stderr=False)
        self._screen = Screen(None, "", interval)
        self._size = console.size

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, look: Look) -> None:
        """Draw it."""
        self._draw(Screen(look, "", self._interval))

    def message(self, text: str) -> None:
        """Draw the last look, and why it cannot be read."""
        self._draw(Screen(self._screen.look, text, self._interval))

    def resized(self) -> None:
        """Draw the same for another size."""
        if self._console.size != self._size:
            self._draw(self._screen)

    def _draw(self, screen: Screen) -> None:
        self._screen, self._size = screen, self._console.size
        self._live.update(screen, refresh=True)


class Screen:
    """A campaign as it fits into a terminal.

    Parameters
    ----------
    look
        None before the first look.
    message
        Why the campaign cannot be read; empty if it can.
    interval
        Seconds between two looks.
    """

    def __init__(self, look: Look | None, message: str, interval: float) -> None:
        self.look, self._message, self._interval = look, message, interval

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield what fits into the width and height of a terminal, the most important first."""
        head = list(self._head(options.max_width))
        foot = _line(f"every {self._interval:g} s; q or Ctrl-C leaves it, the campaign goes on", "dim")
        room = console.height - len(head) - 1
        glyphs = _ASCII if options.ascii_only else _BLOCKS
        yield Group(*head, *(_fitted(self.look, room, options.max_width, glyphs) if self.look else ()), foot)

    def _head(self, width: int) -> Iterator[Text]:
        if self._message:
            yield _line(one_line(self._message), "bold red")
        if self.look is None:
            return
        status = self.look.status
        at = str(utc(status.read_us))[11:19] + " UTC"
        yield _line(f"{at}  {status.row.name}: {state_words(status)}", "bold")
        yield _line(counts_words(status))
        pace = pace_words(status)
        for line in [", ".join(pace)] if width >= _WIDE else pace:
            yield _line(line)


def _line(text: str, style: str = "") -> Text:
    return Text(one_line(text), style=style, no_wrap=True, overflow="ellipsis")


def _fitted(look: Look, room: int, width: int, glyphs: Sequence[str]) -> Iterator[RenderableType]:
    """Yield tables and lines that fit into some rows."""
    status, blocks = look.status, look.status.outlook.blocks
    benchmarks = sorted(status.progress.benchmarks, key=_is_over)
    figures = [_line(text) for text in (*answer_lines(status.answers), *search_lines(status.searches))]
    figures += _figure_lines(look.figures, width)
    notes = list(_notes(status.outlook))
    failures = [
        _line(f"{one.instance}, attempt {one.attempt}: {one.message or one.reason}{_on(one.node)}", "red")
        for one in status.progress.failures
    ]
    log = [_line(one, "dim") for one in look.log]
    titles = 3 + sum(map(bool, (blocks, failures, log)))
    shares = shared_rows(
        room - titles,
        [len(benchmarks), len(figures), len(blocks), len(notes), len(failures), len(log)],
    )
    yield _benchmark_table(benchmarks[: shares[0]], width, glyphs)
    yield from _more(len(benchmarks) - shares[0], "benchmark")
    yield from figures[: shares[1]]
    if blocks:
        yield _block_table(blocks[: shares[2]], width)
        yield from _more(len(blocks) - shares[2], "block")
    yield from notes[: shares[3]]
    if failures:
        yield _line("last failures", "dim")
        yield from failures[: shares[4]]
    if log and shares[5]:
        yield _line("driver log", "dim")
        yield from log[-shares[5] :]


def shared_rows(room: int, wanted: Sequence[int]) -> list[int]:
    """Return how many rows each part of a screen gets: as many as it wants, or a fair share.

    Parameters
    ----------
    wanted
        Rows that each part would fill.
    """
    given = [0] * len(wanted)
    while room > 0 and given != list(wanted):
        for place, rows in enumerate(wanted):
            if given[place] < rows and room > 0:
                given[place] += 1
                room -= 1
    return given


def _is_over(one: BenchmarkProgress) -> bool:
    return not (one.planned or one.running)


def _more(number: int, noun: str) -> Iterator[Text]:
    if number > 0:
        yield _line(f"and {count_of(number, 'more ' + noun)}", "dim")


def _on(node: str | None) -> str:
    return f" on {node}" if node else ""


def _benchmark_table(rows: Sequence[BenchmarkProgress], width: int, glyphs: Sequence[str]) -> Table:
    wide = width >= _WIDE
    columns = ["planned", "running", "done", "failed", "longest"] if wide else ["run", "done", "longest"]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("benchmark", no_wrap=True, overflow="ellipsis", max_width=max(width // 4, 9))
    table.add_column("", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for one in rows:
        numbers = [f"{one.planned:,}", f"{one.running:,}"] if wide else [f"{one.running:,}"]
        numbers.append(f"{one.done:,}/{one.total:,}")
        if wide:
            numbers.append(
                f"{one.failed_attempts:,}" + (f" ({one.exhausted:,} out)" if one.exhausted else "")
            )
        longest = "" if one.longest is None else f"{cell(one.longest)} {one.unit}"
        name = one.benchmark + (" (paused)" if one.paused else "")
        table.add_row(one_line(name), _bar(one, max(width // 5, 8), glyphs), *numbers, longest)
    return table


def _bar(one: BenchmarkProgress, width: int, glyphs: Sequence[str]) -> Text:
    """Return done, running, exhausted and planned instances as parts of a bar."""
    bar = Text(no_wrap=True)
    ended, before = 0, 0
    parts = (one.done, one.running, one.exhausted)
    for number, glyph, style in zip(parts, glyphs, ("green", "yellow", "red"), strict=False):
        ended += number
        until = width * ended // max(one.total, 1)
        bar.append(glyph * (until - before), style)
        before = until
    return bar.append(glyphs[-1] * (width - before), "dim")


def _figure_lines(figures: Sequence[FigureSoFar], width: int) -> Iterator[Text]:
    known = [one for one in figures if one.value is not None]
    if known:
        stated = ", ".join(
            f"{one.subject + ' ' if one.subject else ''}{one.name} {cell(one.value)}"
            + (f" {one.unit}" if one.unit else "")
            for one in known
        )
        yield _line(f"so far, no verdict: {stated}", "bold")
        for line in wrap(SO_FAR, max(width, 2)):
            yield _line(line, "dim")


def _block_table(blocks: Sequence[BlockNow], width: int) -> Table:
    pools = any(one.pool for one in blocks)
    wide = width >= _WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    columns = ["block", *(["pool"] if pools else []), *(["job", "nodes"] if wide else []), "state", "left"]
    for column in columns:
        table.add_column(column, no_wrap=True, overflow="ellipsis")
    table.add_column("reason", no_wrap=True, overflow="ellipsis", ratio=1)
    for one in blocks:
        left = "" if one.left_seconds is None else shown(one.left_seconds)
        cells = [one.block, *([one.pool or ""] if pools else [])]
        cells += [one.job or "", f"{one.nodes:,}"] if wide else []
        table.add_row(*(Text(one_line(text)) for text in [*cells, one.state, left, one.reason or ""]))
    return table


def _notes(outlook: Outlook) -> Iterator[Text]:
    if outlook.wave is not None:
        yield _line(f"wave {outlook.wave} waits at the start barrier")
    for node, why in outlook.excluded_nodes.items():
        yield _line(f"node {node} is excluded: {why}")
