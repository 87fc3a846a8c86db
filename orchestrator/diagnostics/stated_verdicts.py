"""Verdicts with a check of the rows that they rest on, and compared with those that were stated before."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from db.documents import document_key, read_documents
from db.errors import LedgerError
from db.event_chain import READ_BY_RULES
from db.events import Event, EventKind
from db.evidence.content_hash import content_of
from db.plain import RowReader
from db.records import CampaignRow
from db.verification import FINISHED, Finding, quick_check
from orchestrator.analysis.verdict.fom import campaigns_named, judge
from orchestrator.diagnostics.ledger_verification import chain_of, changed_rows, unproven_rows
from orchestrator.driver.code import driver_code
from orchestrator.lifecycle.driver_process.identity import may_be_alive
from orchestrator.rulebooks.model import RESULTS, CheckResult, RuleResult, Verdict, rule
from orchestrator.rulebooks.registry import version_of
from orchestrator.wording import count_of

_ALL_COMPARED = 100_000
"""Attempts of a campaign up to which all of its rows are hashed with each verdict: a second."""
_PARTS_COMPARED = 10  # of 10,000 instances each, of larger ones
_COMPARED = {
    "essence", "version", "rulebook_version", "code", "content_sha256", "content_events", "content_kinds"
}  # fmt: skip


def fom(name: str | Sequence[str], ledger: str | None = None) -> Verdict:
    """Return the figure of merit of a campaign, with every rule that it keeps or breaks.

    Nothing is written. The rows that the verdict rests on are checked; rule ``ledger`` states the result.

    Parameters
    ----------
    name
        Campaign, or several that make one suite: each benchmark in a campaign of its own, for example.
    ledger
        Ledger URL; by default the environment's, else the default file.

    Raises
    ------
    LedgerError
        If the ledger or a campaign is not there.
    CampaignError
        If the campaigns follow different rulebooks, or none is named.
    """
    from db.reader import Reader  # here and below: packages are verified without a database

    with Reader(ledger) as reader:
        rows = campaigns_named(reader, [name] if isinstance(name, str) else name)
        return check_verdict(reader, rows, judge(reader, rows).verdict).verdict


def check_verdict(reader: RowReader, rows: Sequence[CampaignRow], verdict: Verdict) -> Checked:
    """Check the rows that a verdict rests on, and compare it with the last that was stored of them.

    A verdict on a campaign that still runs is not compared.
    """
    findings = quick_check(reader, [row.name for row in rows])
    words = {}
    for row in rows:
        broken, words[row.name] = _compared_rows(reader, row)
        findings += [Finding(row.name, one) for one in broken]
    found = _with_rule(rows, verdict, findings, words)
    if any(row.outcome is None or may_be_alive(row) for row in rows):
        return Checked(found)
    event, last = _last(reader, rows[0].campaign_id, sorted(row.uid for row in rows))
    if last and last["essence"] == _essence(found):
        return Checked(found)
    document = _document(reader, rows, found)
    if not last:
        return Checked(found, new=document)
    former = _former(reader, rows, event, last, document)
    if not former.edited:
        return Checked(found, former, document)
    message = "nothing was recorded since its stored verdict, and its rows were edited"
    edited = [Finding(row.name, message) for row in rows if row.uid in former.edited]
    found = _with_rule(rows, verdict, [*findings, *edited], words)
    return Checked(found, replace(former, differences=tuple(_differences(last["essence"], _essence(found)))))


def _compared_rows(reader: RowReader, row: CampaignRow) -> tuple[list[str], str]:
    """Return how the rows of an ended campaign differ from the hash of its end, and which were drawn."""
    sessions = reader.sessions_of(row.campaign_id)
    if row.outcome is None or not sessions or sessions[-1].ended_us is None:
        return [], ""
    chain = chain_of(reader, row)
    if unproven := list(unproven_rows(reader, row, chain)):
        return unproven if row.outcome in FINISHED else [], ""
    number = sum(reader.attempt_counts(row.campaign_id).values())
    if number <= _ALL_COMPARED or not chain.row_parts:
        return list(changed_rows(reader, row, chain)), ""
    inner = range(1, len(chain.row_parts))
    drawn = random.sample(inner, min(len(inner), _PARTS_COMPARED))
    words = (
        f"of {number:,} attempts, rows of {len(drawn)} of {len(inner)} parts, drawn at random, were compared "
        "with the hash that the end of the last session keeps"
    )
    return list(changed_rows(reader, row, chain, [0, *sorted(drawn)])), words


def _with_rule(
    rows: Sequence[CampaignRow], verdict: Verdict, findings: Sequence[Finding], words: Mapping[str, str]
) -> Verdict:
    """Return a verdict with the rule ``ledger``."""

    def of_its_campaign(benchmark: str) -> RuleResult:
        campaign = benchmark.partition("/")[0] if len(rows) > 1 else rows[0].name
        return intact([one for one in findings if one.campaign in ("", campaign)], words.get(campaign, ""))

    benchmarks = tuple(
        replace(one, rules=(*one.rules, of_its_campaign(one.benchmark))) for one in verdict.benchmarks
    )
    if not findings:
        return replace(verdict, benchmarks=benchmarks)
    result = intact(findings)
    return replace(
        verdict,
        benchmarks=benchmarks,
        groups=tuple(replace(one, reasons=(*one.reasons, result.reason)) for one in verdict.groups),
        reasons=(*verdict.reasons, result.reason),
    )


@rule("ledger", "Rows keep the promises of the ledger, and were not edited after their session had ended.")
def intact(findings: Sequence[Finding], compared: str = "") -> CheckResult:
    """Check that nothing was found against the rows of a campaign."""
    if not findings:
        text = "rows keep the ledger's promises, as far as the quick check reads them"
        return CheckResult(True, f"{text}; {compared}" if compared else text)
    first = findings[0]
    text = f"{first.campaign or 'ledger'}: {first.message}"
    more = f" and {count_of(len(findings) - 1, 'more finding')}" if len(findings) > 1 else ""
    return CheckResult(False, f"{text}{more}; `orchestrator ledger verify` lists all")


@dataclass(frozen=True, slots=True)
class FormerVerdict:
    """A verdict that was stated before and differs from the present one.

    Parameters
    ----------
    at_us
        When it was stated, UTC microseconds.
    version, rulebook_version, code
        Version of the program and of the rulebook's package, and key of the program's files.
    same_data
        Whether the campaigns' rows are the same.
    events_since
        How many events were recorded of the campaigns since; with none, rows that are not the same were
        edited.
    edited
        Identities of the campaigns whose rows were edited, or whose events were deleted.
    differences
        What differs, a sentence each.
    """

    at_us: int
    version: str
    rulebook_version: str
    code: str
    same_data: bool
    events_since: int
    edited: tuple[str, ...]
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """A verdict with the rule ``ledger``.

    Parameters
    ----------
    former
        The verdict that was stored before, if this one differs.
    new
        The document that keeps this one; None where it is stored already, may change, or is of edited rows.
    """

    verdict: Verdict
    former: FormerVerdict | None = None
    new: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A verdict's former one, if they differ, and why the verdict was not stored, if so."""

    former: FormerVerdict | None = None
    not_stored: str = ""


