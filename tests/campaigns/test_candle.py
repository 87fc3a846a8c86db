"""The scaling study at demo size, from the campaign file to the ledger."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.campaigns.test_reproduce import WARM, measured, tables
from tests.harness import CampaignSandbox
from tests.workloads.runtime.rank_processes import need_horovod

pytestmark = pytest.mark.slow


def test_the_study_at_demo_size_ends_complete_with_its_phases_and_loading_times(tmp_path: Path) -> None:
    need_horovod()
    place = CampaignSandbox(tmp_path)
    once = (WARM, "nt3.repeat=1", "nt3-loading.repeat=1", "p1b3.epochs=1")
    settings = [word for one in once for word in ("--set", one)]
    ended = place.run("reproduce", "run", "candle", *settings, seconds=900)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    with sqlite3.connect(place.folder / "ledger.sqlite") as ledger:
        accuracy = dict(ledger.execute("SELECT benchmark, max(accuracy) FROM accepted GROUP BY 1"))
        metrics = {
            (benchmark, name)
            for benchmark, name in ledger.execute(
                "SELECT DISTINCT benchmark, name FROM metrics JOIN instances USING (campaign_id, instance_id)"
            )
        }
        points = set(ledger.execute("SELECT benchmark, axis, value FROM points"))
    assert len(accuracy) == 16
    assert accuracy["nt3[ranks=1,loader=pandas]"] > 0.8
    assert accuracy["p1b2[ranks=1,loader=pandas]"] > 0.2  # one class of ten by chance
    assert ("nt3[ranks=2,loader=pandas]", "load_seconds_of_slowest_rank") in metrics
    assert ("nt3[ranks=2,loader=pandas]", "broadcast_wait_seconds_of_slowest_rank") in metrics
    assert ("nt3-loading[loader=pandas]", "train_file_mb_per_second") in metrics
    assert {(one[0], one[1]) for one in points} >= {
        ("p1b3[ranks=2]", "ranks"),
        ("nt3[ranks=1,loader=pandas]", "loader"),
    }
    asked = place.run(
        "analyze", "study", "candle-small-demo", "--json", "--against", "summit", "--figures", "plots"
    )
    assert asked.returncode == 0, asked.stderr
    found = json.loads(asked.stdout)
    axes = {"ranks": 2, "loader": "pandas"}
    two = next(one for one in found["points"] if (one["sweep"], one["axes"]) == ("nt3", axes))
    assert two["speed_up"] > 0
    assert two["metrics"]["epochs_run"]["value"] == 4
    assert two["metrics"]["broadcast_wait_seconds"]["value"] > 0
    assert {one["figure"] for one in found["side_by_side"]} == {"time", "load_seconds", "accuracy"}
    made = tables(place, "candle")
    assert measured(made["Figure 11"]) >= {
        "Total runtime",
        "Data loading (optimized)",
        "Performance improvement",
    }
    assert measured(made["Table 3"]) >= {"NT3, training", "NT3, testing", "P1B2, training"}
    assert (place.folder / "candle-small" / "index.html").is_file()
    assert any(one["benchmark"] == "nt3-loading[loader=pandas]" for one in found["published"])
    assert (place.folder / "plots" / "nt3-phases.svg").is_file()
