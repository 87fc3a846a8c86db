"""`logs`, and the logs of one attempt: where they are kept, or why they are not."""

from __future__ import annotations

from contextlib import nullcontext
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, NamedTuple

import typer

from orchestrator.cli.options import (
    JsonOption,
    LastCampaignArgument,
    LedgerOption,
    campaign_or_last,
    complete_instance,
)
from orchestrator.cli.terminal.tables import print_json
from orchestrator.errors import CampaignError
from orchestrator.wording import printable

if TYPE_CHECKING:
    from db.reader import Reader
    from db.records import CampaignRow
    from db.rows import Attempt, Instance


class Log(StrEnum):
    """Output of a training process, by where it wrote to."""

    STDOUT = "stdout"
    STDERR = "stderr"
    BOTH = "both"

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that are asked for."""
        return ("stdout", "stderr") if self is Log.BOTH else (self.value,)


class _Kept(NamedTuple):
    """A log that is there: what it is of, and where."""

    what: str
    path: Path


_PIECE_BYTES = 2**20
_ENDINGS = {"stdout": "out", "stderr": "err"}


def logs(
    name: LastCampaignArgument = None,
    instance: Annotated[
        str | None,
        typer.Argument(
            help="benchmark/number, such as p1b1/3; without it, the logs of the campaign's drivers.",
            metavar="[INSTANCE]",
            autocompletion=complete_instance,
        ),
    ] = None,
    ledger: LedgerOption = None,
    whole: Annotated[bool, typer.Option("--all", help="Print whole logs, not their last lines.")] = False,
    only_paths: Annotated[bool, typer.Option("--path", help="Print only where they are.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the end, and the place, of the logs of a campaign's drivers or of an instance's attempts.

    One attempt's log just as it was written: orchestrator instance show NAME INSTANCE --log stdout

    Example: orchestrator logs friday
    Example: orchestrator logs friday p1b1/3 --path
    """
    from db.reader import Reader

    with Reader(ledger) as reader:
        row = campaign_or_last(reader, name)
        found, missing = _of_attempts(reader, row, instance) if instance else _of_drivers(row)
        missing += [] if found else _removed(reader, row)
    if as_json:
        content = [] if only_paths else [{"lines": _lines(one.path, whole=whole)} for one in found]
        facts = [{"log": one.what, "path": place_of(one.path)} for one in found]
        both = [one | lines for one, lines in zip(facts, content, strict=True)] if content else facts
        print_json({"campaign": row.name, "instance": instance, "logs": both, "missing": missing})
    if not found:
        raise CampaignError(missing[-1])
    if as_json:
        return
    for why in missing:
        typer.echo(why, err=True)
    for one in found:
        if only_paths:
            print(place_of(one.path))
        else:
            _show(one, whole=whole)


def _removed(reader: Reader, row: CampaignRow) -> list[str]:
    """Return when the files of a campaign were removed by `ledger remove`, if they were."""
    from db.events import EventKind
    from db.times import utc_seconds

    return [
        f"{row.name}: its logs were removed at {utc_seconds(event.at_us)} UTC: {event.message}"
        for event in reader.events(row.campaign_id, kinds=[EventKind.FILES_REMOVED])
    ][-1:]


def _of_drivers(row: CampaignRow) -> tuple[list[_Kept], list[str]]:
    """Return the logs of a campaign's drivers, oldest first, or why there are none."""
    from orchestrator.rundir.layout import RunDirectory

    run = RunDirectory(Path(row.run_directory))
    older = sorted(run.path.glob(f"{run.driver_log.name}.*"), reverse=True)
    found = [file for file in (*older, run.driver_log, run.detached_output) if file.is_file()]
    missing = [] if found else [f"{row.name}: {run.path} has no log of a driver, or is on another machine"]
    return [_Kept(file.name, file) for file in found], missing


def _of_attempts(reader: Reader, row: CampaignRow, label: str) -> tuple[list[_Kept], list[str]]:
    """Return the logs that are kept of an instance's attempts, and why others are not."""
    instance = reader.find_instance(row.campaign_id, label)
    found, missing = [], []
    tried = reader.attempts_of(row.campaign_id, instance.instance_id)
    for attempt in tried:
        there = kept(row, instance, attempt)
        found += [
            _Kept(f"{stream} of {label}, attempt {attempt.attempt_number}", path)
            for stream, path in there.items()
        ]
        if not there:
            missing.append(why_none(row, label, attempt))
    return found, missing if tried else [f"{label}: it has not been tried yet"]