def state(ledger: str | None, rows: Sequence[CampaignRow], checked: Checked) -> Statement:
    """Store a verdict if it differs from the last that was stored of the same campaigns.

    A verdict on edited rows is not stored, so that it never becomes the former one of a later verdict.
    """
    if checked.former and checked.former.edited:
        return Statement(checked.former, "rows were edited since the former one")
    if checked.new is None:
        return Statement(checked.former)
    try:
        _store(ledger, rows, checked.new)
    except LedgerError as error:
        return Statement(checked.former, str(error))
    return Statement(checked.former)


def _document(reader: RowReader, rows: Sequence[CampaignRow], verdict: Verdict) -> dict[str, Any]:
    content = {row.uid: content_of(reader, row.campaign_id) for row in rows}
    code = driver_code()
    return {
        "verdict": verdict.to_dict(),
        "essence": _essence(verdict),
        "campaigns": sorted(row.uid for row in rows),
        "rulebook": verdict.rulebook,
        "rulebook_version": version_of(verdict.rulebook),
        "version": code.version,
        "code": code.packages["orchestrator"],
        "content_sha256": {uid: one.sha256 for uid, one in content.items()},
        "content_events": sum(one.events for one in content.values()),
        "content_kinds": [str(kind) for kind in READ_BY_RULES],
    }


