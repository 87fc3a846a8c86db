"""A campaign's report, as it is served: with a policy that knows its own style and script, and no other."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, NamedTuple

from orchestrator.report.writing import report
from orchestrator.serve.pages.live_drawings import DRAWING

if TYPE_CHECKING:
    from orchestrator.serve.ledger_source import LedgerSource

_KEPT_SECONDS, _SHARE = 60.0, 0.2


class ReportPage(NamedTuple):
    """A report and its Content-Security-Policy."""

    html: str
    policy: str


def read_report(source: LedgerSource, name: str) -> ReportPage:
    """Return the report of a campaign, as the ledger is now.

    Raises
    ------
    UnknownCampaignError
        If there is none of that name.
    CampaignError
        If the campaign cannot be judged.
    LedgerError
        If the ledger cannot be read now.
    """
    with DRAWING, source.reader() as reader:
        page = report(reader, reader.campaign(name)).html()
    return ReportPage(page, policy_of(page))


def report_seconds(_: ReportPage, took: float) -> float:
    """Return after how many seconds a report is made anew."""
    return max(_KEPT_SECONDS, took / _SHARE)


def policy_of(page: str) -> str:
    """Return the policy of a report: its first style and its last script are those of the template."""
    style = page.partition("<style>")[2].partition("</style>")[0]
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    return (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
