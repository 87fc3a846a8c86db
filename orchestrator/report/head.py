"""The head of a report: the verdict in words, and the facts that a reader asks for first."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from db.times import utc_seconds
from orchestrator.wording import count_of
from sites.cost import amount, weight

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from db.rows import Session
    from orchestrator.analysis.sequential.questions import Answer
    from orchestrator.report.contents import Contents
    from orchestrator.rulebooks.model import Verdict


def headline(found: Contents) -> tuple[str, str]:
    """Return the verdict in a line, and its kind: ``good``, ``bad`` or ``plain``."""
    verdict = found.dossier.verdict
    broken = _broken_rules(verdict)
    if answers := found.dossier.answers.get(found.campaign.name):
        return _answer(answers, broken)
    if searches := found.dossier.searches.get(found.campaign.name):
        best = "; ".join(one.headline for one in searches)
        return (f"{best}; {count_of(broken, 'rule', 'are')} broken", "bad") if broken else (best, "good")
    return verdict_line(verdict)


def verdict_line(verdict: Verdict) -> tuple[str, str]:
    """Return a verdict by itself in a line, and its kind: ``good``, ``bad`` or ``plain``."""
    by = f"by rulebook {verdict.rulebook}"
    if verdict.reportable is None:
        reported = [one for one in verdict.benchmarks if one.headline is not None]
        good = sum(bool(one.reportable) for one in reported)
        of = f"{good:,} of {count_of(len(reported), 'benchmark')} reportable"
        figure = of if reported else "no figure of merit"
        return f"{figure} {by}; {count_of(_broken_rules(verdict), 'rule')} broken", "plain"
    value = verdict.headline.value if verdict.headline else None
    overall = "overall figure of merit" if verdict.groups else "figure of merit"
    figure = f"no {overall}" if value is None else f"{overall} {value:.4g}"
    return (f"{figure}, reportable {by}", "good") if verdict.reportable else (
        f"{figure}, not reportable {by}", "bad"
    )  # fmt: skip


def _broken_rules(verdict: Verdict) -> int:
    return sum(rule.passed is False for one in verdict.benchmarks for rule in one.rules)


def _answer(answers: Sequence[Answer], broken: int) -> tuple[str, str]:
    """Return the answer to the questions that may end a campaign, and how many rules are broken."""
    certain = sum(one.certain for one in answers)
    answered = f"{certain:,} of {count_of(len(answers), 'question', 'have')} an answer"
    if len(answers) == 1 and len(answers[0].sentences) == 1:
        answered = answers[0].sentences[0]
    if broken:
        return f"{answered}; {count_of(broken, 'rule', 'are')} broken", "bad"
    return answered, "good" if certain == len(answers) else "plain"


def head_facts(found: Contents) -> dict[str, str]:
    """Return the facts of a report's head by their names, without those that the ledger has not."""
    row = found.campaign
    last = found.sessions[-1] if found.sessions else None
    facts = {
        "share of the reference": _share(found),
        "instances at once": _at_once(found),
        "node-hours": _node_hours(found),
        "energy": _energy(found),
        **_cost(found),
        "machine": _machine(found),
        "date": _date(_sessions_that_ran(found)),
        "forecast": found.forecast.words() if found.forecast else "",
        "forecast now": _updated(found),
        "state": "never run" if last is None else (last.outcome or "running").replace("_", " "),
        **found.labels.words(),
        "rulebook": f"{row.rulebook}, class {row.run_class}",
        "report": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, version {found.version}",
    }
    return {name: text for name, text in facts.items() if text}


def _updated(found: Contents) -> str:
    if found.updated is None:
        return ""
    return f"{found.updated.words()}, made {utc_seconds(found.updated.made_us)}"


def _share(found: Contents) -> str:
    """Return the figure as a share of the reference system's, or the shares of the benchmarks without one."""
    verdict = found.dossier.verdict
    if not found.reference:
        return ""
    if verdict.headline is not None and verdict.headline.value is not None:
        return f"{_percent(verdict.headline.value)} of {found.reference}"
    shares = sorted(
        (one.headline.value, one.benchmark)
        for one in verdict.benchmarks
        if one.headline is not None and one.headline.value is not None
    )
    if not shares:
        return ""
    ends = dict.fromkeys((shares[0], shares[-1]))
    return " to ".join(f"{_percent(value)} ({name})" for value, name in ends) + f" of {found.reference}"


