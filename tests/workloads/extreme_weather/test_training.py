"""What a training's time has in it, with a clock that only its parts move."""

from __future__ import annotations

from types import SimpleNamespace

from workloads.context import Context, SlotView
from workloads.extreme_weather.schedule import Schedule
from workloads.extreme_weather.trainer import LOSSES, Scores
from workloads.extreme_weather.training import Training
from workloads.runtime.collectives import Ranks
from workloads.runtime.training import epochs


def test_the_training_time_ends_with_the_last_epoch(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(epochs, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(epochs, "synchronise", lambda: None)

    def passing(seconds, result):
        now[0] += seconds
        return result

    context = Context(seed=1, slot=SlotView(cores=(0,)))
    images = SimpleNamespace(
        steps_per_epoch=3,
        storms=(1,),
        facts={"validation_images": 5},
        training=lambda epoch: (one for one in ()),
        validation=lambda: (one for one in ()),
    )
    trainer = SimpleNamespace(
        state=[],
        values=list,
        optimizer_steps=6,
        train=lambda batches, rates, seed: passing(10.0, (3, dict.fromkeys(LOSSES, 1.0))),
        evaluate=lambda batches, storms: passing(2.0, Scores(5, 0.25, {0: 0.25})),
        sync_batch_norm=lambda: None,
        loss_scale=SimpleNamespace(require_finite=lambda variables, moment: None, metrics=tuple),
    )
    schedule = Schedule(0.01, 4, 3, 0, 0.0)
    one = Training(context, Ranks(context), images, trainer, schedule, 2, 1, None)
    one.train()
    assert now[0] == 24.0
    metrics = {metric.name: metric.value for metric in one.metrics()}
    assert metrics["training_seconds"] == 22.0  # with the validation between its epochs
    assert metrics["samples_seen"] == 24
