"""Optional packages that some tests need: absent they are skipped, but never in continuous integration."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest


def needs(*packages: str) -> None:
    """Skip the calling test or module unless all packages are installed; where CI is set, fail it."""
    missing = [package for package in packages if find_spec(package) is None]
    if not missing:
        return
    said = f"{', '.join(missing)} is not installed: `make setup backends`"
    if os.environ.get("CI") == "true":
        pytest.fail(said, pytrace=False)
    pytest.skip(said, allow_module_level=True)
