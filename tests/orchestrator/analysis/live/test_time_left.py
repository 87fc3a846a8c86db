"""The time left of campaigns: exact where it can be, and never growing while only the last instances run."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.queries.attempt_times import AttemptTimes, attempt_times
from orchestrator.analysis.live.time_left import TimeLeft, Work, time_left
from orchestrator.simulation.fault_model import FaultModel
from tests.orchestrator.simulation.simulated import SimulatedCampaign, made_plan

NOTHING = Work("a", "", "c1", 2, 0, (), 10.0, 12.0)


@pytest.mark.parametrize(
    ("work", "left"),
    [
        ({}, TimeLeft(0.0)),
        ({"ages": (4.0, 1.0)}, TimeLeft(11.0)),  # the younger one takes as long as the longest
        ({"ages": (20.0,)}, TimeLeft(0.0)),  # longer than any before
        ({"ages": (20.0, 5.0)}, TimeLeft(15.0)),  # what runs longest is the longest so far
        ({"waiting": 2}, TimeLeft(12.0)),
        ({"waiting": 3}, TimeLeft(22.0)),  # one of the two slots takes another after the mean
        ({"waiting": 1, "ages": (4.0, 1.0)}, TimeLeft(18.0)),  # starts when the older one ends, in 6 s
        ({"waiting": 1_000_000, "slots": 10**12}, TimeLeft(12.0)),
        ({"waiting": 5, "slots": 0}, TimeLeft(52.0)),
        ({"waiting": 5, "mean_seconds": None, "longest_seconds": None}, TimeLeft(None, ("a",))),
        ({"waiting": 5, "mean_seconds": 0.0, "longest_seconds": 0.0}, TimeLeft(2e-6 + 1e-6)),
    ],
)
def test_one_benchmark(work: dict[str, object], left: TimeLeft) -> None:
    found = time_left([replace(NOTHING, **work)])  # type: ignore[arg-type]
    assert found.unmeasured == left.unmeasured
    assert found.seconds == pytest.approx(left.seconds, abs=1e-6)


def test_stages_add_up_lanes_do_not_and_what_shares_slots_is_spread() -> None:
    a = replace(NOTHING, waiting=2)
    later = replace(a, benchmark="b", stage="c2")
    beside = replace(a, benchmark="b", lane="other")
    shared = replace(a, benchmark="b")
    assert time_left([a, later]).seconds == pytest.approx(24.0)
    assert time_left([a, beside]).seconds == pytest.approx(12.0)
    assert time_left([a, shared]).seconds == pytest.approx(22.0)


def test_a_benchmark_without_a_duration_makes_it_a_lower_bound() -> None:
    unknown = replace(NOTHING, benchmark="b", waiting=3, mean_seconds=None, longest_seconds=None)
    found = time_left([replace(NOTHING, waiting=2), unknown])
    assert (found.seconds, found.unmeasured) == (pytest.approx(12.0), ("b",))
    assert str(found) == "at least 12 s left: no duration of b is known yet"


def test_an_expected_duration_is_named_until_one_is_measured() -> None:
    stated = replace(NOTHING, benchmark="b", waiting=3, expected=True)
    found = time_left([stated, replace(NOTHING, benchmark="c", waiting=1, mean_seconds=None)])
    assert found == TimeLeft(pytest.approx(22.0), ("c",), ("b",))
    assert "left, by expected_runtime of b: no duration of c is known yet" in str(found)


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (TimeLeft(90.0), "about 1 min 30 s left"),
        (TimeLeft(90.0, (), ("a",)), "about 1 min 30 s left, by expected_runtime of a"),
        (TimeLeft(0.0), "later than estimated"),
        (TimeLeft(None, ("a", "b", "c", "d")), "time left unknown: no duration of a, b, c and 1 more"),
    ],
)
def test_words(left: TimeLeft, words: str) -> None:
    assert str(left).startswith(words)


@settings(deadline=None)
@given(
    st.lists(st.floats(1.0, 1e4), min_size=2, max_size=30),
    st.lists(st.floats(0.0, 1e3), min_size=30, max_size=30),
    st.lists(st.floats(0.0, 2e4), min_size=2, max_size=20),
)
def test_it_never_grows_while_the_last_ones_run(
    lengths: list[float], starts: list[float], moments: list[float]
) -> None:
    """One instance has ended before; the others run from the first moment on and end at any time."""
    begun = starts[: len(lengths)]
    seen = []
    for now in sorted(moment + max(begun) for moment in moments):
        ended = [length for length, start in zip(lengths, begun, strict=True) if start + length <= now]
        ages = [now - start for length, start in zip(lengths, begun, strict=True) if start + length > now]
        known = [1.0, *ended]
        work = replace(
            NOTHING, ages=ages, slots=30, mean_seconds=sum(known) / len(known), longest_seconds=max(known)
        )
        late = bool(ages) and min(ages) >= max(known)  # all run longer than any before
        seen.append((time_left([work]).seconds or 0.0, late))
    for (before, late), (later, _) in itertools.pairwise(seen):
        assert later <= before + 1e-6 or late


def test_runs_longer_than_any_before_say_nothing_of_their_end() -> None:
    late = replace(NOTHING, ages=[10_800.0, 10_770.0], mean_seconds=3600.0, longest_seconds=3700.0)
    assert str(time_left([late])) == "later than estimated"
    young = replace(late, ages=[10_800.0, 600.0])
    assert time_left([young]).seconds == 10_200.0  # as long as the longest


def replayed(times: AttemptTimes, slots: int, now: int) -> Work:
    """Return what was left of a benchmark at a moment of a campaign that is over, UTC microseconds."""
    good = times.accepted
    ended = good & (times.process_stop_us <= now)
    runs = (times.process_start_us > 0) & (times.process_start_us <= now) & (times.process_stop_us > now)
    took = (times.process_stop_us - times.process_start_us)[ended] / 1e6
    return Work(
        benchmark="a",
        lane="",
        stage="",
        slots=slots,
        waiting=int(good.sum()) - int(ended.sum()) - int(runs.sum()),
        ages=tuple((now - times.process_start_us[runs]) / 1e6),
        mean_seconds=float(took.mean()) if len(took) else None,
        longest_seconds=float(took.max()) if len(took) else None,
    )


@pytest.mark.parametrize("seed", range(2))
def test_simulated_campaigns_replayed(tmp_path: Path, seed: int) -> None:
    calm = FaultModel(seed=seed, node_hours_to_failure=1e9, stragglers=0.05 * (seed % 2))
    plan = made_plan({"name": "a", "instances": 60, "expected_runtime": "10 min"}, slots=4)
    world = SimulatedCampaign(tmp_path, plan, calm)
    world.run()
    times = attempt_times(world.book, world.row.campaign_id)
    world.close()
    first, end = int(times.process_start_us.min()), int(times.process_stop_us.max())
    last_start = int(times.process_start_us.max())
    moments = np.linspace(first, end, 200).astype(np.int64)
    left = [time_left([replayed(times, 4, int(now))]).seconds for now in moments]
    late = [one for one, now in zip(left, moments, strict=True) if now >= last_start and one is not None]
    assert all(later <= before + 1e-6 for before, later in itertools.pairwise(late))
    errors = [
        abs((now - first) / 1e6 + one - (end - first) / 1e6) / ((end - first) / 1e6)
        for one, now in zip(left, moments, strict=True)
        if one is not None and now > (first + end) / 2
    ]
    assert errors
    assert max(errors) < 0.15
    assert left[0] is None  # nothing has ended yet
