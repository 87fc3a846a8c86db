"""Where site files are found, and which site is the default."""

from __future__ import annotations

import fnmatch
import logging
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sites.files import FileError, validate
from sites.resolved import Resolved, Setting, resolve
from sites.schema import Site
from workloads.spelling import near

VARIABLE = "ORCHESTRATOR_SITE"
"""Environment variable that names the default site."""
SYSTEM = Path("/etc/orchestrator/sites")
_SHIPPED = Path(__file__).parent
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of the search path.

    Parameters
    ----------
    origin
        ``user``, ``system`` or ``shipped``.
    """

    name: str
    file: Path
    origin: str


@dataclass(frozen=True, slots=True)
class Default:
    """The site that counts where none is named, and why."""

    site: str
    why: str


def names() -> list[str]:
    """Return the names of the sites that come with the project."""
    return sorted(file.stem for file in _SHIPPED.glob("*.yaml"))


def directories() -> dict[str, Path]:
    """Return the directories that are searched, the first first, by their origin."""
    configured = os.environ.get("XDG_CONFIG_HOME", "")
    user = configured if os.path.isabs(configured) else os.path.expanduser("~/.config")  # noqa: PTH111, PTH117
    return {"user": Path(user) / "orchestrator" / "sites", "system": SYSTEM, "shipped": _SHIPPED}


def available() -> list[SiteFile]:
    """Return the sites of the search path; of one name, the file that is found first."""
    found: dict[str, SiteFile] = {}
    for origin, directory in directories().items():
        try:
            files = sorted(directory.glob("*.yaml"), key=lambda file: file.stem)
        except OSError:  # a directory of others
            continue
        for file in files:
            found.setdefault(file.stem, SiteFile(file.stem, file, origin))
    return list(found.values())


def find(site: str) -> Path:
    """Return the file of a site given by name or by path.

    Raises
    ------
    FileError
        If there is no such file or name; the nearest name is suggested.
    """
    if site.endswith((".yaml", ".yml")) or "/" in site:
        return Path(site)
    known = {one.name: one.file for one in available()}
    if site in known:
        return known[site]
    hint = near(site, known, f"known sites: {', '.join(sorted(known))}")
    raise FileError(f"no site {site!r}{hint} (the path of a .yaml file works too)")


def load(site: str, settings: Sequence[Setting] = ()) -> tuple[Site, str]:
    """Return a site given by name or path, and its text: that of its file where it includes no other.

    Raises
    ------
    FileError
        If a file is missing or does not follow the schema.
    """
    return checked(resolve(find(site), "site", find).with_settings(settings))


def checked(resolved: Resolved) -> tuple[Site, str]:
    """Return the site of a file that was read, and its text; raises `FileError` as `load` does."""
    return validate(resolved.data, Site, resolved.source, resolved.where), resolved.text


def default() -> Default:
    """Return the site that counts where none is named.

    That is the one that ``$ORCHESTRATOR_SITE`` names; else one of the search path whose ``hosts`` match this
    machine, where a user's file comes before a system's, and that before a shipped one; else ``local``.

    Raises
    ------
    FileError
        If this machine matches several sites of one directory.
    """
    if named := os.environ.get(VARIABLE, "").strip():
        return Default(named, f"${VARIABLE} names it")
    sites = available()
    for origin in directories():
        matching = {}
        for one in sites:
            if one.origin == origin and (pattern := _matching(one.file)):
                matching[one.name] = pattern
        if len(matching) > 1:
            several = " and ".join(f"{pattern} of site {name}" for name, pattern in matching.items())
            raise FileError(f"this machine matches {several}; name one by --site or ${VARIABLE}")
        for name, pattern in matching.items():
            return Default(name, f"this machine matches {pattern} of its hosts")
    return Default("local", f"no site's hosts match this machine, and ${VARIABLE} is not set")


def _matching(file: Path) -> str | None:
    """Return the entry of a site file's hosts that this machine matches; a file that is wrong has none."""
    try:
        hosts = resolve(file, "site", find).data.get("hosts")
    except FileError as error:
        _log.debug("%s", error)
        return None
    entries = [one for one in hosts if isinstance(one, str)] if isinstance(hosts, list) else []
    return next((one for one in entries if _is_here(one)), None)


def _is_here(entry: str) -> bool:
    if entry.startswith("$"):
        name, _, pattern = entry[1:].partition("=")
        return fnmatch.fnmatchcase(os.environ.get(name, ""), pattern)
    host = socket.gethostname().lower()
    return any(fnmatch.fnmatchcase(one, entry.lower()) for one in (host, host.partition(".")[0]))
