"""Values of the command line: ``--set PATH=VALUE`` for keys of a campaign, of a benchmark, or of a site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.catalog.registry import describe
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import Benchmark, CampaignFile, benchmark_names
from sites import FileError, Model, Site
from sites.resolved import Setting
from sites.yaml_loader import YamlError, load
from workloads.description import WorkloadError
from workloads.spelling import near, nearest

_EXAMPLE = (
    "write PATH=VALUE, such as p1b1.timeout=10min, campaign.start=synchronized or site.scheduler.account=abc"
)
_MOST_CHARACTERS = 65_536


def site_settings(written: Sequence[str]) -> list[Setting]:
    """Return the values that are a site's; raises `CampaignError` where one has no path or no value."""
    return [
        Setting(tuple(path[1:]), value, one)
        for one, (path, value) in ((one, _parsed(one)) for one in written)
        if path[0] == "site"
    ]


def campaign_settings(written: Sequence[str], data: Mapping[Any, Any]) -> list[Setting]:
    """Return the values that are a campaign's or a benchmark's.

    Parameters
    ----------
    written
        ``campaign.KEY=VALUE``, ``BENCHMARK.KEY=VALUE``, or ``BENCHMARK.PARAMETER=VALUE``, short for
        ``BENCHMARK.parameters.PARAMETER=VALUE``; those of a site are left out.

    Raises
    ------
    CampaignError
        If a path begins with none of these, or names no key; the nearest is suggested.
    """
    names = benchmark_names(data)
    found = []
    for one in written:
        path, value = _parsed(one)
        if path[0] == "site":
            continue
        if path[0] == "campaign":
            place: list[str | int] = [*path[1:]]
        else:
            place = _of_benchmark(one, names, data)
        found.append(Setting(tuple(place), value, one))
    return found


def _parsed(written: str) -> tuple[list[str], Any]:
    path, equals, text = written.partition("=")
    parts = path.strip().split(".")
    if not equals or len(parts) < 2 or not all(parts):
        raise CampaignError(f"--set {written!r}: {_EXAMPLE}")
    if len(written) > _MOST_CHARACTERS:
        raise CampaignError(f"--set {path[:60]}: has {len(written):,} characters; write it in a file")
    try:
        return parts, load(text)
    except YamlError as error:
        raise CampaignError(f"--set {written}: the value is no YAML: {error}") from None


def _of_benchmark(written: str, names: Sequence[str], data: Mapping[Any, Any]) -> list[str | int]:
    path = written.partition("=")[0].strip()
    name = max((one for one in names if path.startswith(f"{one}.")), key=len, default=None)
    if name is None:
        raise CampaignError(f"--set {written}: {_hint(path, names)}")
    number = list(names).index(name)
    rest = path[len(name) + 1 :].split(".")
    keys = _keys(Benchmark)
    if rest[0] in keys:
        return ["benchmarks", number, *rest]
    parameters = _parameters(data["benchmarks"][number])
    if len(rest) == 1 and rest[0] in parameters:
        return ["benchmarks", number, "parameters", *rest]
    known = [*keys, *parameters] if len(rest) == 1 else keys
    close = nearest(rest[0], known)
    hint = f"did you mean {name}.{close}?" if close else f"it has {', '.join(known)}"
    raise CampaignError(f"--set {written}: benchmark {name} has no key or parameter {rest[0]}; {hint}")


def _parameters(benchmark: Mapping[str, Any]) -> list[str]:
    """Return the names of a benchmark's parameters; of a workload that is unknown, none."""
    try:
        return [one.name for one in describe(str(benchmark.get("workload"))).parameters]
    except (WorkloadError, FileError):
        return []


def _keys(model: type[Model]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


def _hint(path: str, names: Sequence[str]) -> str:
    head = path.partition(".")[0]
    for whose, model in (("site", Site), ("campaign", CampaignFile)):
        if head in _keys(model):
            return f"did you mean {whose}.{path}?"
    known = ["campaign", "site", *names]
    hint = near(head, known, f"begin with {', '.join(known[:8])}")
    return f"there is no benchmark {head}{hint}"
