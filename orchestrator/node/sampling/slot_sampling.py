"""Sampling of a slot while its attempt runs, where the site file asks for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from orchestrator.protocol.block_environment import node_name
from orchestrator.protocol.order import SlotOrder, unpack_slots
from orchestrator.protocol.sampling import MOST_POINTS, Sampling

if TYPE_CHECKING:
    from orchestrator.node.sampling.sampler import Sampler
    from orchestrator.node.sampling.sampler_thread import SamplerThread


class SlotSampling:
    """Samples from `start` to `finish`, or does nothing where sampling is off.

    Parameters
    ----------
    now_us
        Returns UTC microseconds.
    """

    def __init__(self, slot: SlotOrder, now_us: Callable[[], int]) -> None:
        self._slot = slot
        self._now_us = now_us
        self._thread: SamplerThread | None = None

    def start(self, devices: Sequence[Sequence[str]], pids: Callable[[], Sequence[int]]) -> None:
        """Begin to sample; all processes must have been started: that is not safe beside a thread.

        Parameters
        ----------
        devices
            Names of the GPUs of each rank on this node.
        pids
            Returns the attempt's processes.
        """
        order = self._slot.order
        if order.sampling_seconds is None:
            return
        from orchestrator.node.sampling.sampler_thread import SamplerThread

        attempts = len(unpack_slots(order.slots))
        self._thread = SamplerThread(lambda: self._sampler(devices, pids), order.sampling_seconds, attempts)
        self._thread.start()

    def update(self, marks: Sequence[Mapping[str, int]]) -> None:
        """Take note of the marks that ranks have set."""
        if self._thread is not None:
            self._thread.update(marks)

    def finish(self) -> Sampling | None:
        """Stop, and return what was sampled; None if nothing was."""
        return None if self._thread is None else self._thread.finish()

    def _sampler(self, devices: Sequence[Sequence[str]], pids: Callable[[], Sequence[int]]) -> Sampler:
        from orchestrator.node.sampling.meters import NodeMeters
        from orchestrator.node.sampling.sampler import Sampler

        found = NodeMeters(self._slot, devices, pids)
        return Sampler(
            found.meters,
            found.absent,
            node=node_name(),
            gpus=any(devices),
            cores=sum(len(place.cores) for place in self._slot.places),
            clock=time.monotonic,
            now_us=self._now_us,
            most_points=MOST_POINTS // self._slot.order.nodes,
        )
