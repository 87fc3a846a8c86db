"""The logs of one attempt: where they are kept, or why they are not."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from db.records import Campaign


class Log(StrEnum):
    """What a training process wrote, by where it wrote to."""

    STDOUT = "stdout"
    STDERR = "stderr"
    BOTH = "both"

    @property
    def streams(self) -> tuple[str, ...]:
        """The streams that are asked for."""
        return ("stdout", "stderr") if self is Log.BOTH else (self.value,)


_ENDINGS = {"stdout": "out", "stderr": "err"}


def kept(row: Campaign, found: Any, attempt: Any) -> dict[str, bytes]:
    """Return what is there of an attempt's logs by stream, packed or not.

    An attempt that runs, or whose end nobody reported, has them where it wrote them.

    Parameters
    ----------
    row, found, attempt
        The ledger's rows of the campaign, the instance and the attempt.
    """
    from orchestrator.orders import log_folder
    from orchestrator.packed import read_log

    folder = log_folder(Path(row.directory), attempt.session, found.instance)
    there = {}
    for stream, ending in _ENDINGS.items():
        written = folder / f"{found.benchmark}-{found.number}.{attempt.attempt}.{ending}"
        content = read_log(getattr(attempt, f"{stream}_path") or written)
        if content is not None:
            there[stream] = content
    return there


def why_none(row: Campaign, label: str, attempt: Any) -> str:
    """Return in one line why nothing is kept of an attempt's logs, and what would keep them."""
    import yaml

    from db.states import AttemptState
    from orchestrator.campaign import Campaign as Spec

    given = yaml.safe_load(row.spec_text).get("logs", Spec.model_fields["logs"].default)
    what, state = f"{label}, attempt {attempt.attempt}", AttemptState(attempt.state)
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


def show_logs(logs: dict[str, bytes], wanted: Log, label: str, attempt: int) -> None:
    """Print logs as they were written; with a heading for each where both are wanted."""
    for stream in wanted.streams:
        content = logs.get(stream, b"")
        if wanted is Log.BOTH:
            nothing = "" if content else " (empty)"
            typer.echo(f"==> {stream} of {label}, attempt {attempt}{nothing} <==")
        typer.echo(content, nl=wanted is Log.BOTH and not content.endswith(b"\n") and bool(content))
