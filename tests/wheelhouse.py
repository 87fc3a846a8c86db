"""Collects the wheels of everything that is installed here, for machines without internet.

``make wheelhouse`` runs ``python -m tests.wheelhouse FOLDER``. The folder gets a wheel for each distribution
of this environment, and a requirements file with their hashes that ``make setup WHEELHOUSE=FOLDER`` installs.
"""

from __future__ import annotations

import base64
import hashlib
import platform
import re
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Collection, Iterable
from importlib.metadata import Distribution, distributions
from pathlib import Path

REQUIREMENTS = "requirements.txt"
_WRITTEN_BY_INSTALLERS = (
    "INSTALLER",
    "REQUESTED",
    "RECORD",
    "direct_url.json",
    "uv_build.json",
    "uv_cache.json",
)


def main(folder: Path, installed: Iterable[Distribution]) -> None:
    """Fill a folder with the wheels of installed distributions, and write their requirements file."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {_key(one.name, one.version): one for one in installed if not _is_editable(one)}
    downloaded = []
    for one in wanted.values():
        if _is_built_here(one):
            repack(one, folder)
        else:
            downloaded.append(f"{one.name}=={one.version}")
    words = ["download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", str(folder), *downloaded]
    if downloaded and (code := subprocess.run([sys.executable, "-m", "pip", *words], check=False).returncode):
        sys.exit(code)  # pip printed why
    (folder / REQUIREMENTS).write_text(requirements(folder, wanted))


def requirements(folder: Path, wanted: Collection[tuple[str, str]]) -> str:
    """Return a requirements file of those wheels of a folder that are wanted, with SHA-256 hashes.

    Parameters
    ----------
    wanted
        Normalised name and version of each.
    """
    lines = [f"# Python {platform.python_version()}, {platform.system()} {platform.machine()}"]
    for wheel in sorted(folder.glob("*.whl")):
        key = _key(*wheel.name.split("-")[:2])
        if key in wanted:
            digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
            lines.append(f"{key[0]}=={key[1]} --hash=sha256:{digest}")
    return "\n".join(lines) + "\n"


def repack(one: Distribution, folder: Path) -> Path:
    """Write the wheel of a distribution from its installed files, the same bytes each time.

    Console scripts are left out, as installers make them from the entry points.
    """
    information = f"{one.name.replace('-', '_')}-{one.version}.dist-info"
    members = {
        str(path): Path(str(one.locate_file(path))).read_bytes()
        for path in sorted(one.files or ())
        if not str(path).startswith("../")
        and path.suffix != ".pyc"
        and not (str(path.parent) == information and path.name in _WRITTEN_BY_INSTALLERS)
    }
    record = [f"{name},sha256={_encoded(content)},{len(content)}" for name, content in members.items()]
    members[f"{information}/RECORD"] = "\n".join([*record, f"{information}/RECORD,,", ""]).encode()
    wheel = folder / f"{information.removesuffix('.dist-info')}-{_tags(one)[0]}.whl"
    unfinished = wheel.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return unfinished.replace(wheel)


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _key(name: str, version: str) -> tuple[str, str]:
    return re.sub(r"[-_.]+", "-", name).lower(), version


def _tags(one: Distribution) -> list[str]:
    return re.findall(r"^Tag: (\S+)$", one.read_text("WHEEL") or "", re.MULTILINE)


def _is_built_here(one: Distribution) -> bool:
    """Return whether a wheel was built on this machine: registries refuse those for plain ``linux``."""
    return any(tag.split("-")[2].startswith("linux_") for tag in _tags(one))


def _is_editable(one: Distribution) -> bool:
    return re.search(r'"editable":\s*true', one.read_text("direct_url.json") or "") is not None


if __name__ == "__main__":
    # Not the working directory, where a build leaves an egg-info of the project.
    main(
        Path(sys.argv[1]), distributions(path=[sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    )
