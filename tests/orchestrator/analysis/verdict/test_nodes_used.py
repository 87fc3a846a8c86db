"""The nodes that a site file declares, and the network between them, stand beside those that were used."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from db.ledger import Ledger
from orchestrator.analysis.verdict.nodes_used import campaign_nodes, declared_nodes
from tests.db import rows

BATCH = {
    "site": "ours",
    "scheduler": {"type": "slurm", "walltime": "1 h"},
    "node": {"cores": "0-1", "memory": "1 GiB"},
    "address": "127.0.0.1",
}
LOCAL = {"scheduler": {"type": "local"}}
OTHER = {**BATCH, "scheduler": {"type": "lsf", "walltime": "1 h"}, "nodes": 30}
del OTHER["site"]


@pytest.mark.parametrize(
    ("site", "declared", "network"),
    [
        (BATCH, None, ""),
        (BATCH | {"nodes": 100, "network": "Slingshot 11"}, 100, "Slingshot 11"),
        (BATCH | {"pools": {"a": {"nodes": 4}, "b": {"nodes": 5}}}, 9, ""),
        (BATCH | {"nodes": 100, "pools": {"a": {"nodes": 4}, "b": {"nodes": 5}}}, 100, ""),
        (BATCH | {"pools": {"a": {"nodes": 4}, "b": {}}}, None, ""),
        (BATCH | {"nodes": 100, "network": "HDR", "pools": {"a": {}, "own": LOCAL}}, 101, "HDR"),
        (BATCH | {"pools": {"a": {}, "own": LOCAL}}, None, ""),
        (
            BATCH | {"nodes": 100, "network": "HDR", "pools": {"a": {}, "far": OTHER | {"network": "EDR"}}},
            130,
            "HDR and EDR",
        ),
    ],
)
def test_nodes_and_network_as_declared(
    sqlite_url: str, site: dict[str, Any], declared: int | None, network: str
) -> None:
    with Ledger(sqlite_url) as ledger:
        new = replace(rows.campaign(), site_yaml=json.dumps(site))
        ledger.register(new, [rows.benchmark()], rows.planned(1))
        row = ledger.campaign("toy")
        assert declared_nodes(row) == declared
        words = "no number of nodes declared" if declared is None else f"{declared} declared"
        rest = f"; network {network}" if network else ""
        assert str(campaign_nodes(ledger, row)) == f"nodes of toy: 0 used, {words} by the site file{rest}"


def test_a_campaign_without_a_site_file_declares_nothing(sqlite_url: str) -> None:
    with Ledger(sqlite_url) as ledger:
        ledger.register(rows.campaign(site_yaml=""), [rows.benchmark()], rows.planned(1))
        found = campaign_nodes(ledger, ledger.campaign("toy"))
        assert (found.declared, found.network) == (None, "")
