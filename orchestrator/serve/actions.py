"""Changes that the pages may ask for: drain a campaign, pause benchmarks, retry instances."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from db.states import Action
from orchestrator.errors import CampaignError
from orchestrator.lifecycle.requests.instances import Asked, change_instances, pause
from orchestrator.lifecycle.requests.stop import stop

Act = Callable[[str, str, str | None, str], str]


def _drain(name: str, _: str, ledger: str | None, source: str) -> str:
    if not stop(name, ledger=ledger, repeat=False, source=source):
        raise CampaignError(f"no driver runs {name}: nothing is to drain")
    return f"{name}: asked its driver to drain; what runs finishes, and nothing new starts"


def _pause(name: str, chosen: str, ledger: str | None, source: str) -> str:
    return _lines(pause(name, [_named(chosen, "a benchmark to pause")], ledger=ledger, source=source))


def _unpause(name: str, chosen: str, ledger: str | None, source: str) -> str:
    chosen = _named(chosen, "a benchmark to unpause")
    return _lines(pause(name, [chosen], ledger=ledger, paused=False, source=source))


def _retry(name: str, chosen: str, ledger: str | None, source: str) -> str:
    chosen = _named(chosen, "instances to retry, such as p1b1/3, p1b1/5..20 or p1b1")
    return change_instances(name, Action.RETRY, [chosen], ledger=ledger, source=source).message


ACTIONS: Mapping[str, Act] = {"drain": _drain, "pause": _pause, "unpause": _unpause, "retry": _retry}


def act(action: str, name: str, chosen: str, ledger: str | None, address: str) -> str:
    """Ask for a change over a connection of its own, and return what became of it, in a line.

    Parameters
    ----------
    action
        A key of `ACTIONS`.
    chosen
        Benchmark or instances, as for the command of that name; not read by ``drain``.
    ledger
        URL of the ledger.
    address
        Address from which the browser asks; the ledger's event names it.

    Raises
    ------
    CampaignError
        If there is no such action, or the campaign cannot be changed so.
    LedgerError
        If there is no such campaign, or the ledger cannot be written.
    """
    if action not in ACTIONS:
        raise CampaignError(f"no action {action!r}: there are {', '.join(ACTIONS)}")
    return ACTIONS[action](name, chosen.strip(), ledger, f"browser at {address}")


def _named(chosen: str, wanted: str) -> str:
    if not chosen:
        raise CampaignError(f"nothing is named: name {wanted}")
    return chosen


def _lines(asked: list[Asked]) -> str:
    if len(asked) == 1:
        return asked[0].message
    return f"{asked[0].message}, and likewise {len(asked) - 1:,} more points"
