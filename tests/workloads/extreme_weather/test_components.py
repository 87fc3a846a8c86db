"""Boxes, suppression, RoIAlign, sampling and mAP against references that go box by box."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workloads.context import Context, SlotView
from workloads.extreme_weather.anchors import RATIOS, STRIDES, level_shapes, make_anchors
from workloads.extreme_weather.mean_average_precision import average_precision, average_precisions
from workloads.runtime.framework import configure_framework

HEIGHT, WIDTH = 40, 56
FEW = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module", autouse=True)
def _framework():
    configure_framework(Context(seed=1, slot=SlotView(cores=(0,))))


def a_box(draw):
    y, x = draw(st.integers(0, HEIGHT - 1)), draw(st.integers(0, WIDTH - 1))
    return [y, x, draw(st.integers(y + 1, HEIGHT)), draw(st.integers(x + 1, WIDTH))]


@st.composite
def some_boxes(draw, least=1, most=12):
    return np.array([a_box(draw) for _ in range(draw(st.integers(least, most)))], np.float32).reshape(-1, 4)


def overlap(one, other):
    """Count the pixels of both and of either; the corners are whole numbers."""
    pixels = np.zeros((2, HEIGHT, WIDTH), bool)
    for plane, (top, left, bottom, right) in zip(pixels, (one, other), strict=True):
        plane[int(top) : int(bottom), int(left) : int(right)] = True
    return (pixels[0] & pixels[1]).sum() / (pixels[0] | pixels[1]).sum()


def greedy(boxes, valid, threshold):
    kept = []
    for number in range(len(boxes)):
        if valid[number] and all(overlap(boxes[number], boxes[one]) <= threshold for one in kept):
            kept.append(number)
    return kept


@FEW
@given(some_boxes(), some_boxes())
def test_overlaps_are_those_of_counted_pixels(one, other):
    from workloads.extreme_weather.boxes import intersection_over_union

    found = intersection_over_union(one, other).numpy()
    wanted = np.array([[overlap(a, b) for b in other] for a in one])
    assert np.allclose(found, wanted, atol=1e-6)


def test_boxes_without_area_overlap_nothing():
    from workloads.extreme_weather.boxes import intersection_over_union

    empty = np.full((1, 4), -1, np.float32)
    assert intersection_over_union(empty, empty).numpy().tolist() == [[0.0]]
    assert intersection_over_union(empty, np.array([[0, 0, 4, 4]], np.float32)).numpy().tolist() == [[0.0]]


@FEW
@given(some_boxes(3, 3), some_boxes(3, 3))
def test_decoding_undoes_encoding_and_borders_clip(boxes, anchors):
    from workloads.extreme_weather.boxes import clip, decode, encode

    assert np.allclose(decode(encode(boxes, anchors), anchors), boxes, atol=1e-3)
    half = clip(boxes, HEIGHT // 2, WIDTH // 2).numpy()
    assert (half == np.minimum(boxes, [HEIGHT // 2, WIDTH // 2] * 2)).all()


@FEW
@given(st.data(), some_boxes(1, 14), st.sampled_from([0.2, 0.45, 0.7]))
def test_suppression_keeps_what_going_box_by_box_keeps(data, boxes, threshold):
    from workloads.extreme_weather.proposals import suppress

    valid = np.array(data.draw(st.lists(st.booleans(), min_size=len(boxes), max_size=len(boxes))))
    kept = suppress(np.stack([boxes, boxes[::-1]]), np.stack([valid, valid]), threshold).numpy()
    assert np.flatnonzero(kept[0]).tolist() == greedy(boxes, valid, threshold)
    assert np.flatnonzero(kept[1]).tolist() == greedy(boxes[::-1], valid, threshold)


def test_a_chain_of_overlapping_boxes_keeps_every_second():
    from workloads.extreme_weather.proposals import suppress

    top = np.arange(24, dtype=np.float32)
    chain = np.stack([top, np.zeros(24), top + 2, np.full(24, 4)], -1).astype(np.float32)
    kept = suppress(chain[None], np.ones((1, 24), bool), 0.3).numpy()[0]
    assert np.flatnonzero(kept).tolist() == list(range(0, 24, 2))


def bilinear(level, y, x):
    """Return the value between the four nearest places; beyond the outermost places theirs."""
    height, width = level.shape[:2]
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = math.floor(y), math.floor(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    down, across = y - top, x - left
    upper = level[top, left] * (1 - across) + level[top, right] * across
    lower = level[bottom, left] * (1 - across) + level[bottom, right] * across
    return upper * (1 - down) + lower * down


def aligned(levels, box, smallest):
    top, left, bottom, right = box
    side = math.sqrt((bottom - top) * (right - left))
    number = min(max(math.floor(2 + math.log2(side / (7 * smallest) + 1e-8)), 0), len(levels) - 1)
    found = np.zeros((7, 7, levels[0].shape[-1]))
    for row in range(7):
        for column in range(7):
            for down in (0.25, 0.75):
                for across in (0.25, 0.75):
                    y = (top + (row + down) * (bottom - top) / 7) / STRIDES[number] - 0.5
                    x = (left + (column + across) * (right - left) / 7) / STRIDES[number] - 0.5
                    found[row, column] += bilinear(levels[number], y, x) / 4
    return found


@settings(max_examples=25, deadline=None)
@given(some_boxes(1, 5), st.sampled_from([1, 2, 4]), st.integers(0, 99))
def test_aligned_features_are_those_read_point_by_point(boxes, smallest, seed):
    from workloads.extreme_weather.roi_align import roi_align

    random = np.random.default_rng(seed)
    levels = [
        random.normal(size=(2, *shape, 3)).astype(np.float32) for shape in level_shapes(HEIGHT, WIDTH)[:4]
    ]
    import tensorflow as tf

    regions = np.stack([boxes, boxes[::-1]])
    found = roi_align([tf.constant(level) for level in levels], tf.constant(regions), smallest).numpy()
    for image in range(2):
        for number, box in enumerate(regions[image].tolist()):
            wanted = aligned([level[image] for level in levels], box, smallest)
            assert np.allclose(found[image, number], wanted, atol=1e-4)


def test_a_region_of_224_pixels_is_read_from_the_level_of_stride_16():
    from workloads.extreme_weather.roi_align import region_levels

    sides = np.array([1, 111, 112, 223.9, 224, 447, 448, 1100], np.float32)
    boxes = np.stack([np.zeros(8), np.zeros(8), sides, sides], -1).astype(np.float32)
    assert region_levels(boxes, 32, 4).numpy().tolist() == [0, 0, 1, 1, 2, 2, 3, 3]


def test_the_anchors_of_the_real_size_are_220968_around_their_places():
    anchors = make_anchors(768, 1152, 32)
    assert [len(level) for level in anchors] == [165888, 41472, 10368, 2592, 648]
    for number, level in enumerate(anchors):
        sides = level[:3, 2:] - level[:3, :2]
        assert np.allclose(sides[:, 0] / sides[:, 1], RATIOS)
        assert np.allclose(sides.prod(1), (32 * 2**number) ** 2)
        assert np.allclose((level[:3, :2] + level[:3, 2:]) / 2, STRIDES[number] / 2)
    second_row = anchors[2][3 * 72]
    assert np.allclose((second_row[:2] + second_row[2:]) / 2, [24, 8])


def storms_of(boxes, classes, rows=15):
    from workloads.extreme_weather.sampling import truth

    padded = np.full((1, rows, 5), -1, np.float32)
    padded[0, : len(boxes), :4], padded[0, : len(boxes), 4] = boxes, classes
    return truth(padded)


def some_keys(seed, boxes):
    return np.random.default_rng(seed).random((1, len(boxes)), np.float32)


def drawn(sample):
    return (value.numpy()[0] for value in (sample.places, sample.chosen, sample.positive))


@FEW
@given(some_boxes(6, 14), some_boxes(0, 4), st.integers(2, 8), st.integers(0, 9))
def test_sampled_anchors_are_what_their_overlaps_make_them(anchors, boxes, number, seed):
    from workloads.extreme_weather.sampling import sample_anchors

    sample = sample_anchors(anchors, storms_of(boxes, 0), number, some_keys(seed, anchors))
    table = np.array([[overlap(anchor, box) for box in boxes] for anchor in anchors]).reshape(
        len(anchors), -1
    )
    best = [
        len(boxes) > 0
        and (
            table[one].max() >= 0.7 - 1e-6 or (np.isclose(table[one], table.max(0)) & (table[one] > 0)).any()
        )
        for one in range(len(anchors))
    ]
    low = [len(boxes) == 0 or table[one].max() < 0.3 for one in range(len(anchors))]
    places, chosen, positive = drawn(sample)
    number = min(number, len(anchors))
    positives = min(sum(best), max(1, number // 2))
    negatives = sum(is_low and not is_best for is_low, is_best in zip(low, best, strict=True))
    assert positive.sum() == positives
    assert chosen.sum() == min(number, positives + negatives)
    assert len(set(places[chosen].tolist())) == chosen.sum()
    for place, taken, is_storm, match in zip(
        places, chosen, positive, sample.matched.numpy()[0], strict=True
    ):
        assert not taken or (best[place] if is_storm else low[place] and not best[place])
        assert not is_storm or table[place, match] == pytest.approx(table[place].max(), abs=1e-6)


@FEW
@given(some_boxes(8, 12), some_boxes(0, 3), st.integers(0, 9))
def test_a_quarter_of_the_sampled_regions_is_positive_at_most(regions, boxes, seed):
    from workloads.extreme_weather.sampling import sample_regions

    valid = np.arange(len(regions)) % 4 > 0
    sample = sample_regions(regions[None], valid[None], storms_of(boxes, 1), 8, some_keys(seed, regions))
    hit = np.array([any(overlap(region, box) >= 0.5 for box in boxes) for region in regions]) & valid
    places, chosen, positive = drawn(sample)
    assert positive.sum() == min(2, hit.sum())
    assert hit[places[positive]].all()
    assert valid[places[chosen]].all()
    assert not hit[places[chosen & ~positive]].any()


def test_an_image_without_storms_has_losses_of_the_background_alone_and_finite_gradients():
    import tensorflow as tf

    from workloads.extreme_weather.losses import head_losses, proposal_losses
    from workloads.extreme_weather.sampling import sample_anchors, sample_regions

    anchors = tf.constant(make_anchors(64, 64, 8)[1])
    storms = storms_of(np.zeros((0, 4)), 0)
    objectness, offsets = tf.Variable(tf.ones((1, len(anchors)))), tf.Variable(tf.ones((1, len(anchors), 4)))
    regions = anchors[None, :16]
    logits, moved = tf.Variable(tf.zeros((1, 8, 5))), tf.Variable(tf.ones((1, 8, 5, 4)))
    with tf.GradientTape() as tape:
        sample = sample_anchors(anchors, storms, 16, some_keys(1, anchors))
        first = proposal_losses(objectness, offsets, anchors, sample, storms)
        sample = sample_regions(regions, tf.ones((1, 16), tf.bool), storms, 8, some_keys(2, anchors[:16]))
        chosen = tf.gather(regions, sample.places, batch_dims=1)
        second = head_losses(logits, moved, chosen, sample, storms)
        total = tf.add_n([*first, *second])
    values = [float(loss) for loss in (*first, *second)]
    assert np.allclose(values, [math.log(1 + math.e), 0, math.log(5), 0])
    gradients = tape.gradient(total, [objectness, offsets, logits, moved])
    assert all(np.isfinite(gradient.numpy()).all() for gradient in map(tf.convert_to_tensor, gradients))
    assert not tf.convert_to_tensor(gradients[1]).numpy().any()


def test_losses_of_boxes_are_worked_by_hand():
    import tensorflow as tf

    from workloads.extreme_weather.losses import head_losses, proposal_losses
    from workloads.extreme_weather.sampling import Sample

    box = np.array([[10, 10, 20, 30]], np.float32)
    storms = storms_of(box, 2)
    one = Sample(tf.constant([[0, 1]]), tf.constant([[True, True]]), tf.constant([[True, False]]),
                 tf.constant([[0, 0]]))  # fmt: skip
    anchors = tf.constant(np.array([[10, 10, 20, 20], [40, 40, 50, 50]], np.float32))
    # The centre lies half a side to the right of the anchor's, and the storm is twice as wide.
    score, move = proposal_losses(tf.zeros((1, 2)), tf.zeros((1, 2, 4)), anchors, one, storms)
    assert float(score) == pytest.approx(math.log(2))
    assert float(move) == pytest.approx((0.5 - 1 / 18 + math.log(2) - 1 / 18) / 2)
    logits = tf.constant([[[0.0] * 5, [0.0] * 5]])
    offsets = np.zeros((1, 2, 5, 4), np.float32)
    offsets[0, 0, 3] = 0, 5, 0, 5 * math.log(2)  # those of class 2, with the weights 10, 10, 5, 5
    _, wrong = head_losses(logits, tf.zeros_like(offsets), anchors[None], one, storms)
    _, right = head_losses(logits, tf.constant(offsets), anchors[None], one, storms)
    assert float(right) == pytest.approx(0, abs=1e-6)
    assert float(wrong) == pytest.approx((5 - 0.5 + 5 * math.log(2) - 0.5) / 2, rel=1e-5)


def reference_right(boxes, classes, storm_boxes, storm_classes):
    """Go through the detections of an image, best first; each may claim the storm that it overlaps most."""
    claimed, right = set(), []
    for box, kind in zip(boxes, classes, strict=True):
        best, largest = None, 0.0
        for number, (storm, storm_kind) in enumerate(zip(storm_boxes, storm_classes, strict=True)):
            if storm_kind == kind and overlap(box, storm) > largest + 1e-6:
                best, largest = number, overlap(box, storm)
        right.append(best is not None and largest >= 0.5 - 1e-6 and best not in claimed)
        if right[-1]:
            claimed.add(best)
    return right


@FEW
@given(st.data(), some_boxes(1, 8), some_boxes(0, 5))
def test_right_detections_are_those_found_one_by_one(data, boxes, storms):
    import tensorflow as tf

    from workloads.extreme_weather.detection import Detections
    from workloads.extreme_weather.mean_average_precision import right_detections

    # Half of the detections are shifted storms, so that many are right and some claim one storm twice.
    for number in range(0, len(boxes), 2):
        if len(storms):
            boxes[number] = storms[number // 2 % len(storms)]
    classes = data.draw(st.lists(st.integers(0, 1), min_size=len(boxes), max_size=len(boxes)))
    kinds = data.draw(st.lists(st.integers(0, 1), min_size=len(storms), max_size=len(storms)))
    valid = np.array(data.draw(st.lists(st.booleans(), min_size=len(boxes), max_size=len(boxes))))
    found = Detections(
        boxes[None], tf.constant([classes]), tf.linspace(1.0, 0.1, len(boxes))[None], valid[None]
    )
    right = right_detections(found, storms_of(storms, kinds)).numpy()[0]
    counted = [number for number in range(len(boxes)) if valid[number]]
    wanted = reference_right(boxes[counted], [classes[one] for one in counted], storms, kinds)
    assert not right[~valid].any()
    assert right[counted].tolist() == wanted


@FEW
@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=25), st.integers(1, 30))
def test_average_precision_is_the_area_under_all_points(pairs, more):
    scores = np.array([score / 10 for score, _ in pairs])
    right = np.array([hit for _, hit in pairs], bool)
    storms = int(right.sum()) + more - 1 or 1
    order = sorted(range(len(pairs)), key=lambda one: -scores[one])
    points = []
    for count in range(1, len(order) + 1):
        found = sum(right[order[:count]])
        points.append((found / storms, found / count))
    area = last = 0.0
    for recall in sorted({recall for recall, _ in points}):
        area += (recall - last) * max(precision for other, precision in points if other >= recall)
        last = recall
    assert average_precision(scores, right, storms) == pytest.approx(area)


def test_classes_that_do_not_occur_are_left_out_and_missed_ones_count_as_nothing():
    rows = np.array([[1, 0, 0.9, 1], [0, 0, 0.8, 0], [0, 2, 0.7, 0]], float)
    assert average_precisions(rows, (1, 4, 0, 2)) == {0: 1.0, 1: 0.0, 3: 0.0}
    assert average_precisions(rows[::-1], (2, 0, 0, 0)) == {0: 0.5}
    assert average_precisions(np.zeros((0, 4)), (1, 0, 0, 0)) == {0: 0.0}


def test_the_learning_rate_rises_to_its_share_of_the_batch_and_drops():
    from workloads.extreme_weather.schedule import Schedule

    schedule = Schedule(0.01, 16, 10, 20, 1e-5, (5, 8))
    rates = [schedule.rate(step) for step in (0, 10, 20, 49, 50, 79, 80)]
    assert np.allclose(rates, [1e-5, (0.02 + 1e-5) / 2, 0.02, 0.02, 0.002, 0.002, 0.0002])
