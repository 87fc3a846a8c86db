"""Writing a slot into a site file or a campaign file; comments of the file stay."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import YAMLError

from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_file import benchmark_names
from orchestrator.planning.campaign_reading import load_campaign
from sites import FileError, load, read_text

_NO_FOLDING = 10_000  # characters of a line
_DEFAULTS = {"nodes": 1, "ranks": 1, "gpus": 0, "memory": None}


def write_slot(
    file: Path, source: Path, workload: str, slot: Mapping[str, Any], *, pool: str, comment: str, force: bool
) -> None:
    """Write the slot of a workload into a copy of a site file, or, with `force`, into a file that exists.

    Parameters
    ----------
    file
        Where it is written. One that exists may also be a campaign file.
    source
        Site file that a new file is a copy of.
    pool
        Pool of the site whose slot it is; empty where the site has none.

    Raises
    ------
    CampaignError
        If the file exists and `force` is False, cannot be written, or would not be a right file.
    """
    if file.exists() and not force:
        raise CampaignError(
            f"{file} exists; --force sets the slot in it, another name makes a copy of the site"
        )
    if file.suffix not in (".yaml", ".yml"):
        raise CampaignError(f"{file}: a site file's name ends in .yaml")
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _NO_FOLDING
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.representer.add_representer(
        type(None), lambda writer, _: writer.represent_scalar("tag:yaml.org,2002:null", "null")
    )
    given = file if file.exists() else source
    try:
        data = yaml.load(read_text(given, "site"))
    except (FileError, YAMLError) as error:
        raise CampaignError(f"{given} cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(data, CommentedMap):
        raise CampaignError(f"{given}: must be a mapping of keys to values")
    _set(data, workload, slot, pool, comment, given)
    stream = io.StringIO()
    yaml.dump(data, stream)
    _replace(file, stream.getvalue(), campaign="benchmarks" in data)


def _set(
    data: CommentedMap, workload: str, slot: Mapping[str, Any], pool: str, comment: str, given: Path
) -> None:
    places: list[tuple[CommentedMap, str]] = []
    if "benchmarks" in data:
        names = benchmark_names(data)
        places = [
            (one, "slot")
            for one, name in zip(data["benchmarks"], names, strict=True)
            if isinstance(one, CommentedMap) and workload in (name, one.get("workload"))
        ]
        if not places:
            raise CampaignError(f"{given}: no benchmark runs {workload}; it has {', '.join(names)}")
    else:
        pools = data.get("pools") or {}
        if pool and pool not in pools:
            raise CampaignError(f"{given}: has no pool {pool}, whose slot was measured")
        holder = pools[pool] if pool else data
        if not isinstance(holder.get("slots"), CommentedMap):
            holder["slots"] = CommentedMap()
        places = [(holder["slots"], workload)]
    merged = pool or "include" in data  # keys that the slot does not name would be those of another text
    for where, key in places:
        where[key] = CommentedMap({**(_DEFAULTS if merged else {}), **slot})
        where[key].fa.set_flow_style()
        if not where.fa.flow_style():
            where.yaml_add_eol_comment(comment, key, column=0)


def _replace(file: Path, text: str, *, campaign: bool) -> None:
    """Write a file beside its place, read it as what it is to be, and rename it."""
    partial = file.with_name(f".{file.stem}.{os.getpid()}.yaml")
    try:
        partial.write_text(text, encoding="utf-8")
        if campaign:
            load_campaign(partial)
        else:
            load(str(partial))
        partial.replace(file)
    except OSError as error:
        raise CampaignError(f"{file} cannot be written: {error.strerror}") from None
    except (FileError, CampaignError) as error:
        raise CampaignError(str(error).replace(str(partial), str(file))) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
