"""The rule about the marks of trainings: they agree with what supervisors saw, which hold another clock."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.rulebooks.model import CheckResult, rule
from orchestrator.wording import count_of

if TYPE_CHECKING:
    from orchestrator.rulebooks.mark_facts import MarkFacts
    from orchestrator.rulebooks.measurements import Measurements

LATE_SECONDS = 1.0
"""How long after its date a mark arrives at most; a supervisor reads it at once, unless the node is busy."""
MOST_UNREAD_SECONDS = 60
"""Longest time for which a supervisor may stand still when a mark arrives, as its file system does."""
EARLY_SECONDS = 0.1
"""How long before its date a mark arrives at most: two readings of one clock differ by less."""
CORES_SHARE = 1.05
"""Most CPU time between marks, as a share of what the slot's cores have; readings are rounded to 10 ms."""
CPU_BEFORE_SECONDS = 60.0
"""Most CPU time of a rank before its run starts. Importing TensorFlow takes 3 to 10 s."""
CPU_AFTER_SECONDS = 15.0
"""Most CPU time of a rank after its run has stopped; counting the FLOP of ResNet-50 took 4.6 s of a core."""
AFTER_SECONDS = 15.0
"""Longest time from the stop of the run to the end of its processes; honest runs were seen to need 0.2 s."""
STRETCH_SECONDS, STRETCH_SHARE = 0.1, 0.05
"""By how much the supervisor's clock may lengthen a timed interval before a report must state it."""
STATED_AFTER_SECONDS, STATED_AFTER_CPU_SECONDS = 2.0, 1.0
"""Beyond which, and `STRETCH_SHARE` of the shortest interval, a report states what followed a timed part."""
STATED_BEFORE_SECONDS, STATED_BEFORE_CPU_SECONDS, STATED_BEFORE_SHARE = 60.0, 20.0, 0.5
"""Beyond which, and which share of the shortest interval, a report states what lay before a run."""


@rule(
    "marks",
    f"Marks of accepted instances reached their supervisors within {LATE_SECONDS:g} s of their dates; "
    "between them no more CPU time was used than the slot's cores have, and little was done before the "
    "first and after the last.",
)
def marks(found: Measurements) -> CheckResult:
    """Check that marks agree with what supervisors saw."""
    facts = found.marks
    if problem := next(_problems(facts), None):
        return CheckResult(False, problem)
    if facts.latest_seconds is None:
        return CheckResult(None, "not recorded: no supervisor dated a mark")
    if facts.undated:
        return CheckResult(
            False, f"{count_of(facts.undated, 'accepted instance', 'have')} marks that no supervisor dated"
        )
    text = f"every mark arrived within {max(facts.latest_seconds, 0):.3f} s"
    if facts.busiest_share is None:
        text += "; CPU time between them was not measured"
    shortest = f"the shortest took {facts.shortest_seconds or 0.0:.4g} s"
    stated = tuple(f"{one}; {shortest}" for one in _stated(facts))
    return CheckResult(True, "; ".join([text, *stated]), stated)


def _stated(facts: MarkFacts) -> Iterator[str]:
    """Yield what is allowed around marks, and is much for intervals as short as these."""
    shortest = facts.shortest_seconds or 0.0
    part, most = STRETCH_SHARE * shortest, STATED_BEFORE_SHARE * shortest
    if facts.unread_seconds:
        yield (
            f"a supervisor stood still for up to {facts.unread_seconds} s when a mark arrived, and dated it "
            "that much later"
        )
    if (stretch := facts.stretch_seconds or 0.0) > STRETCH_SECONDS + part:
        yield (
            f"by the supervisor's clock an accepted instance took up to {stretch:.3g} s longer than by its "
            "own marks"
        )
    unexplained = (facts.after_window_seconds or 0.0) - facts.phases_after_seconds
    if unexplained > STATED_AFTER_SECONDS + part:
        yield f"an accepted instance went on for up to {unexplained:.3g} s after its timed window"
    if (after := (facts.after_seconds or 0.0) - facts.teardown_seconds) > STATED_AFTER_SECONDS + part:
        yield f"processes of an accepted instance ended up to {after:.3g} s after its run had stopped"
    if (used := facts.cpu_after_seconds or 0.0) > STATED_AFTER_CPU_SECONDS + part:
        yield f"a rank used up to {used:.3g} s of CPU time after its run had stopped"
    if (before := facts.before_seconds or 0.0) > max(STATED_BEFORE_SECONDS, most):
        yield f"processes of an accepted instance ran for up to {before:.3g} s before its run started"
    if (used := facts.cpu_before_seconds or 0.0) > max(STATED_BEFORE_CPU_SECONDS, most):
        yield f"a rank used up to {used:.3g} s of CPU time before its run started"


def _problems(facts: MarkFacts) -> Iterator[str]:
    """Yield how marks contradict what supervisors saw."""
    if facts.refused:
        yield f"beside the reports of a training its supervisor got {'; '.join(sorted(facts.refused))}"
    if facts.disordered:
        yield f"{count_of(facts.disordered, 'accepted instance', 'have')} marks that stop before they start"
    if (late := facts.latest_seconds) is not None and late > LATE_SECONDS:
        yield (
            f"a mark of an accepted instance arrived {late:.3f} s after its date, allowed is "
            f"{LATE_SECONDS:g} s"
        )
    if (early := facts.earliest_seconds) is not None and early < -EARLY_SECONDS:
        yield (
            f"a mark of an accepted instance arrived {-early:.3f} s before its date, allowed is "
            f"{EARLY_SECONDS:g} s"
        )
    if (share := facts.busiest_share) is not None and share > CORES_SHARE:
        yield (
            f"an accepted instance used {share:.0%} of the CPU time that the cores of its slot have between "
            "its marks: its clock ran too slowly"
        )
    yield from _around(facts)


def _around(facts: MarkFacts) -> Iterator[str]:
    """Yield what was done before the first mark, or after the last, that is more than honest runs do."""
    before, after = facts.cpu_before_seconds, facts.cpu_after_seconds
    if before is not None and before > CPU_BEFORE_SECONDS:
        yield (
            f"a rank of an accepted instance used {before:.1f} s of CPU time before its run started, allowed "
            f"are {CPU_BEFORE_SECONDS:g} s"
        )
    if after is not None and after > CPU_AFTER_SECONDS:
        yield (
            f"a rank of an accepted instance used {after:.1f} s of CPU time after its run had stopped, "
            f"allowed are {CPU_AFTER_SECONDS:g} s"
        )
    if (seconds := (facts.after_seconds or 0.0) - facts.teardown_seconds) > AFTER_SECONDS:
        yield (
            f"processes of an accepted instance ended {seconds:.1f} s after its run had stopped, allowed are "
            f"{AFTER_SECONDS:g} s"
        )
    known = facts.phases_after_seconds
    window = facts.after_window_seconds
    if window is not None and window > AFTER_SECONDS + known:
        yield (
            f"an accepted instance went on for {window:.1f} s after its timed window; evaluation and "
            f"checkpoints explain {known:.1f} s of it, allowed are {AFTER_SECONDS:g} s more"
        )
