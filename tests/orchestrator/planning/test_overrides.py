"""``--set``: one grammar for keys of the campaign, of a benchmark and of the site."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator import PlanOptions, plan
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_reading import load_campaign, parse_campaign
from orchestrator.planning.overrides import site_settings

TEXT = """# mine
campaign: toy
benchmarks:
  - {workload: lstm, instances: 2, timeout: 60}
  - {workload: lstm, name: lstm.long, instances: 2, timeout: 60, data: {}}
retries: &one {benchmark: 1}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "toy.yaml"
    path.write_text(TEXT)
    return path


def test_values_replace_those_of_the_file(file: Path) -> None:
    spec, text = load_campaign(
        file,
        [
            "lstm.steps=7",
            "lstm.long.parameters.steps=8",
            "campaign.retries.benchmark=0",
            "lstm.timeout=2 min",
        ],
    )
    assert [one.parameters for one in spec.benchmarks] == [{"steps": 7}, {"steps": 8}]
    assert spec.retries.benchmark == 0
    assert spec.benchmarks[0].timeout == 120
    assert parse_campaign(text, "again") == spec
    assert "#   # mine" in text
    assert '#   --set "lstm.timeout=2 min"' in text


def test_nothing_set_keeps_the_text(file: Path) -> None:
    assert load_campaign(file, ["site.slot.cores=2"])[1] == TEXT


def test_the_last_of_two_values_counts(file: Path) -> None:
    assert load_campaign(file, ["campaign.seed=1", "campaign.seed=2"])[0].seed == 2


def test_a_campaign_and_its_site_are_set_together(file: Path) -> None:
    made = plan(file, PlanOptions(site="local", overrides=("site.slot.memory=1 GiB", "lstm.instances=fill")))
    assert made.site.slot.memory == 1 << 30
    assert made.benchmarks[0].instances == made.stages[0].width


def test_limits_hold_for_what_is_set(file: Path) -> None:
    with pytest.raises(CampaignError, match=r"toy.yaml: benchmarks.0.timeout: must be from"):
        plan(file, PlanOptions(site="local", overrides=("lstm.timeout=1000 d",)))


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("lstm.stps=7", "benchmark lstm has no key or parameter stps; did you mean lstm.steps?"),
        ("lstm.paramters.steps=7", "has no key or parameter paramters; did you mean lstm.parameters?"),
        ("lstm.parameters.stps=7", "has no parameter 'stps'; did you mean steps?"),
        ("lsm.steps=7", "there is no benchmark lsm; did you mean lstm?"),
        ("zzz.steps=7", "there is no benchmark zzz; begin with campaign, site, lstm, lstm.long"),
        ("scheduler.account=x", "did you mean site.scheduler.account?"),
        ("start=synchronized", "write PATH=VALUE"),
        ("retries.benchmark=3", "did you mean campaign.retries.benchmark?"),
        ("campaign.sed=3", "--set campaign.sed=3: unknown key sed; did you mean seed?"),
        ("campaign.retries.bnchmark=3", "unknown key retries.bnchmark; did you mean benchmark?"),
        ("site.slt.cores=3", "--set site.slt.cores=3: unknown key slt; did you mean slot?"),
        ("site.slot.cores=0", "--set site.slot.cores=0: slot.cores: must be at least 1, not 0"),
        ("site=3", "write PATH=VALUE"),
        ("lstm.=3", "write PATH=VALUE"),
        ("lstm.steps", "write PATH=VALUE"),
        ("=3", "write PATH=VALUE"),
        ("", "write PATH=VALUE"),
        ("lstm.timeout=", "--set lstm.timeout=: benchmarks.0.timeout: "),
        ("lstm.steps=[1", "the value is no YAML: "),
        ("lstm.steps=1\n---\n2", "the value is no YAML: "),
        ("lstm.steps=\x07", "the value is no YAML: "),
        ("lstm.steps=\udcff", "the value is no YAML: "),
        ("lstm.steps=" + "9" * 70_000, "write it in a file"),
        ("campaign.seed.x=3", "--set campaign.seed.x=3: "),
        ("campaign.benchmarks.7.timeout=3", "benchmarks has entries 0 to 1"),
        ("campaign.include=x.yaml", "unknown key include"),
        ("campaign.benchmarks=3", "--set campaign.benchmarks=3: benchmarks: must be a list"),
    ],
)
def test_bad_values_are_one_line(file: Path, written: str, message: str) -> None:
    with pytest.raises(CampaignError) as error:
        plan(file, PlanOptions(site="local", overrides=(written,)))
    assert message in " ".join(str(error.value).split())
    assert len(str(error.value)) < 500


def test_values_of_a_site_are_found_by_their_head() -> None:
    assert [one.place for one in site_settings(["site.a.b=1", "campaign.seed=1"])] == [("a", "b")]


def test_a_campaign_includes_a_fragment(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("retries: {benchmark: 3}\nseed: 5\n")
    (tmp_path / "toy.yaml").write_text(
        "include: base.yaml\n" + TEXT.replace("retries: &one {benchmark: 1}", "")
    )
    spec, text = load_campaign(tmp_path / "toy.yaml")
    assert (spec.retries.benchmark, spec.seed) == (3, 5)
    assert parse_campaign(text, "again") == spec
