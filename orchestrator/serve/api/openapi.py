"""The OpenAPI document of the API (spec.openapis.org/oas/v3.1.0), made of its routes."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from orchestrator.outputs.campaigns import Problem
from orchestrator.outputs.schemas import DIALECT, schemas_of
from orchestrator.serve.api.actions import BODIES
from orchestrator.serve.api.questions import ReportFormat
from orchestrator.serve.api.routes import ROUTES, VERSION
from orchestrator.version import __version__

if TYPE_CHECKING:
    from orchestrator.serve.api.routes import ApiRoute

_PATHS = {
    "name": "Name of the campaign.",
    "label": "Label of the instance, `benchmark/number`, such as p1b1/3.",
}
_PROBLEM = {
    "description": "Why there is no answer.",
    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_NEXT = "Address of the next page; null on the last."


@cache
def document() -> dict[str, Any]:
    """Return the document."""
    kinds = [route.result for route in ROUTES if route.result is not None]
    found, named = schemas_of([*kinds, *BODIES.values(), Problem], "#/components/schemas")
    schemas = iter(found)
    results = {id(route): next(schemas) for route in ROUTES if route.result is not None}
    bodies = {act: next(schemas) for act in BODIES}
    paths: dict[str, Any] = {}
    for route in ROUTES:
        path = VERSION + route.path.replace(":path", "")
        paths.setdefault(path, {})[route.method.lower()] = _operation(
            route, results.get(id(route), {}), bodies.get(route.act) if route.act else None
        )
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": DIALECT,
        "info": {
            "title": "Ensemble throughput orchestrator",
            "version": __version__,
            "description": "Campaigns of a ledger. Times are UTC. Later versions may add keys to objects.",
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "paths": paths,
        "components": {
            "schemas": named,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: ApiRoute, result: dict[str, Any], body: dict[str, Any] | None) -> dict[str, Any]:
    stated = f"The object of `orchestrator {route.command}{' --json' * bool(route.command)}`."
    made: dict[str, Any] = {
        "operationId": operation_id(route),
        "summary": route.summary,
        **({"description": stated} if route.command else {}),
        "parameters": [*_path_parameters(route), *_query_parameters(route)],
        "responses": {
            "200": {"description": "The answer.", "content": _content(route, result)},
            **({} if route.act else {"304": {"description": "It has not changed since `If-None-Match`."}}),
            "default": _PROBLEM,
        },
    }
    if body is not None:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
        made["security"] = [{"token": []}]
    return made


def operation_id(route: ApiRoute) -> str:
    """Return the name of a route for programs, such as ``get_campaigns_name_events``."""
    words = re.findall(r"\w+", route.path.replace(":path", ""))
    return "_".join([route.method.lower(), *words])


def _path_parameters(route: ApiRoute) -> list[dict[str, Any]]:
    names = re.findall(r"{(\w+)", route.path)
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _PATHS[name],
            "schema": {"type": "string"},
        }
        for name in names
    ]


def _query_parameters(route: ApiRoute) -> list[dict[str, Any]]:
    schema = route.query.model_json_schema(ref_template="{model}")
    named = schema.get("$defs", {})
    return [
        {
            "name": name,
            "in": "query",
            "description": one.get("description", ""),
            "schema": _inlined({key: value for key, value in one.items() if key != "description"}, named),
        }
        for name, one in schema.get("properties", {}).items()
    ]


def _inlined(schema: Any, named: dict[str, Any]) -> Any:
    """Return a schema with the ones that it refers to in place of their names, and without null."""
    if isinstance(schema, list):
        return [_inlined(one, named) for one in schema if one != {"type": "null"}]
    if not isinstance(schema, dict):
        return schema
    if (name := schema.get("$ref")) is not None:
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return _inlined(named[name], named) | rest
    return {
        key: _inlined(one, named) for key, one in schema.items() if not (key == "default" and one is None)
    }


def _content(route: ApiRoute, result: dict[str, Any]) -> dict[str, Any]:
    if route.media == "text/html":
        return {form.media_type: {"schema": {"type": "string"}} for form in ReportFormat}
    if route.media != "application/json":
        return {route.media: {"schema": {"type": "string"}}}
    if not route.paged:
        return {route.media: {"schema": result}}
    page = {
        "type": "object",
        "additionalProperties": False,
        "required": ["items", "next"],
        "properties": {
            "items": {"type": "array", "items": result},
            "next": {"type": ["string", "null"], "description": _NEXT},
        },
    }
    return {route.media: {"schema": page}}
