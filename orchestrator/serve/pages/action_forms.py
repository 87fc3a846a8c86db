"""Forms by which a page asks for actions, and reading what such a form sends."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException

from db.states import InstanceState
from orchestrator.serve.pages.addresses import of_action

if TYPE_CHECKING:
    from starlette.requests import Request

    from orchestrator.monitoring.campaign_status import CampaignStatus

_LONGEST_BYTES = 16_384
_OFFERED = 300
_NOTICES = 64


@dataclass(frozen=True, slots=True)
class ActionForm:
    """A form with one button.

    Parameters
    ----------
    action
        A key of `actions.ACTIONS`; it is also the start of the identities of the form's elements.
    button
        Words on the button.
    label
        Words for the field; empty for a form without a field.
    values
        Values among which the reader chooses; without any, the reader writes.
    confirm
        Sentence to confirm before the button shows; empty where none is needed.
    """

    action: str
    address: str
    button: str
    label: str = ""
    values: tuple[str, ...] = ()
    fixed: str = ""
    confirm: str = ""


def campaign_forms(status: CampaignStatus) -> list[ActionForm]:
    """Return the forms of a campaign's page: those whose action can have an effect now."""
    name = status.row.name
    made = []
    if status.driver is not None and status.stop_request is None:
        text = "What runs finishes, nothing new starts, and then the driver ends. Resume goes on."
        made.append(ActionForm("drain", of_action(name, "drain"), "Drain the campaign", confirm=text))
    open_ = [
        group for group, points in status.groups()
        if any(one.planned and not one.paused for one in points)
    ]  # fmt: skip
    if open_:
        made.append(
            ActionForm("pause", of_action(name, "pause"), "Pause", "Benchmark", tuple(open_[:_OFFERED]))
        )
    if status.paused:
        held = tuple(dict.fromkeys(status.sweeps.get(one, one) for one in status.paused))
        made.append(
            ActionForm("unpause", of_action(name, "unpause"), "Unpause", "Paused benchmark", held[:_OFFERED])
        )
    if any(status.instances.get(state) for state in (InstanceState.EXHAUSTED, InstanceState.CANCELLED)):
        label = "Instances out of retries, or cancelled"
        made.append(ActionForm("retry", of_action(name, "retry"), "Retry", label))
    return made


def instance_forms(name: str, label: str, state: str) -> list[ActionForm]:
    """Return the forms of an instance's page."""
    if state not in (InstanceState.EXHAUSTED, InstanceState.CANCELLED):
        return []
    return [ActionForm("retry", of_action(name, "retry"), f"Retry {label}", fixed=label)]


async def chosen_in(request: Request) -> str:
    """Return the value that a form of actions sends.

    Raises
    ------
    HTTPException
        If the form is longer than any of these pages.
    """
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST_BYTES:
            raise HTTPException(413, f"the form is longer than {_LONGEST_BYTES:,} bytes")
    return parse_qs(body.decode("latin-1"), keep_blank_values=True).get("chosen", [""])[-1]


class Notices:
    """Lines that the next page shows once; an address names them by a key, and never holds their text."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, str] = OrderedDict()

    def keep(self, text: str) -> str:
        """Return the key of a line."""
        key = secrets.token_urlsafe(8)
        self._kept[key] = text
        while len(self._kept) > _NOTICES:
            self._kept.popitem(last=False)
        return key

    def take(self, key: str | None) -> str:
        """Return the line of a key, and forget it; empty if there is none."""
        return self._kept.pop(key or "", "")
