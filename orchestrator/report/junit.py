"""JUnit XML for continuous integration: verdicts and comparisons as test cases.

JUnit XML has no standard. The schema ``junit-10.xsd`` of Jenkins' xUnit plugin is kept, and GitLab reads no
properties of cases: what a case states besides its result is in its ``system-out``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from xml.etree import ElementTree as ET

from db.queries.instance_pages import InstanceLine, Wanted, instance_page
from db.states import InstanceState
from db.times import utc
from orchestrator.wording import count_of, printable

if TYPE_CHECKING:
    from db.reader import Reader
    from orchestrator.analysis.base.statistics import Estimate
    from orchestrator.analysis.comparison.campaigns import Change, Comparison
    from orchestrator.review.dossier import Dossier
    from orchestrator.rulebooks.model import BenchmarkVerdict, Figure, RuleResult

Outcome = Literal["failure", "error", "skipped"]
_COUNTED: dict[Outcome, str] = {"failure": "failures", "error": "errors", "skipped": "skipped"}


@dataclass(frozen=True, slots=True)
class Case:
    """A test case.

    Parameters
    ----------
    outcome
        None: passed.
    reason
        Why it has this outcome, in a line.
    """

    name: str
    outcome: Outcome | None = None
    reason: str = ""
    output: Sequence[str] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Suite:
    """The test cases of a benchmark, or of a whole campaign.

    Parameters
    ----------
    owner
        The campaign or campaigns, before the dot of each case's class name.
    properties
        Names with values; a name may come several times.
    """

    name: str
    owner: str
    cases: Sequence[Case]
    properties: Sequence[tuple[str, str]] = field(default=())


@dataclass(frozen=True, slots=True)
class JUnit:
    """Suites of one file.

    Parameters
    ----------
    timestamp
        ISO 8601: when the campaign was launched; None for a comparison.
    """

    name: str
    suites: Sequence[Suite]
    timestamp: str | None = None

    def __str__(self) -> str:
        """Return the number of its cases by outcome."""
        outcomes = Counter(case.outcome for suite in self.suites for case in suite.cases)
        found = f"{count_of(outcomes.total(), 'test case')}, {outcomes[None]:,} passed"
        return found + "".join(f", {outcomes[one]:,} {name}" for one, name in _COUNTED.items())

    def xml(self) -> str:
        """Return the text of the file."""
        root = ET.Element("testsuites", name=printable(self.name))
        for suite in self.suites:
            _add_suite(root, suite, self.timestamp)
        _count(root, [case for suite in self.suites for case in suite.cases])
        del root.attrib["skipped"]  # which the schema has for a suite alone
        ET.indent(root)
        return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def verdict_cases(reader: Reader, dossier: Dossier) -> JUnit:
    """Return the verdict on campaigns as test cases.

    Each benchmark is a suite with a case for the benchmark, for each rule, and for each instance out of
    retries. A first suite has the verdict on the whole, and benchmarks that were left out.
    """
    names = " ".join(row.name for row in dossier.campaigns)
    several = len(dossier.campaigns) > 1
    exhausted: dict[str, list[InstanceLine]] = {}
    for row in dossier.campaigns:
        for line in _out_of_retries(reader, row.campaign_id):
            name = (f"{row.name}/" if several else "") + line.label.rpartition("/")[0]
            exhausted.setdefault(name, []).append(line)
    suites = [_whole(dossier, names)]
    for one in dossier.verdict.benchmarks:
        span = dossier.judged.makespans.get(one.benchmark)
        cases = [
            _benchmark(one, dossier.verdict.rulebook, 0.0 if span is None else span.span_seconds),
            *map(_rule, one.rules),
            *map(_instance, exhausted.get(one.benchmark, ())),
        ]
        suites.append(Suite(one.benchmark, names, cases, _properties(one, dossier.verdict.rulebook)))
    return JUnit(names, suites, utc(min(row.created_us for row in dossier.campaigns)))


def comparison_cases(found: Comparison, share: float) -> JUnit:
    """Return a comparison as test cases.

    Each campaign beside the baseline is a suite, and each benchmark of the baseline a case.

    Parameters
    ----------
    share
        A benchmark that is certainly slower by more than this failed, as did one without an accepted run.
    """
    suites = []
    for campaign in found.headline:
        cases = [_change(one, share) for one in found.changes if one.campaign == campaign]
        cases += [
            Case(name, "failure", "no accepted run with a time") for name in found.missing.get(campaign, ())
        ]
        stated = [("baseline", found.baseline), ("slower_by_more_than", f"{share:g}")]
        suites.append(Suite(campaign, campaign, cases, stated))
    return JUnit(f"beside {found.baseline}", suites)


def _whole(dossier: Dossier, names: str) -> Suite:
    verdict = dossier.verdict
    absent = [
        Case(name, "skipped", "left out, as packages that it needs were not installed at launch")
        for name in dossier.left_out
    ]
    stated = _stated(verdict.headline, *verdict.figures)
    if verdict.reportable is None:
        case = Case(
            "figure of merit", "skipped", f"rulebook {verdict.rulebook} states none of a campaign", stated
        )
    elif verdict.reportable:
        case = Case("figure of merit", output=stated)
    else:
        reasons = list(verdict.reasons) or ["it has no value"]
        case = Case("figure of merit", "failure", _first(reasons), [*stated, *reasons])
    warnings = [("warning", text) for text in dossier.warnings]
    return Suite(names, names, [case, *absent], [("rulebook", verdict.rulebook), *warnings])


def _benchmark(one: BenchmarkVerdict, rulebook: str, seconds: float) -> Case:
    output = [
        *_stated(one.headline, *one.figures),
        *(f"declared: {text}" for text in one.declared),
        *(f"modification: {text}" for text in one.modifications),
        *(f"attempts: {number:,} {outcome}" for outcome, number in one.attempts.items()),
    ]
    if one.reportable is None:
        return Case("reportable", "skipped", f"rulebook {rulebook} states no figure", output, seconds)
    if one.reportable:
        return Case("reportable", output=output, seconds=seconds)
    reasons = list(one.reasons) or ["its figure has no value"]
    return Case("reportable", "failure", _first(reasons), [*reasons, *output], seconds)


def _rule(rule: RuleResult) -> Case:
    declared = [f"declared: {text}" for text in rule.declared]
    name = f"rule {rule.name}"
    if rule.passed is None:
        return Case(name, "skipped", rule.reason, declared)
    if rule.passed:
        return Case(name, output=[rule.reason, *declared])
    return Case(name, "failure", rule.reason, declared)


def _instance(line: InstanceLine) -> Case:
    reason = f"out of retries after {count_of(line.attempts, 'attempt')}"
    reason += f": {line.failure_reason}" if line.failure_reason else ""
    place = [] if line.node is None else [f"node {line.node}, slot {line.slot_index}"]
    return Case(f"instance {line.label.rpartition('/')[2]}", "error", reason, place)


def _change(one: Change, share: float) -> Case:
    took = f"the median is {_estimate(one.median)} times the baseline's"
    output = [took, f"the longest run is {_estimate(one.longest)} times the baseline's"]
    output += [f"p {one.probability:.2g} of a Mann-Whitney test"]
    if one.slower(share):
        return Case(one.benchmark, "failure", f"{took}, more than {1 + share:.4g}", output)
    return Case(one.benchmark, output=output)


def _estimate(one: Estimate) -> str:
    return f"{one.value:.4g}" + ("" if one.low is None else f" ({one.low:.4g} to {one.high:.4g})")


def _stated(*figures: Figure | None) -> list[str]:
    return [
        f"{one.name} = {one.value:.10g}" + (f" = {one.arithmetic}" if one.arithmetic else "")
        for one in figures
        if one is not None and one.value is not None
    ]


def _first(reasons: Sequence[str]) -> str:
    more = len(reasons) - 1
    return reasons[0] + (f"; and {count_of(more, 'more reason')}" if more else "")


def _properties(one: BenchmarkVerdict, rulebook: str) -> list[tuple[str, str]]:
    figures = [figure for figure in (one.headline, *one.figures) if figure is not None]
    return [
        ("rulebook", rulebook),
        ("class", one.run_class),
        ("workload", one.workload),
        *((figure.name, f"{figure.value!r}") for figure in figures if figure.value is not None),
        *(("declared", text) for text in one.declared),
        *(("modification", text) for text in one.modifications),
    ]


def _out_of_retries(reader: Reader, campaign_id: int) -> Iterator[InstanceLine]:
    after = None
    while True:
        page = instance_page(reader, campaign_id, Wanted(state=InstanceState.EXHAUSTED), after=after)
        yield from page.lines
        if not page.has_later:
            return
        after = page.lines[-1].label


def _add_suite(root: ET.Element, suite: Suite, timestamp: str | None) -> None:
    element = ET.SubElement(root, "testsuite", name=printable(suite.name))
    _count(element, suite.cases)
    if timestamp is not None:
        element.set("timestamp", timestamp)
    if suite.properties:
        listed = ET.SubElement(element, "properties")
        for name, value in suite.properties:
            ET.SubElement(listed, "property", name=printable(name), value=printable(value))
    # Jenkins takes what is before the last dot for a package, and a point such as nt3[dropout=0.1] has dots.
    within = suite.name if suite.name != suite.owner else "verdict"
    class_name = ".".join(printable(part).replace(".", "_") for part in (suite.owner, within))
    for case in suite.cases:
        _add_case(element, case, class_name)


def _add_case(suite: ET.Element, case: Case, class_name: str) -> None:
    seconds = f"{case.seconds:.3f}"
    element = ET.SubElement(suite, "testcase", name=printable(case.name), classname=class_name, time=seconds)
    if case.outcome is not None:
        reason = printable(case.reason)
        ET.SubElement(element, case.outcome, type=case.outcome, message=reason).text = reason
    if case.output:
        ET.SubElement(element, "system-out").text = "\n".join(map(printable, case.output))


def _count(element: ET.Element, cases: Sequence[Case]) -> None:
    element.set("tests", str(len(cases)))
    for outcome, name in _COUNTED.items():
        element.set(name, str(sum(case.outcome == outcome for case in cases)))
    element.set("time", f"{sum(case.seconds for case in cases):.3f}")
