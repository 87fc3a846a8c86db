"""Validates an RO-Crate: crate_validator.py FOLDER PROFILE SEVERITY prints a line of JSON for each issue.

It runs in an environment of its own, with roc-validator and rocrate. No network is used: the profiles are
part of roc-validator, and the JSON-LD context, which it takes from its cache, is part of rocrate.
"""

from __future__ import annotations

import io
import json
import sys
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import requests
import requests_cache
from rocrate_validator import services

CONTEXT = "https://w3id.org/ro/crate/1.1/context"


class Bundled(requests.adapters.BaseAdapter):
    """Answers with the context that rocrate has."""

    def send(self, request: Any, **_: Any) -> requests.Response:
        content = (files("rocrate") / "data/ro-crate.jsonld").read_bytes()
        assert json.loads(content)["@id"] == request.url == CONTEXT
        answer = requests.Response()
        answer.status_code, answer.url, answer.request = 200, request.url, request
        answer.headers["Content-Type"] = "application/ld+json"
        answer.raw = requests.packages.urllib3.HTTPResponse(
            io.BytesIO(content), headers=dict(answer.headers), status=200, preload_content=False
        )
        return answer

    def close(self) -> None:
        pass


def main(folder: str, profile: str, severity: str) -> None:
    with TemporaryDirectory() as made:
        cache = Path(made) / "cache"
        with requests_cache.CachedSession(str(cache)) as session:
            session.mount(CONTEXT, Bundled())
            session.get(CONTEXT)
        settings = services.ValidationSettings(
            rocrate_uri=folder, profile_identifier=profile, requirement_severity=services.Severity[severity],
            offline=True, cache_path=cache,
        )  # fmt: skip
        for issue in services.validate(settings).get_issues():
            print(json.dumps({"check": issue.check.identifier, "severity": issue.severity.name,
                              "entity": issue.violatingEntity, "message": issue.message}))  # fmt: skip


if __name__ == "__main__":
    main(*sys.argv[1:])
