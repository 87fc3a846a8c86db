"""What the other packages ask of a family: the exclude line, and tuples of `protocol` that start light."""

from __future__ import annotations

import json

import pytest

from db.ledger import Ledger
from orchestrator.protocol.inherited_variables import INHERITED
from orchestrator.schedulers.families import enclosing_families, exclude_line, family_classes
from sites import Site
from sites.files import parse_mapping
from tests.db import rows

SITE = {"site": "ours", "node": {"cores": "0-3", "memory": "4 GiB"}, "interface": "lo"}


@pytest.mark.parametrize(
    ("scheduler", "line"),
    [
        ({"type": "slurm"}, 'extra_directives: ["--exclude=n1,n2"]'),
        ({"type": "lsf"}, """extra_directives: ['-R "select[hname!=''n1'' && hname!=''n2'']"']"""),
        ({"type": "flux"}, 'requires: "not hosts:n1,n2"'),
        ({"type": "flux", "requires": "fast"}, 'requires: "(fast) and not hosts:n1,n2"'),
        ({"type": "pbspro"}, None),
        ({"type": "torque"}, None),
    ],
)
def test_the_exclude_line_is_one_that_the_site_file_takes(
    sqlite_url: str, scheduler: dict[str, str], line: str | None
) -> None:
    batch = {**scheduler, "walltime": "1 h"}
    with Ledger(sqlite_url) as ledger:
        new = rows.campaign(site_yaml=json.dumps({**SITE, "scheduler": batch}))
        ledger.register(new, [rows.benchmark()], rows.planned(1))
        row = ledger.campaign("toy")
    assert exclude_line(row, ["n1", "n2"]) == line
    assert exclude_line(row, []) is None
    if line is not None:
        assert Site.model_validate({**SITE, "scheduler": {**batch, **parse_mapping(line, "line")}})


def test_the_tuples_of_protocol_have_the_variables_of_every_family() -> None:
    families = family_classes().values()
    assert {name for one in families for name in one.inherited_variables} <= set(INHERITED)


def test_those_that_run_inside_others_are_asked_last() -> None:
    nested = [one.nested for one in family_classes().values()]
    assert nested == sorted(nested)
    assert [one.allocation_variable for one in enclosing_families()] == [
        "SLURM_JOB_ID",
        "LSB_JOBID",
        "PBS_JOBID",
    ]