def _former(
    reader: RowReader,
    rows: Sequence[CampaignRow],
    event: Event,
    last: Mapping[str, Any],
    new: Mapping[str, Any],
) -> FormerVerdict:
    """Return the verdict that was stored before, held against the present one."""
    kinds = last["content_kinds"]
    present = new["content_sha256"]
    if kinds != new["content_kinds"]:
        present = {row.uid: content_of(reader, row.campaign_id, kinds).sha256 for row in rows}
    since = new["content_events"] - last["content_events"]
    different = [uid for uid, digest in present.items() if last["content_sha256"].get(uid) != digest]
    return FormerVerdict(
        event.at_us,
        last["version"],
        last["rulebook_version"],
        last["code"],
        not different,
        since,
        tuple(different) if since <= 0 else (),
        tuple(_differences(last["essence"], new["essence"])),
    )


def _last(reader: RowReader, campaign_id: int, uids: Sequence[str]) -> tuple[Any, Mapping[str, Any]]:
    """Return event and document of the last verdict on exactly these campaigns; empty without one."""
    noted = [
        event
        for event in reader.events(campaign_id, kinds=[EventKind.VERDICT_STATED])
        if event.data and event.data.get("campaigns") == uids
    ]
    if not noted:
        return None, {}
    key = str((noted[-1].data or {}).get("document"))
    found = read_documents(reader, [key]).get(key, {})
    return noted[-1], found if found.keys() >= _COMPARED else {}


def _store(ledger: str | None, rows: Sequence[CampaignRow], document: Mapping[str, Any]) -> None:
    from db.ledger import Ledger

    key = document_key(document)
    essence = document["essence"]
    figure = "" if essence["figure"] is None else f", figure {essence['figure']:.7g}"
    message = (
        f"verdict of version {document['version']} by rulebook {document['rulebook']} "
        f"{document['rulebook_version']}: {_shown(essence['reportable'])}{figure}"
    )
    data = {
        "document": key,
        "campaigns": document["campaigns"],
        **{name: document[name] for name in ("rulebook", "rulebook_version", "version", "content_sha256")},
    }
    subject = ", ".join(row.name for row in rows) if len(rows) > 1 else ""
    with Ledger(ledger) as book:
        for row in sorted(rows, key=lambda one: one.campaign_id):
            book.store_documents(row.campaign_id, [document])
            book.note(row.campaign_id, EventKind.VERDICT_STATED, message, subject=subject, data=data)


def _shown(reportable: bool | None) -> str:
    return {True: "reportable", False: "not reportable", None: "no figure of merit"}[reportable]


def _essence(verdict: Verdict) -> dict[str, Any]:
    """Return figures and results of a verdict without the words of its reasons, as JSON keeps them."""
    found = {
        "figure": verdict.headline.value if verdict.headline else None,
        "reportable": verdict.reportable,
        "benchmarks": {
            one.benchmark: {
                "figure": one.headline.value if one.headline else None,
                "reportable": one.reportable,
                "rules": {rule.name: rule.passed for rule in one.rules},
            }
            for one in verdict.benchmarks
        },
    }
    essence: dict[str, Any] = json.loads(json.dumps(found))
    return essence


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield what differs between two essences."""
    yield from _changed("", before, after)
    former, present = before["benchmarks"], after["benchmarks"]
    for name in {**former, **present}:
        if name not in former or name not in present:
            yield f"{name}: {'not judged' if name not in present else 'judged'} now"
            continue
        yield from _changed(f"{name}: ", former[name], present[name])
        rules, todays = former[name]["rules"], present[name]["rules"]
        for named in {**rules, **todays}:
            was = RESULTS[rules[named]] if named in rules else "not there"
            now = RESULTS[todays[named]] if named in todays else "not there"
            if was != now:
                yield f"{name}: rule {named} was {was}, is {now}"


def _changed(prefix: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in ("figure", "reportable"):
        if before[name] != after[name]:
            yield f"{prefix}{name} was {_cell(before[name])}, is {_cell(after[name])}"


def _cell(value: Any) -> str:
    if value is None:
        return "absent"
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value:.10g}"
