"""Changes that the API may ask for; each event that they leave names who asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from db.events import EventKind
from db.ledger import Ledger
from db.states import Action
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.add import add as add_instances
from orchestrator.lifecycle.driver_process.detached import start_detached
from orchestrator.lifecycle.requests.instances import Asked, change_instances
from orchestrator.lifecycle.requests.instances import pause as pause_benchmarks
from orchestrator.lifecycle.requests.stop import stop
from orchestrator.serve.api.questions import AddBody, LaunchBody, Nothing, PauseBody, Question, RetryBody


@dataclass(frozen=True, slots=True)
class Change:
    """A change that was asked for.

    Parameters
    ----------
    name
        Name of the campaign; empty for a launch.
    ledger
        URL of the ledger; None for the default.
    source
        Who asks, for the event.
    files
        Folder of the campaign files that may be launched; None without a folder.
    """

    name: str
    ledger: str | None
    source: str
    files: Path | None
    body: Question


def stored_files(folder: Path | None) -> list[dict[str, str]]:
    """Return the campaign files that may be launched, by name."""
    return [] if folder is None else [{"file": one.name} for one in sorted(folder.glob("[!.]*.yaml"))]


def launch(change: Change) -> dict[str, Any]:
    """Start a driver of a stored campaign file, and return once the campaign is registered.

    Raises
    ------
    CampaignError
        If there is no such file, or the launch ended before its campaign was registered.
    """
    body = change.body
    assert isinstance(body, LaunchBody)  # noqa: S101  as the table of routes says
    if change.files is None:
        raise CampaignError("nothing can be launched: `orchestrator serve --campaigns DIR` names the files")
    if body.file not in {one["file"] for one in stored_files(change.files)}:
        raise CampaignError(f"no campaign file {body.file!r} is stored; /api/v1/files lists them")
    words = ["launch", str(change.files / body.file)]
    given = {"--name": body.name, "--site": body.site, "--ledger": change.ledger}
    words += [f"{option}={value}" for option, value in given.items() if value is not None]
    lines: list[str] = []
    started = start_detached(words, lines.append)
    if started.output is None:
        stated = next((line for line in lines if line.startswith("error: ")), lines[-1] if lines else "")
        raise CampaignError(stated.removeprefix("error: ") or f"the launch ended with {started.exit_code}")
    name = started.output.parent.name
    with Ledger(change.ledger) as book:
        number = book.campaign(name).campaign_id
        message = f"launch of {body.file} requested by {change.source}"
        book.note(number, EventKind.LAUNCH_REQUESTED, message, subject=change.source)
    return {"campaign": name, "pid": started.pid, "output": str(started.output)}


def drain(change: Change) -> dict[str, Any]:
    """Ask the driver to drain; a driver that drains already goes on draining."""
    asked = stop(change.name, ledger=change.ledger, repeat=False, source=change.source)
    return {"campaign": change.name, "asked": asked, "outcome": None}


def pause(change: Change) -> list[dict[str, Any]]:
    """Start no more instances of benchmarks."""
    return _paused(change, paused=True)


def unpause(change: Change) -> list[dict[str, Any]]:
    """Start instances of paused benchmarks again."""
    return _paused(change, paused=False)


def retry(change: Change) -> list[dict[str, Any]]:
    """Plan instances again that are out of retries or cancelled."""
    body = change.body
    assert isinstance(body, RetryBody)  # noqa: S101  as the table of routes says
    chosen = body.selection, body.where
    asked = change_instances(change.name, Action.RETRY, *chosen, ledger=change.ledger, source=change.source)
    return _facts([asked])


def add(change: Change) -> dict[str, Any]:
    """Add instances to a campaign that no driver runs."""
    body = change.body
    assert isinstance(body, AddBody)  # noqa: S101  as the table of routes says
    added = add_instances(change.name, instances=body.instances, ledger=change.ledger, source=change.source)
    return {
        "campaign": change.name,
        "instances": dict(added.instances),
        "new_benchmarks": list(added.benchmarks),
    }


def _paused(change: Change, *, paused: bool) -> list[dict[str, Any]]:
    body = change.body
    assert isinstance(body, PauseBody)  # noqa: S101  as the table of routes says
    return _facts(
        pause_benchmarks(
            change.name, body.benchmarks, ledger=change.ledger, paused=paused, source=change.source
        )
    )


def _facts(asked: list[Asked]) -> list[dict[str, Any]]:
    return [asdict(one) for one in asked]


Act = Callable[[Change], Any]
BODIES: Mapping[Act, type[Question]] = {
    launch: LaunchBody, drain: Nothing, pause: PauseBody, unpause: PauseBody, retry: RetryBody, add: AddBody,
}  # fmt: skip
"""Each action with the body that it takes."""
