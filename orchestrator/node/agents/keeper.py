"""Processes that a supervisor keeps beside itself for one attempt after another."""

from __future__ import annotations

from orchestrator.node.agents.kept_agents import AgentsKeeper
from orchestrator.node.ranks.training_server import ServerKeeper


class Keeper:
    """Agents on other nodes, and the server of trainings of another interpreter or in a container."""

    def __init__(self) -> None:
        self.agents = AgentsKeeper()
        self.servers = ServerKeeper()

    @property
    def processes(self) -> frozenset[int]:
        """Children of this process that outlive an attempt; they end themselves what its ranks have left."""
        return frozenset({*self.agents.processes, *self.servers.processes})

    def close(self) -> None:
        """End them all."""
        self.agents.close()
        self.servers.close()
