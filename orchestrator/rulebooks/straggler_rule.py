"""The rule about stragglers: no attempt that was ended may have been the slowest instance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from orchestrator.rulebooks.model import CheckResult, rule
from orchestrator.wording import count_of, counts_of

if TYPE_CHECKING:
    from orchestrator.rulebooks.measurements import Measurements

HANG_FACTOR = 2.0
"""Times the longest accepted instance that an attempt must have run to count as one that hangs."""
HANGING_SHARE = 0.001
"""Most instances of a benchmark that may hang, as a share of those planned; one may in any case."""


@rule(
    "stragglers",
    "No attempt that was ended, or lost, may have been the slowest instance; those that had begun "
    "their timed part are declared.",
)
def stragglers(found: Measurements, *, bound_counts: bool = False) -> CheckResult:
    """Check that no attempt that was ended may have been the slowest instance.

    Parameters
    ----------
    bound_counts
        True if the figure counts the time after which an attempt was ended, so that a few that hang until a
        timeout of at least `HANG_FACTOR` times the longest accepted instance may be declared.
    """
    ended = found.ended
    if not ended.outcomes:
        return CheckResult(True, "no attempt was ended")
    hung = _hung(found) if bound_counts else None
    if problem := next(_problems(found, hanging=hung is not None), None):
        return CheckResult(False, problem)
    begun, number = sum(ended.begun.values()), sum(ended.outcomes.values())
    text = f"{begun:,} of {number:,} ended attempts had begun their timed part"
    if ended.longest_seconds is not None:
        text += f", the longest for {ended.longest_seconds:.10g} {found.times.unit}"
    declared = [] if hung is None else [hung]
    if ended.begun:
        declared.append(f"attempts ended after their timed part had begun: {counts_of(ended.begun)}")
    if ended.unknown:
        most, least = ended.most_unknown_seconds, ended.least_unknown_seconds
        declared.append(
            f"attempts lost, with an unknown length of their run: {counts_of(ended.unknown)}"
            + ("" if most is None else f"; at most {most:.10g} s")
            + ("" if least is None else f"; those lost with their driver {least:.10g} s at least")
        )
    return CheckResult(True, "; ".join([text, *declared]), tuple(declared))


def _problems(found: Measurements, *, hanging: bool) -> Iterator[str]:
    """Yield why an attempt that was ended may have been the slowest instance."""
    ended, longest, unit = found.ended, found.times.max_seconds, found.times.unit
    ran, cause = ended.longest_seconds, ended.longest
    if hanging:  # their time counts
        ran, cause = ended.longest_killed_seconds, ended.longest_killed
    if longest is not None and ran is not None and ran > longest:
        yield (
            f"an attempt ({cause}) had run {ran:.10g} {unit} when it was ended, the longest accepted "
            f"instance took {longest:.10g} {unit}; how long it would have taken is not known"
        )
    if ended.timed_out and not hanging:
        yield (
            f"{count_of(ended.timed_out, 'attempt')} had begun the timed part and ran into the timeout; how "
            "long it would have taken is not known"
        )
    process = found.times.process_seconds
    if process is None and unit == "s":
        process = longest
    known = "is not known" if process is None else f"took {process:.10g} s"
    accepted = f"the longest process of an accepted instance {known}"
    whole = ended.longest_process_seconds if ended.longest_seconds is None else None
    if whole is not None and whole > (process or 0.0):
        yield f"the process of an attempt that was ended ran {whole:.10g} s, {accepted}"
    for unknown in (ended.most_unknown_seconds, ended.least_unknown_seconds):
        if unknown is not None and unknown > (process or 0.0):
            yield f"an attempt was lost and may have run {unknown:.10g} s, {accepted}"


def _hung(found: Measurements) -> str | None:
    """Return the sentence about the few attempts that hung until their timeout; None if there are none.

    They ran for so much longer than every accepted instance that their time decides the figure, and a timeout
    that is set to end slow instances makes it worse.
    """
    ended, longest, shortest = found.ended, found.times.max_seconds, found.ended.shortest_timed_out_seconds
    if longest is None or shortest is None or shortest < HANG_FACTOR * longest:
        return None
    if ended.timed_out > max(1, int(HANGING_SHARE * found.planned)):
        return None
    return (
        f"failed instances: {count_of(ended.timed_out, 'attempt')} hung until the timeout and ran "
        f"{ended.longest_seconds:.10g} {found.times.unit} at least, which counts as the longest time; "
        f"the longest accepted instance took {longest:.10g} {found.times.unit}"
    )
