"""Verdicts with a check of the rows that they rest on, and compared with those that were stated before."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from db.documents import document_key, read_documents
from db.errors import LedgerError
from db.event_chain import READ_AT_FIRST, READ_BY_RULES
from db.events import EventKind
from db.evidence.content_hash import content_of
from db.ledger import Ledger
from db.reader import Reader
from db.records import Campaign
from db.verification import Finding, quick_check
from orchestrator.analysis.fom import campaigns_named, judge
from orchestrator.driver.code import driver_code
from orchestrator.lifecycle.driver_identity import may_be_alive
from orchestrator.rulebooks.model import RESULTS, Rule, Verdict
from orchestrator.rulebooks.registry import version_of

RULE = "ledger"
_COMPARED = {"essence", "version", "rulebook_version", "code", "content_sha256"}


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
    with Reader(ledger) as reader:
        rows = campaigns_named(reader, [name] if isinstance(name, str) else name)
        return checked(reader, rows, judge(reader, rows).verdict)


def checked(reader: Reader, rows: Sequence[Campaign], verdict: Verdict) -> Verdict:
    """Return a verdict with the rule ``ledger``, which fails where rows break the ledger's promises."""
    findings = quick_check(reader, [row.name for row in rows])

    def of_its_campaign(benchmark: str) -> Rule:
        campaign = benchmark.partition("/")[0] if len(rows) > 1 else rows[0].name
        return _rule([one for one in findings if one.campaign in ("", campaign)])

    benchmarks = tuple(
        replace(one, rules=(*one.rules, of_its_campaign(one.benchmark))) for one in verdict.benchmarks
    )
    if not findings:
        return replace(verdict, benchmarks=benchmarks)
    rule = _rule(findings)
    return replace(
        verdict,
        benchmarks=benchmarks,
        groups=tuple(replace(one, reasons=(*one.reasons, rule.reason)) for one in verdict.groups),
        reasons=(*verdict.reasons, rule.reason),
    )


def _rule(findings: Sequence[Finding]) -> Rule:
    if not findings:
        return Rule(RULE, True, "rows keep the ledger's promises, as far as the quick check reads them")
    first = findings[0]
    text = f"{first.campaign or 'ledger'}: {first.message}"
    more = f" and {len(findings) - 1:,} more findings" if len(findings) > 1 else ""
    return Rule(RULE, False, f"{text}{more}; `orchestrator ledger verify` lists all")


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
        Whether the campaigns' rows are the same; None if an earlier version hashed them otherwise.
    events_since
        How many events were recorded of the campaigns since; with none, rows that are not the same were
        edited. None if that was not counted.
    differences
        What differs, a sentence each.
    """

    at_us: int
    version: str
    rulebook_version: str
    code: str
    same_data: bool | None
    events_since: int | None
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """What became of a verdict: the one before it, if it differs, and why it was not stored, if so."""

    former: FormerVerdict | None = None
    not_stored: str = ""


def state(ledger: str | None, reader: Reader, rows: Sequence[Campaign], verdict: Verdict) -> Statement:
    """Compare a verdict with the last that was stored of the same campaigns, and store it if it differs.

    A verdict on a campaign that still runs is neither compared nor stored. A ledger that cannot be
    written is compared all the same.
    """
    if any(row.outcome is None or may_be_alive(row) for row in rows):
        return Statement()
    uids = sorted(row.uid for row in rows)
    essence = _essence(verdict)
    event, last = _last(reader, rows[0].campaign_id, uids)
    if last and last["essence"] == essence:
        return Statement()
    content = {row.uid: content_of(reader, row.campaign_id) for row in rows}
    number = sum(one.events for one in content.values())
    code = driver_code()
    document = {
        "verdict": verdict.to_dict(),
        "essence": essence,
        "campaigns": uids,
        "rulebook": verdict.rulebook,
        "rulebook_version": version_of(verdict.rulebook),
        "version": code.version,
        "code": code.packages["orchestrator"],
        "content_sha256": {uid: one.sha256 for uid, one in content.items()},
        "content_events": number,
        "content_kinds": [str(kind) for kind in READ_BY_RULES],
    }
    former = None
    if last:
        counted = last.get("content_events")
        kinds = last.get("content_kinds", READ_AT_FIRST)
        present = document["content_sha256"]
        if kinds != document["content_kinds"]:
            present = {row.uid: content_of(reader, row.campaign_id, kinds).sha256 for row in rows}
        former = FormerVerdict(
            event.at_us,
            last["version"],
            last["rulebook_version"],
            last["code"],
            None if counted is None else last["content_sha256"] == present,
            None if counted is None else number - counted,
            tuple(_differences(last["essence"], essence)),
        )
    try:
        _store(ledger, rows, document)
    except LedgerError as error:
        return Statement(former, str(error))
    return Statement(former)


def _last(reader: Reader, campaign: int, uids: Sequence[str]) -> tuple[Any, Mapping[str, Any]]:
    """Return event and document of the last verdict on exactly these campaigns; empty without one."""
    noted = [
        event
        for event in reader.events(campaign, kinds=[EventKind.VERDICT_STATED])
        if event.data and event.data.get("campaigns") == uids
    ]
    if not noted:
        return None, {}
    key = str((noted[-1].data or {}).get("document"))
    found = read_documents(reader, [key]).get(key, {})
    return noted[-1], found if found.keys() >= _COMPARED else {}


def _store(ledger: str | None, rows: Sequence[Campaign], document: Mapping[str, Any]) -> None:
    key = document_key(document)
    essence = document["essence"]
    figure = "" if essence["figure"] is None else f", figure {essence['figure']:.7g}"
    message = (
        f"verdict of version {document['version']}, rulebook {document['rulebook']} "
        f"{document['rulebook_version']}: {_shown(essence['reportable'])} reportable{figure}"
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
    return {True: "is", False: "is not", None: "nothing is"}[reportable]


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
        for rule in {**rules, **todays}:
            was = RESULTS[rules[rule]] if rule in rules else "not there"
            now = RESULTS[todays[rule]] if rule in todays else "not there"
            if was != now:
                yield f"{name}: rule {rule} was {was}, is {now}"


def _changed(prefix: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    for name in ("figure", "reportable"):
        if before[name] != after[name]:
            yield f"{prefix}{name} was {_cell(before[name])}, is {_cell(after[name])}"


def _cell(value: Any) -> str:
    if value is None:
        return "absent"
    return ("no", "yes")[value] if isinstance(value, bool) else f"{value:.10g}"
