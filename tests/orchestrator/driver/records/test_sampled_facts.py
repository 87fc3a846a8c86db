"""What the ledger keeps of a sampling."""

from __future__ import annotations

from orchestrator.driver.records.attempt_records import sampled_metrics, to_ledger
from orchestrator.protocol.report import Metric, TrainingResult
from orchestrator.protocol.sampling import Samples, Sampling
from tests.messages import report

FOUND = Sampling(
    interval="run",
    metrics={"energy_joules": 600.0, "power_mean_watts": 60.0, "new_metric": 1.0},
    sources={"gpu": "nvml"},
    absent={"cpu": "permission denied: energy_uj"},
    samples=(Samples("gpu_power", "n1", "GPU-a", "W", "nvml", 5, "[[0,1]]"),),
)
COUNTED = TrainingResult(metrics=(Metric("epochs_run", 4), Metric("samples_seen", 1200)))


def test_energy_is_divided_by_what_the_run_counts() -> None:
    found = {name: value for name, value, _ in sampled_metrics(FOUND, COUNTED)}
    assert (found["energy_per_epoch_joules"], found["energy_per_sample_joules"]) == (150.0, 0.5)
    assert {name: unit for name, _, unit in sampled_metrics(FOUND, None)} == {
        "energy_joules": "J",
        "power_mean_watts": "W",
        "new_metric": "",
    }


def test_counts_that_are_none_divide_nothing() -> None:
    for count in (0, -1, True and "7", None, float("nan"), 10**400):
        result = TrainingResult(metrics=(Metric("epochs_run", count),))
        assert not any("per_epoch" in name for name, *_ in sampled_metrics(FOUND, result))
    window = Sampling(interval="window", metrics=FOUND.metrics)
    assert not any("_per_" in name for name, *_ in sampled_metrics(window, COUNTED))


def test_energy_of_a_window_is_divided_by_the_runs_in_it() -> None:
    window = Sampling(interval="window", metrics={"energy_joules": 600.0})
    counted = TrainingResult(metrics=(Metric("runs_in_window", 200), Metric("epochs_run", 4)))
    assert sampled_metrics(window, counted) == [
        ("energy_joules", 600.0, "J"), ("energy_per_run_joules", 3.0, "J"),
    ]  # fmt: skip


def test_a_report_has_metrics_samples_and_where_they_come_from() -> None:
    written = to_ledger(report(result={"fom_seconds": 1.0, "seen": {"host": "n"}}, sampling=FOUND), 1, None)
    assert ("energy_joules", 600.0, "J") in written.metrics
    assert [one.points for one in written.samples] == ["[[0,1]]"]
    assert written.values["observed"]["sampling"] == {
        "interval": "run",
        "sources": {"gpu": "nvml"},
        "absent": {"cpu": "permission denied: energy_uj"},
    }
    assert written.environment is not None
    assert "sampling" not in written.environment


def test_a_program_states_no_energy_where_it_was_read() -> None:
    """A stated power would otherwise stand beside the sources that confirm the measured one."""
    stated = ("energy_joules", "energy_per_sample_joules", "power_mean_watts", "power_peak_watts")
    own = TrainingResult(metrics=tuple(Metric(name, 5.0) for name in (*stated, "new_metric")))
    read = {name: value for name, value, _ in to_ledger(report(result=own, sampling=FOUND), 1, None).metrics}
    assert read == {"energy_joules": 600.0, "power_mean_watts": 60.0, "new_metric": 5.0}
    nothing_read = report(result=own, sampling=Sampling(absent={"gpu": "no driver"}))
    assert {name for name, *_ in to_ledger(nothing_read, 1, None).metrics} >= set(stated)


def test_a_killed_attempt_keeps_its_partial_energy_and_observes_nothing() -> None:
    killed = report(state="failed", sampling=Sampling(metrics={"attempt_energy_joules": 7.0}))
    written = to_ledger(killed, 1, None)
    assert written.metrics == (("attempt_energy_joules", 7.0, "J"),)
    assert "observed" not in written.values
    assert to_ledger(report(), 1, None).samples == ()
