"""The code of each release of the project, from this package's data file.

``python -m orchestrator.rulebooks.released_code`` prints in which files the installed code differs from the
listing of its version; ``--write`` adds that listing, as a part of a release (``make release``).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from orchestrator.rulebooks.data_files import INSTALLED, data_file, read_once
from orchestrator.rulebooks.reference_model import Frozen
from orchestrator.version import __version__, package_files
from sites import parse, read_text

NAME = "released_code.yaml"
ITSELF = f"orchestrator/rulebooks/{NAME}"
"""The file of the listings, which no listing can name."""
_HEAD = """\
# SHA-256 of each file of orchestrator, workloads, sites and db, by release. `make release` adds a listing;
# a change of code between releases changes nothing here.
"""


class _Releases(Frozen):
    releases: dict[str, dict[str, str]]


@read_once
def released_code() -> Mapping[str, Mapping[str, str]]:
    """Return the SHA-256 of each file of the project's packages, by release."""
    file = data_file(NAME)
    return parse(read_text(file, "rulebook"), _Releases, str(file)).releases


def installed_code() -> dict[str, str]:
    """Return the SHA-256 of each file of the project's packages as they are installed."""
    found = {file: digest for files in package_files().values() for file, digest in files.items()}
    return {file: digest for file, digest in found.items() if digest is not None and file != ITSELF}


def differences() -> list[str]:
    """Return the files in which the installed code differs from the listing of its version."""
    listed, present = released_code().get(__version__, {}), installed_code()
    return sorted(file for file in {**listed, **present} if listed.get(file) != present.get(file))


def write(folder: Path = INSTALLED) -> None:
    """Add the installed code to the listings, or replace its version's, in a folder of rulebooks."""
    releases = {**released_code(), __version__: installed_code()}
    lines = [_HEAD + "releases:"]
    for version, files in sorted(releases.items()):
        lines += [f'  "{version}":', *(f'    {file}: "{digest}"' for file, digest in sorted(files.items()))]
    (folder / NAME).write_text("\n".join(lines) + "\n", encoding="utf-8")
    released_code.cache_clear()  # type: ignore[attr-defined]


def main() -> int:
    """Print differences, or write the listing; return 1 if there are differences, else 0."""
    if "--write" in sys.argv[1:]:
        if __version__ in released_code() and differences():
            print(
                f"release {__version__} is listed with other code: raise the version in pyproject.toml, "
                "install it, and try again",
                file=sys.stderr,
            )
            return 1
        write()
    if __version__ not in released_code():
        print(f"version {__version__} is no release: `make release` lists its code", file=sys.stderr)
        return 1
    changed = differences()
    for file in changed:
        print(file)
    if changed:
        print(f"these files differ from release {__version__}", file=sys.stderr)
    return int(bool(changed))


if __name__ == "__main__":
    sys.exit(main())
