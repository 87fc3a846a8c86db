"""The page shows texts of others as texts, and follows from its rows alone."""

from __future__ import annotations

import json
from dataclasses import replace

from orchestrator.listing.log import Action, Entry
from orchestrator.listing.page import made_files
from orchestrator.listing.rows import ListedFigure
from tests.orchestrator.listing.made_lists import AT, log_of, row

HTML = "<script>alert(1)</script>"


def test_html_in_names_is_text() -> None:
    hostile = row(
        1,
        campaigns=(HTML, '"><img src=x onerror=alert(1)>'),
        machine=HTML,
        verdict=HTML,
        declared=(HTML,),
        modifications=(HTML,),
        run_class=HTML,
        rulebook=HTML,
        workloads=(HTML,),
        data={HTML: "x"},
        signature=HTML,
        figures=(ListedFigure(HTML, HTML, 1.0, HTML),),
    )
    log = log_of(hostile.root).continued([Entry(AT, Action.WITHDRAWN, hostile.root, because=HTML)])
    page = made_files([hostile, replace(hostile, root="2" * 64)], log, {"x.whl": "1"})["index.html"].decode()
    assert page.count("&lt;script&gt;") > 10
    assert page.count("<script") == 1  # its own
    assert "<img" not in page


def test_rows_that_no_longer_count_stay_and_say_why() -> None:
    rows = [row(1), row(2)]
    log = log_of(*(one.root for one in rows)).continued(
        [Entry(AT, Action.SUPERSEDED, rows[0].root, by=rows[1].root)]
    )
    page = made_files(rows, log, {})["index.html"].decode()
    assert 'class="struck"' in page
    assert f"superseded on 2026-11-28 by {rows[1].root[:12]}" in page
    assert f"packages/{rows[0].root}.zip" in page
    assert log.root in page
    assert "1 that count, 1 struck out" in page


def test_a_site_without_pyodide_says_how_to_add_it() -> None:
    without, with_it = (made_files([row(1)], log_of(row(1).root), one) for one in ({}, {"a.whl": "1"}))
    assert b"--pyodide" in without["index.html"]
    assert b'class="recompute"' not in without["index.html"]
    assert {"worker.js", "project.zip"} == with_it.keys() - without.keys()
    assert b'class="recompute"' in with_it["index.html"]


def test_the_same_rows_make_the_same_files() -> None:
    rows, log = [row(1), row(2, None)], log_of(row(1).root, row(2).root)
    assert made_files(rows, log, {}) == made_files(rows, log, {})
    stated = json.loads(made_files(rows, log, {})["list.json"])
    assert stated["rows"] == [one.to_dict() for one in rows]
    assert stated["log"] == {"lines": 2, "root": log.root}
