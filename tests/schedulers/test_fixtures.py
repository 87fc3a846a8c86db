"""What is missing skips a test here, and fails it in continuous integration."""

from __future__ import annotations

import pytest

from tests.schedulers.fixtures import missing


def test_missing_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    missing([])
    with pytest.raises(pytest.fail.Exception, match="apt-get install munge"):
        missing(["apt-get install munge"])
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="apt-get install munge"):
        missing(["apt-get install munge"])
