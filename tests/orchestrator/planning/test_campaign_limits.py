"""Values that no campaign can mean are refused in one line, and accepted of a campaign that was launched."""

from __future__ import annotations

from pathlib import Path

import pytest

import orchestrator
from orchestrator.errors import CampaignError
from orchestrator.planning.campaign_limits import LARGEST_NUMBER, check_limits
from orchestrator.planning.campaign_reading import parse_campaign

ONE = """campaign: toy
grace_period: 2
benchmarks:
  - workload: {workload}
    name: "{name}"
    instances: 2
    timeout: {timeout}
    parameters: {parameters}
    data: {data}
"""
P1B1 = {"workload": "p1b1", "name": "toy"}


def text(**changes: str) -> str:
    given = {"workload": "lstm", "name": "toy", "timeout": "60", "parameters": "{}", "data": "{}"}
    return ONE.format(**given | changes)


def check(content: str) -> None:
    check_limits(parse_campaign(content, "toy.yaml"), content, "toy.yaml")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            text(name="a\\nb"),
            r"toy.yaml: line 5: benchmarks.0.name: must hold no control characters, not 'a\nb'",
        ),
        (
            text(name="\\e[31m"),
            r"toy.yaml: line 5: benchmarks.0.name: must hold no control characters, not '\x1b[31m'",
        ),
        *(
            (
                text(name=name),
                "toy.yaml: line 5: benchmarks.0.name: must not be . or .. and not begin with -, which "
                f"commands take for an option, not '{name}'",
            )
            for name in ("-x", ".", "..")
        ),
        (
            text(name="n" * 201),
            "toy.yaml: line 5: benchmarks.0.name: must have at most 200 bytes, not 201",
        ),
        (
            text(timeout="0.0000001"),
            "toy.yaml: line 7: benchmarks.0.timeout: must be from 0.1 s to 366 d, not 1e-07 s",
        ),
        (
            text(timeout="99999999999 h"),
            "toy.yaml: line 7: benchmarks.0.timeout: must be from 0.1 s to 366 d, not 3.6e+14 s",
        ),
        (
            text().replace("grace_period: 2", "grace_period: 1e-9"),
            "toy.yaml: line 2: grace_period: must be from 0.1 s to 366 d, not 1e-09 s",
        ),
        (
            text(parameters=f"{{steps: {10**26}}}"),
            "toy.yaml: line 8: benchmarks.0.parameters.steps: a whole number must be from -10^15 to "
            f"10^15, not {10**26}",
        ),
        (
            text(data=f"{{generate: {{train_rows: {10**26}}}}}", **P1B1),
            "toy.yaml: line 9: benchmarks.0.data.generate.train_rows: a whole number must be from -10^15 to "
            f"10^15, not {10**26}",
        ),
        *(
            (
                text(data=f"{{directory: {directory}}}", **P1B1),
                "toy.yaml: line 9: benchmarks.0.data.directory: must stay below the site's data path, and "
                f"{directory} leaves it: write a directory below it, and give another data path by --data",
            )
            for directory in ("../../etc", "/etc", "a/../../b")
        ),
        (
            text(data='{directory: "a\\tb"}', **P1B1),
            r"toy.yaml: line 9: benchmarks.0.data.directory: must hold no control characters, not 'a\tb'",
        ),
    ],
)
def test_what_no_campaign_can_mean(content: str, said: str) -> None:
    with pytest.raises(CampaignError) as caught:
        check(content)
    assert str(caught.value) == said


def test_what_is_at_a_limit_is_right() -> None:
    check(text(timeout="0.1", parameters=f"{{steps: {LARGEST_NUMBER}}}", name="n" * 200))
    check(text(timeout="366 d", data="{directory: sub/folder..2}", **P1B1))


def test_a_value_that_was_merged_has_the_line_of_what_it_was_merged_into() -> None:
    content = "campaign: toy\nbenchmarks:\n  - {workload: lstm, instances: 1, <<: {timeout: 1e-9}}\n"
    with pytest.raises(CampaignError, match=r"^toy.yaml: line 3: benchmarks.0.timeout: must be from"):
        check(content)


def test_the_first_problems_have_a_line_each() -> None:
    benchmarks = "".join(
        f"  - {{workload: lstm, name: b{k}, instances: 1, timeout: 1e-9}}\n" for k in range(9)
    )
    with pytest.raises(CampaignError) as caught:
        check(f"campaign: toy\nbenchmarks:\n{benchmarks}")
    lines = str(caught.value).splitlines()
    assert len(lines) == 4
    assert lines[3] == "toy.yaml: and 6 more"


def test_launch_and_plan_refuse_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.yaml").write_text(text(timeout="0.0000001"))
    for command in (orchestrator.plan, orchestrator.launch):
        with pytest.raises(CampaignError, match=r"^toy.yaml: line 7: benchmarks.0.timeout: must be from"):
            command("toy.yaml")
    assert [file.name for file in tmp_path.iterdir()] == ["toy.yaml"]