def _show(one: _Kept, *, whole: bool) -> None:
    lines = [] if whole else _lines(one.path, whole=False)
    nothing = "" if whole or lines else " (empty)"
    typer.echo(f"==> {one.what}: {place_of(one.path)}{nothing} <==")
    if not whole:
        for line in lines:
            print(printable(line))
        return
    from orchestrator.rundir.packed_reader import opened_log

    with opened_log(one.path) as log:
        if _print_rest(log, log.read(_PIECE_BYTES)) != b"\n":
            typer.echo()


def _lines(path: Path, *, whole: bool) -> list[str]:
    from orchestrator.monitoring.driver_log import last_lines
    from orchestrator.rundir.packed_reader import opened_log

    with opened_log(path) as log:
        return log.read().decode(errors="replace").splitlines() if whole else last_lines(log)


def place_of(path: str | Path) -> str:
    """Return a log's path, and where it is packed if it is."""
    from orchestrator.rundir.packed_reader import archive_of

    archive = archive_of(path)
    return str(path) if archive is None else f"{path} (packed in {archive.parent.name}/{archive.name})"


def kept(row: CampaignRow, found: Instance, attempt: Attempt) -> dict[str, Path]:
    """Return where an attempt's logs are by stream, packed or not; of those that are there.

    The logs of an attempt without a final report are where its processes write them.

    Parameters
    ----------
    row, found, attempt
        The ledger's rows of the campaign, the instance and the attempt.
    """
    from orchestrator.rundir.layout import RunDirectory
    from orchestrator.rundir.packed_reader import log_exists

    folder = RunDirectory(Path(row.run_directory)).instance_logs(attempt.session_number, found.instance_id)
    there = {}
    for stream, ending in _ENDINGS.items():
        written = folder / f"{found.benchmark}-{found.benchmark_index}.{attempt.attempt_number}.{ending}"
        path = Path(getattr(attempt, f"{stream}_path") or written)
        if log_exists(path):
            there[stream] = path
    return there


def text_of(path: Path | None) -> str | None:
    """Return what a log says; None if there is none, or it cannot be read."""
    from orchestrator.rundir.packed_reader import read_log

    content = read_log(path) if path is not None else None
    return None if content is None else content.decode(errors="replace")


def why_none(row: CampaignRow, label: str, attempt: Attempt) -> str:
    """Return in one line why nothing is kept of an attempt's logs, and what would keep them."""
    from db.states import AttemptState
    from orchestrator.planning.campaign_file import CampaignFile
    from sites import parse_mapping

    text = parse_mapping(row.campaign_yaml, f"campaign {row.name} in the ledger")
    given = text.get("logs", CampaignFile.model_fields["logs"].default)
    what, state = f"{label}, attempt {attempt.attempt_number}", AttemptState(attempt.state)
    if path := attempt.stderr_path or attempt.stdout_path:
        return f"{what}: its log {path} was kept, and is not there any more"
    if not state.final:
        return f"{what} is {state} and has written nothing that is seen from here"
    if given == "none":
        return (
            f"{what}: no log was kept, as the campaign says `logs: none`; "
            "`logs: failures` keeps those of failures, `logs: all` every one"
        )
    if given == "failures" and state is AttemptState.SUCCEEDED:
        return (
            f"{what} succeeded, and the campaign says `logs: failures`, so that no log was kept; "
            "`logs: all` keeps every one"
        )
    return (
        f"{what}: no log was kept, though the campaign says `logs: {given}`; it may never have been started"
    )


def show_logs(logs: dict[str, Path], wanted: Log, label: str, attempt: int) -> None:
    """Print logs as they were written, a piece at a time; with a heading for each where both are wanted."""
    from orchestrator.rundir.packed_reader import opened_log

    for stream in wanted.streams:
        with opened_log(logs[stream]) if stream in logs else nullcontext(BytesIO()) as log:
            piece = log.read(_PIECE_BYTES)
            if wanted is Log.BOTH:
                nothing = "" if piece else " (empty)"
                typer.echo(f"==> {stream} of {label}, attempt {attempt}{nothing} <==")
            last = _print_rest(log, piece)
            if wanted is Log.BOTH and last != b"\n":
                typer.echo()


def _print_rest(log: IO[bytes], piece: bytes) -> bytes:
    """Print a piece of a log and what follows it; return its last byte, a newline for an empty one."""
    last = b"\n"
    while piece:
        typer.echo(piece, nl=False)
        last, piece = piece[-1:], log.read(_PIECE_BYTES)
    return last
