"""Addresses of the pages."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode


def of_campaign(name: str, part: str = "") -> str:
    """Return the address of a campaign's page, or of one below it: ``live``, ``instances`` or ``report``."""
    return f"/campaigns/{quote(name, safe='')}" + (f"/{part}" if part else "")


def of_action(name: str, action: str) -> str:
    """Return the address to which the form of an action is sent."""
    return of_campaign(name, f"actions/{action}")


def of_instances(name: str, **wanted: str | None) -> str:
    """Return the address of a list of instances; filters that are None or empty are left out."""
    return with_query(of_campaign(name, "instances"), wanted)


def of_instance(name: str, label: str) -> str:
    """Return the address of one instance, ``benchmark/number``."""
    return f"{of_campaign(name, 'instances')}/{quote(label)}"


def with_query(address: str, values: Mapping[str, str | None]) -> str:
    """Return an address with the values that are neither None nor empty."""
    query = urlencode({name: value for name, value in values.items() if value})
    return f"{address}?{query}" if query else address
