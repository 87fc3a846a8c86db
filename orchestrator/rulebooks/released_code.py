"""The code of the workloads in each release of the project, from this package's data file.

``python -m orchestrator.rulebooks.released_code`` prints in which files the installed workloads differ from
the listing of their version; ``--write`` replaces that listing.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

import workloads
from orchestrator.rulebooks.data_files import INSTALLED, data_file, read_once
from orchestrator.rulebooks.reference_model import Frozen
from orchestrator.version import __version__
from sites import parse, read_text
from workloads.provenance.code import directory_of, package_listing

PACKAGE = "workloads"
_NAME = "released_code.yaml"
_HEAD = """\
# SHA-256 of each file of the workloads, by release. Those of the present version are written by
# `python -m orchestrator.rulebooks.released_code --write`.
"""


class _Releases(Frozen):
    releases: dict[str, dict[str, str]]


@read_once
def released_code() -> Mapping[str, Mapping[str, str]]:
    """Return the SHA-256 of each file of the workloads, by release."""
    file = data_file(_NAME)
    return parse(read_text(file, "rulebook"), _Releases, str(file)).releases


def installed_code() -> dict[str, str]:
    """Return the SHA-256 of each file of the workloads that are installed."""
    listing = package_listing(directory_of(workloads))
    return {file: digest for file, digest in listing.items() if digest is not None}


def differences() -> list[str]:
    """Return the files in which the installed workloads differ from the listing of their version."""
    listed, present = released_code().get(__version__, {}), installed_code()
    return sorted(file for file in {**listed, **present} if listed.get(file) != present.get(file))


def write() -> None:
    """Replace the listing of the present version by the installed workloads."""
    releases = {**released_code(), __version__: installed_code()}
    lines = [_HEAD + "releases:"]
    for version, files in sorted(releases.items()):
        lines += [f'  "{version}":', *(f'    {file}: "{digest}"' for file, digest in sorted(files.items()))]
    (INSTALLED / _NAME).write_text("\n".join(lines) + "\n", encoding="utf-8")
    released_code.cache_clear()  # type: ignore[attr-defined]


def main() -> int:
    """Print differences, or write the listing; return 1 if there are differences, else 0."""
    if "--write" in sys.argv[1:]:
        write()
    changed = differences()
    for file in changed:
        print(file)
    if changed:
        print(
            f"these files differ from release {__version__}; --write lists them anew",
            file=sys.stderr,
        )
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
