"""JSON errors of the API, and the paths that get them in place of a page."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse, Response

API = "/api/"
OPENAPI = "/openapi.json"


def is_api(path: str) -> bool:
    """Return whether a path belongs to the API."""
    return path.startswith(API) or path in (API.rstrip("/"), OPENAPI)


def json_problem(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as an object `Problem`."""
    line = " ".join(message.split())
    return JSONResponse({"error": {"status": status, "message": line}}, status, dict(headers or {}))
