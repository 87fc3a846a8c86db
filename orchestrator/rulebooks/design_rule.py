"""The rule about the registered order of a campaign and the questions that may end it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrator.rulebooks.model import CheckResult, rule
from orchestrator.wording import count_of, disk_words, gibibytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.rulebooks.measurements import DesignFacts, Measurements


@rule(
    "design",
    "Instances were handed out in the registered order; deviations, questions that changed after the "
    "launch, and retries with a longer timeout, more memory or more disk, are declared, and looks, runs left "
    "out and runs not needed or pruned are stated.",
)
def design(found: Measurements) -> CheckResult:
    """Check the order, and state how often and at how many runs the campaign was looked at."""
    facts = found.design
    if (facts.order != "file" or facts.looks is not None) and facts.contradictions:
        late = count_of(facts.contradictions, "instance", "were")
        return CheckResult(False, f"{late} handed out after later blocks, and no event says so")
    if facts.suggestion_problem:
        return CheckResult(False, f"a trial of a search, {facts.search}: {facts.suggestion_problem}")
    texts, declared = list(_stated(facts)), tuple(_declared(facts))
    if not texts and not declared:
        return CheckResult(None, "instances ran in the order of the file, and no result ended the campaign")
    return CheckResult(True, "; ".join([*texts, *declared]), declared)


def _stated(facts: DesignFacts) -> Iterator[str]:
    """Yield what the campaign registered, and what did not run as it did."""
    asked = facts.looks is not None
    if facts.order != "file" or asked:
        yield f"order: {facts.order}, as registered"
    if facts.search:
        chosen = f", with parameters chosen by {facts.sampler}, as recorded" if facts.sampler else ""
        yield f"a trial of a search, {facts.search}, as registered{chosen}"
    if facts.pruned:
        yield f"{count_of(facts.pruned, 'instance', 'were')} pruned"
    if asked:
        yield f"a look after each run, {facts.looks:,} at the last"
    if asked and facts.left_out:
        yield f"{count_of(facts.left_out, 'run')} without a value left out"
    if facts.not_needed:
        yield f"{count_of(facts.not_needed, 'instance')} not needed"


def _declared(facts: DesignFacts) -> Iterator[str]:
    """Yield what a reader has to know beside the verdict."""
    yield from _raised(facts)
    if facts.order != "file" and facts.deviations:
        yield f"{count_of(facts.deviations, 'instance', 'were')} handed out outside of their block"
    if facts.looks is not None and facts.times_asked > 1:
        yield "the questions that may end the campaign changed after its launch"
    if facts.times_searched > 1:
        yield "the searches of the campaign changed after its launch"


def _raised(facts: DesignFacts) -> Iterator[str]:
    """Yield how many retries had a longer timeout, more memory, and more disk."""
    if facts.raised:
        number = count_of(facts.raised, "instance", "were")
        yield f"{number} tried again with a longer timeout, up to {facts.longest_timeout:g} s"
    if facts.larger:
        number, size = count_of(facts.larger, "instance", "were"), gibibytes(facts.largest_memory_bytes or 0)
        yield f"{number} tried again with more memory, up to {size} a rank"
    if facts.more_disk:
        number = count_of(facts.more_disk, "instance", "were")
        disk = disk_words(facts.largest_disk_share or 0.0, facts.largest_disk_bytes)
        yield f"{number} tried again with more disk, up to {disk}"
