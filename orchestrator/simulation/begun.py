"""Where a campaign stands that a simulation goes on with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from db.states import AttemptState
from orchestrator.driver.queue.retry_policy import EndedAttempt
from orchestrator.simulation.machine import PresentBlock

if TYPE_CHECKING:
    from db.records import Pending
    from orchestrator.simulation.fault_model import FaultModel, RunDrawer


@dataclass(frozen=True, slots=True)
class Begun:
    """Where a campaign stands that a simulation goes on with.

    Parameters
    ----------
    name
        Of the campaign, as its history has it; None for one that has not begun.
    pending
        Instances that have not ended; an attempt that has not ended does not count as an attempt.
    ages
        Seconds that attempts have run, by label and number.
    wave
        Instances of a wave that started together, with the seconds that their attempts have run, which count
        as attempts; they are not among the pending ones, and the next wave starts once it has ended.
    blocks
        Those that run or wait, by stage.
    seconds, node_hours
        What the campaign took so far.
    ended
        Attempts of the session that count against the retries of an instance that is pending, and one that
        succeeded, if any did.
    """

    name: str | None
    pending: Sequence[Pending]
    ages: Mapping[tuple[str, int], float] = field(default_factory=dict)
    wave: Sequence[tuple[Pending, float]] = ()
    blocks: Mapping[str, Sequence[PresentBlock]] = field(default_factory=dict)
    seconds: float = 0.0
    node_hours: float = 0.0
    ended: Sequence[EndedAttempt] = ()

    @property
    def wait_seconds(self) -> float:
        """Wait of a block where none has started: those that wait do so about as long again."""
        waits = [one.waited_seconds or 0.0 for blocks in self.blocks.values() for one in blocks]
        return 2 * max(waits, default=0.0)


class EndedWave(NamedTuple):
    """A wave that has ended.

    Parameters
    ----------
    seconds, node_hours
        How long it still took, and what blocks held meanwhile.
    begun
        Where the campaign stands then; instances of the wave that failed are pending again.
    """

    seconds: float
    node_hours: float
    begun: Begun


def end_wave(
    begun: Begun,
    draw: RunDrawer,
    model: FaultModel,
    *,
    timeouts: Mapping[str, float],
    pools: Mapping[str, str],
) -> EndedWave:
    """Let the wave that runs end.

    Parameters
    ----------
    draw
        Draws what is left of its attempts.
    timeouts
        Seconds, by benchmark.
    pools
        Pool of each stage; empty for a site without pools.
    """
    seconds = 0.0
    failed: list[Pending] = []
    ended: list[EndedAttempt] = []
    for one, age in begun.wave:
        run = draw(f"{one.benchmark}/{one.benchmark_index}", one.attempts)
        left, most = run.ready_seconds + run.run_seconds, max(timeouts[one.benchmark] - age, 0.0)
        seconds = max(seconds, min(left, most))
        if run.exit_code or left > most:
            failed.append(one)
            state = AttemptState.FAILED if run.exit_code else AttemptState.TIMED_OUT
            ended.append(EndedAttempt(one.instance_id, state, "benchmark"))
    node_seconds = 0.0
    blocks: dict[str, list[PresentBlock]] = {}
    for stage, present in begun.blocks.items():
        found = blocks.setdefault(stage, [])
        for number, block in enumerate(present):
            starts = 0.0
            if block.waited_seconds is not None:
                starts = model.queue(f"{stage} {number}", pools.get(stage, ""), block.waited_seconds)
                if starts >= seconds:
                    found.append(replace(block, waited_seconds=block.waited_seconds + seconds))
                    continue
            held = min(seconds - starts, block.seconds)
            node_seconds += held * block.nodes
            if held < block.seconds:
                found.append(PresentBlock(block.nodes, block.seconds - held))
    then = replace(
        begun, pending=[*begun.pending, *failed], wave=(), blocks=blocks, ended=[*begun.ended, *ended]
    )
    return EndedWave(seconds, node_seconds / 3600, then)