def _percent(share: float) -> str:
    return f"{100 * share:,.4g} %" if share < 100 else f"{100 * share:,.0f} %"


def _at_once(found: Contents) -> str:
    """Return the most instances at once that count, with their benchmark where there are several."""
    numbers = {name: one.at_once for name, one in found.dossier.reviews.items() if one.at_once}
    if not numbers:
        return ""
    most = max(numbers.values())
    names = [name for name, number in numbers.items() if number == most]
    if len(numbers) == 1 or len(names) == len(numbers):
        return f"{most:,}"
    return f"{most:,} ({names[0]})" if len(names) == 1 else f"{most:,} ({len(names)} benchmarks)"


def _node_hours(found: Contents) -> str:
    hours = next((o.node_hours for o in found.dossier.reviews.values() if o.node_hours is not None), None)
    return "" if hours is None else f"{hours:.4g}"


def _cost(found: Contents) -> dict[str, str]:
    """Return money and CO2 of the held node-hours, where they are known."""
    bill = found.bill
    if bill is None:
        return {}
    money = "" if bill.money is None else f"{amount(bill.money)} {bill.currency}"
    return {"money": money, "CO2": "" if bill.grams is None else weight(bill.grams)}


def _energy(found: Contents) -> str:
    """Return the energy of whole blocks by the batch system, and that of the accepted runs as measured."""
    blocks, runs = found.block_energy.to_dict(), found.run_energy
    parts = []
    if blocks["joules"] is not None:
        parts.append(f"{_joules(blocks['joules'])} of {count_of(blocks['stated'], 'block')}")
    if runs.measured:
        accepted = count_of(runs.accepted, "accepted run")
        parts.append(f"{_joules(runs.joules)} in {runs.measured:,} of {accepted}")
    return "; ".join(parts)


def _joules(joules: float) -> str:
    for size, unit in ((1e9, "GJ"), (1e6, "MJ"), (1e3, "kJ")):
        if joules >= size:
            return f"{joules / size:.4g} {unit}"
    return f"{joules:.4g} J"


def _machine(found: Contents) -> str:
    """Return the site, the nodes that were used, and the hardware of most of them."""
    [nodes] = found.dossier.nodes
    parts = [found.campaign.site_name]
    if nodes.used and nodes.declared is not None:
        parts.append(f"{nodes.used:,} of {count_of(nodes.declared, 'node')}")
    elif nodes.used:
        parts.append(count_of(nodes.used, "node"))
    if found.described:
        parts += _hardware(found.described[0].facts)
    return ", ".join(parts)


def _hardware(facts: Mapping[str, str]) -> list[str]:
    """Return GPUs, CPU and memory of a node by its own description."""
    gpus = facts["gpu.models"].split(", ") if "gpu.models" in facts else []
    memory = facts.get("memory.gibibytes")
    return [
        *(f"{gpus.count(model)} × {model}" for model in dict.fromkeys(gpus)),
        *[facts["cpu.model"]] * ("cpu.model" in facts),
        *[f"{memory} GiB"] * (memory is not None),
    ]


def _sessions_that_ran(found: Contents) -> list[Session]:
    """Return the sessions with an attempt, and the present one; a resume of what is complete has none."""
    ran = set(found.times.session.tolist())
    return [one for one in found.sessions if one.ended_us is None or one.session_number in ran]


def _date(sessions: Sequence[Session]) -> str:
    """Return when the first session began and the last one ended, to the minute."""
    if not sessions:
        return ""
    begin, end = utc_seconds(sessions[0].started_us), utc_seconds(sessions[-1].ended_us)
    if begin is None:
        return ""
    first = str(begin)[:16]
    if end is None:
        return f"{first} UTC, not ended"
    last = str(end)[:16]
    return f"{first} to {last.removeprefix(first[:11])} UTC"
