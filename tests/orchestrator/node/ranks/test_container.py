"""What a container has of the node is what its training uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.node.ranks.container import rank_container
from orchestrator.protocol.order import ContainerOrder
from tests.messages import order


@pytest.mark.parametrize(("value", "bound"), [("disk", True), (None, False)])
def test_a_stage_is_bound_where_the_node_sets_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, bound: bool
) -> None:
    monkeypatch.delenv("NODE_DISK", raising=False)
    if value is not None:
        monkeypatch.setenv("NODE_DISK", value)
    started = rank_container(
        order(
            container=ContainerOrder("podman", "image", "podman"),
            cache=str(tmp_path / "cache"),
            cache_stage=str(tmp_path / "$NODE_DISK" / "stage"),
            directory=str(tmp_path),
            working_directory=str(tmp_path),
        ),
        0,
        {},
    )
    assert started is not None
    stage = str(tmp_path / (value or "$NODE_DISK") / "stage")
    assert any(stage in word for word in started.command) == bound
    assert Path(stage).exists() == bound
