"""The logs of one attempt: where they are kept, or why they are not."""

from __future__ import annotations

from contextlib import nullcontext
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
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


_PIECE_BYTES = 2**20
_ENDINGS = {"stdout": "out", "stderr": "err"}


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
            last = b"\n"
            while piece:
                typer.echo(piece, nl=False)
                last, piece = piece[-1:], log.read(_PIECE_BYTES)
            if wanted is Log.BOTH and last != b"\n":
                typer.echo()
