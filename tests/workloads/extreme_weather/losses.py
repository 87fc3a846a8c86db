"""A workload that trains a small detector for a few steps from weights and choices of NumPy's."""

from __future__ import annotations

from typing import Any

from workloads.context import Context, Metric, Result
from workloads.description import Workload
from workloads.extreme_weather.benchmark import ExtremeWeatherParameters
from workloads.parameters import table

STEPS, IMAGES, HEIGHT, WIDTH = 3, 2, 48, 72
SMALL = {
    "learning_rate": 0.05, "smallest_anchor": 4, "train_proposals": 40, "test_proposals": 20,
    "sampled_anchors": 32, "sampled_regions": 16, "image_height": HEIGHT, "image_width": WIDTH,
    "width_divisor": 16, "depth_divisor": 6,
}  # fmt: skip

WORKLOAD = Workload(
    name="losses",
    title="losses of a few steps",
    source="this project's tests",
    entry="tests.workloads.extreme_weather.losses:run",
    parameters=table(ExtremeWeatherParameters),
    parameters_type=ExtremeWeatherParameters,
    fom_time="run",
    ranks=True,
)


def run(parameters: ExtremeWeatherParameters, context: Context) -> Result:
    """Report the losses of each step, what is then detected, and facts of the network.

    The ranks share the images of a step, so that their number changes no loss.
    """
    import sys

    import numpy as np

    from workloads.extreme_weather import trainer as trainer_module
    from workloads.extreme_weather.benchmark import build_trainer
    from workloads.extreme_weather.pipeline import Batch
    from workloads.runtime.training.joint_run import start_ranks

    _, ranks = start_ranks(context, parameters, parameters.gradient_precision)
    context.start()
    share = IMAGES // ranks.size
    mine = slice(ranks.rank * share, (ranks.rank + 1) * share)

    def keys(seed: Any, images: int, numbers: Any) -> list[Any]:
        random = np.random.default_rng(seed)
        return [random.random((IMAGES, number), np.float32)[mine] for number in numbers]

    trainer_module.draw_keys = keys
    trainer = build_trainer(parameters, ([0.0] * 16, [1.0] * 16), ranks)
    random = np.random.default_rng(1)
    refill(trainer, random)
    batches = []
    for step in range(STEPS):
        images, boxes = pictures(random)
        batches.append(Batch(images[mine], boxes[mine], np.arange(IMAGES)[mine] + IMAGES * step))
    found = detected(trainer, batches, ranks)
    for step, batch in enumerate(batches):
        _, losses = trainer.train([batch], [parameters.learning_rate], [step])
        found |= {f"step_{step}_{name}": loss for name, loss in losses.items()}
    found |= {
        metric.name: metric.value for metric in (*trainer.flop_metrics(), *trainer.loss_scale.metrics())
    }
    found |= {"steps": trainer.optimizer_steps, "imports_tensorflow": int("tensorflow" in sys.modules)}
    return Result(metrics=tuple(Metric(name, number) for name, number in found.items()))


def detected(trainer: Any, batches: Any, ranks: Any) -> dict[str, float]:
    """Return sums over the detections of all images, and over those that `judged` makes of the storms."""
    import numpy as np

    from workloads.runtime.framework import current_backend

    fetch, judge, sums = current_backend().fetch, current_backend().forward(judged, []), np.zeros(4)
    for batch in batches:
        classes, scores, _, valid = map(fetch, trainer._score_step(*trainer._filled(batch)))
        right = fetch(judge(batch.boxes))
        sums += [valid.sum(), classes[valid].sum(), scores[valid].sum(dtype=np.float64), right.sum()]
    names = ("detections", "classes", "scores", "right")
    return dict(zip(names, ranks.all_reduce_sum(sums).tolist(), strict=True))


def judged(rows: Any) -> Any:
    """Return which of the storms are right, first each with a pixel's shift, then each as it is."""
    from keras import ops

    from workloads.extreme_weather.detection import Detections
    from workloads.extreme_weather.mean_average_precision import right_detections
    from workloads.extreme_weather.sampling import truth

    storms = truth(rows)
    classes, valid = (ops.concatenate([one, one], 1) for one in (storms.classes, storms.valid))
    boxes = ops.concatenate([storms.boxes + 1, storms.boxes], 1)
    return right_detections(Detections(boxes, classes, classes, valid), storms)


def refill(trainer: Any, random: Any) -> None:
    """Give all kernels drawn values, with which every class is detected somewhere."""
    import numpy as np

    for model in (trainer.proposer, trainer.head):
        for variable in model.trainable_variables:
            if len(variable.shape) > 1:
                wide = np.sqrt(1 / np.prod(variable.shape[:-1]))
                variable.assign(random.normal(0, wide, tuple(variable.shape)).astype(np.float32))


def pictures(random: Any) -> Any:
    """Return images, and boxes of three storms in each."""
    import numpy as np

    images = random.normal(size=(IMAGES, 16, HEIGHT, WIDTH)).astype(np.float32)
    boxes = np.full((IMAGES, 15, 5), -1, np.float32)
    for image in range(IMAGES):
        for row in range(3):
            top, left = random.integers(0, HEIGHT - 16), random.integers(0, WIDTH - 16)
            height, width = random.integers(8, 16, size=2)
            boxes[image, row] = top, left, top + height, left + width, random.integers(0, 4)
    return images, boxes
