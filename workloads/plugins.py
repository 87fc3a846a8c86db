"""Objects that other packages offer through entry points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints


def offered(group: str) -> EntryPoints:
    """Return what installed packages offer in a group."""
    from importlib.metadata import entry_points  # here: a training of this project's own needs no package

    return entry_points(group=group)


def names(group: str) -> list[str]:
    """Return the names that installed packages offer in a group, in alphabetical order."""
    return sorted(offered(group).names)


def load(group: str, name: str) -> Any:
    """Return the object that an installed package offers.

    Raises
    ------
    LookupError
        If no package offers the name.
    ValueError
        If several do, or the object cannot be imported; the message names the package.
    """
    found = list(offered(group).select(name=name))
    if not found:
        raise LookupError(name)
    if len({one.value for one in found}) > 1:
        raise ValueError(f"{name} is offered by several packages: {', '.join(map(_package, found))}")
    try:
        return found[0].load()
    except Exception as error:  # whatever the code of another package does
        raise ValueError(
            f"{name} of package {_package(found[0])} cannot be loaded: {type(error).__name__}: {error}"
        ) from error


def _package(one: EntryPoint) -> str:
    return one.dist.name if one.dist is not None else one.module
