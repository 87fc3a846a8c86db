"""Rules about what ran: the code of the trainings, and their environment variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import CheckResult, RuleResult, rule
from orchestrator.rulebooks.provenance import CodeFacts
from orchestrator.rulebooks.released_code import ITSELF, released_code
from orchestrator.rulebooks.switches import modifications
from orchestrator.wording import count_of, few
from workloads.provenance.code import OWN

_NAMED = 3
_START_UP = frozenset({"sitecustomize.py", "usercustomize.py"})


@rule("description", "The workload is judged by the description that was registered with the campaign.")
def description(found: Measurements) -> CheckResult:
    """Check that the workload's description is the one that was registered."""
    facts = found.provenance.description
    if facts is not None and facts.problem:
        return CheckResult(False, f"not judged by what was registered: {facts.problem}")
    if facts is None or not facts.registered:
        return CheckResult(None, "not recorded when the campaign was registered; today's description judges")
    return CheckResult(True, "judged by the description that was registered with the campaign")


@rule(
    "code",
    "All accepted instances ran the same code, in containers of one image if in any, and in a suite "
    "each in a process of its own. In a run that must not be modified, trainings, driver and nodes ran the "
    "code of a release; in others, what differs from one is declared.",
)
def code(found: Measurements, *, unmodified: bool) -> CheckResult:
    """Check the code of all accepted instances, shell lines before them, and how their processes started."""
    return _with_starts(_with_setups(_same_code(found, unmodified=unmodified), found), found)


def _same_code(found: Measurements, *, unmodified: bool) -> CheckResult:
    """Check that all accepted instances ran one code, and, if asked, that of a release."""
    facts = found.provenance.code
    if facts is None or not (facts.recorded or facts.listings):
        return CheckResult(None, "not recorded")
    if not found.accepted:
        return CheckResult(None, "no accepted instance")
    files = differing(facts.listings)
    if files:
        return CheckResult(False, f"accepted instances ran different code: {_named(files)}")
    builds = [path for path, digests in facts.interpreters.items() if len(digests) > 1]
    if builds:
        return CheckResult(False, f"accepted instances ran different builds of {_named(builds)}")
    mixed = [f"{name} {' and '.join(sorted(one))}" for name, one in facts.libraries.items() if len(one) > 1]
    if mixed:
        return CheckResult(False, f"accepted instances imported different versions: {_named(mixed)}")
    if len(facts.containers) > 1:
        return CheckResult(False, f"accepted instances ran in different containers: {_containers(facts)}")
    if facts.missing:
        text = f"{count_of(facts.missing, 'accepted instance')} reported no code"
        return CheckResult(False if facts.recorded else None, text)
    text = f"; in the container {_containers(facts)}" if any(facts.containers) else ""
    if facts.changed:
        text += f"; the driver's code changed in a later session: {_named(facts.changed)}"
    odd, stated = _oddities(facts), _stated(facts)
    text += "".join(f"; {one}" for one in stated)
    if not odd:
        own = " of its own, under" if found.program != "shipped" else " of"
        reason = f"every instance ran the code{own} release {_release(facts)}{text}"
        return CheckResult(True, reason, declared=stated)
    return CheckResult(
        not unmodified,
        f"every instance ran the same code, {'; '.join(odd)}{text}",
        declared=stated if unmodified else (*(f"code: {one}" for one in odd), *stated),
    )


def _oddities(facts: CodeFacts) -> list[str]:
    """List in what the code of a run is not that of a release in its interpreter's own environment."""
    odd = []
    if facts.elsewhere:
        places = _named(_packages_of(facts.elsewhere))
        odd.append(f"with modules from outside of the interpreter's packages: {places}")
    if facts.start_up:
        odd.append(f"with files of no installed package that Python ran first: {_named(facts.start_up)}")
    if facts.programs:
        odd.append(f"under another program than the site's interpreter: {_named(facts.programs)}")
    if (modified := _modified(facts)) is not None:
        odd.append(modified)
    if foreign := _unlike_drivers(facts):
        odd.append(f"in trainings that did not import the driver's workloads: {_named(foreign)}")
    if facts.odd_nodes:
        odd.append(f"with another installation of this project on nodes {_named(facts.odd_nodes)}")
    return odd


def _stated(facts: CodeFacts) -> tuple[str, ...]:
    """List from where else code may have come, which breaks no rule and is declared."""
    prefixes = [f"packages were imported from {_named(facts.prefixes)}"] if facts.prefixes else []
    return (*prefixes, *(f"{one} was set" for one in sorted(facts.search)))


def _packages_of(files: Iterable[str]) -> list[str]:
    """Return files by the folder of their outermost package, as far as they are in packages."""
    modules = [PurePosixPath(file) for file in files]
    packages = {one.parent for one in modules if one.name == "__init__.py"}
    found = set()
    for module in modules:
        outermost = module
        while outermost.parent in packages:
            outermost = outermost.parent
        found.add(str(outermost))
    return sorted(found)


def _with_setups(result: CheckResult, found: Measurements) -> CheckResult:
    """Return the result about code with shell lines that may have changed what instances read."""
    number = found.provenance.code.setups if found.provenance.code else 0
    if not number:
        return result
    text = f"instance_setup ran shell lines before {number:,} accepted instances, outside of the timed part"
    return replace(result, reason=f"{result.reason}; {text}", declared=(*result.declared, text))


def _with_starts(result: CheckResult, found: Measurements) -> CheckResult:
    """Return the result about code with how many instances did not import it in a process of their own."""
    facts = found.provenance.code
    if facts is None or not facts.forked:
        return result
    forked = count_of(facts.forked, "accepted instance", "were")
    text = f"{forked} forked from a process that had imported their framework"
    return replace(result, reason=f"{result.reason}; {text}")


@rule(
    "environment",
    "No environment variable shortens the trainings of a CORAL-2 base run or changes their arithmetic; "
    "other runs state those that do.",
)
def environment(found: Measurements, *, unmodified: bool) -> CheckResult:
    """Check that no environment variable shortens trainings or changes their arithmetic."""
    facts = found.provenance.variables
    if facts is None or not (facts.recorded or facts.sets):
        return CheckResult(None, "not recorded")
    if not found.accepted:
        return CheckResult(None, "no accepted instance")
    switched, stated = _switched(found), _switched(found, declared=True)
    if switched:
        return CheckResult(not unmodified, "; ".join([*switched, *stated]), declared=tuple(stated))
    if facts.missing:
        text = f"{count_of(facts.missing, 'accepted instance')} reported no environment variables"
        return CheckResult(False if facts.recorded else None, text)
    text = "no known variable shortens a training or changes its arithmetic"
    return CheckResult(True, "; ".join([text, *stated]), declared=tuple(stated))


RULES = (description, code, environment)


def results(found: Measurements, *, unmodified: bool = False) -> tuple[RuleResult, ...]:
    """Return the results of all rules of this module.

    Parameters
    ----------
    unmodified
        Whether the run must have the code of a release, and an environment that changes no training.
    """
    return (
        description(found),
        code(found, unmodified=unmodified),
        environment(found, unmodified=unmodified),
    )


def changes(found: Measurements) -> list[str]:
    """List what a run of a class that may change its environment did change, and must report."""
    return [f"environment: {text}" for text in (*_switched(found), *_switched(found, declared=True))]


def _switched(found: Measurements, *, declared: bool = False) -> list[str]:
    sets = found.provenance.variables.sets if found.provenance.variables else ()
    return list(dict.fromkeys(text for one in sets for text in modifications(one, declared=declared)))


def differing(listings: Iterable[Mapping[str, str | None]]) -> list[str]:
    """Return the files that have different contents in some of the listings.

    A file that only some of them have is no difference: a module is imported where it is needed.
    """
    known: dict[str, str | None] = {}
    files = {
        file for one in listings for file, digest in one.items() if known.setdefault(file, digest) != digest
    }
    return sorted(files)


def _containers(facts: CodeFacts) -> str:
    return ", ".join(
        f"{image} ({digest})" if digest else "none" for digest, image in sorted(facts.containers.items())
    )


def _release(facts: CodeFacts) -> str | None:
    """Return the release whose code ran."""
    return next((version for version in released_code() if not _changed(facts, version)), None)


def _modified(facts: CodeFacts) -> str | None:
    """Return in what the code is not that of a release; None if it is that of one."""
    if not facts.drivers:
        return "of a driver that recorded no code"
    if _release(facts) is not None:
        return None
    listed = sorted(facts.versions & released_code().keys())
    if not listed:
        checkouts = "; ".join(sorted(facts.checkouts))
        return f"which is of no release: {checkouts} (that of a release is at the tag of its version)"
    nearest = min(listed, key=lambda version: len(_changed(facts, version)))
    return f"modified from release {nearest}: {_named(_changed(facts, nearest))}"


def _changed(facts: CodeFacts, version: str) -> list[str]:
    """Return the files of trainings and drivers that differ from those of a release."""
    released = released_code()[version]
    changed = {file for one in facts.listings for file in one if file in _START_UP}
    changed |= _different(_own(released), _imported(facts))
    for driver in facts.drivers:
        changed |= _different(released, driver)
    return sorted(changed - {ITSELF})


def _unlike_drivers(facts: CodeFacts) -> list[str]:
    """Return the files of `OWN` that trainings imported, and that no driver has so."""
    found = _imported(facts)
    changed = [sorted(_different(_own(driver), found)) for driver in facts.drivers]
    return min(changed, key=len, default=[])


def _imported(facts: CodeFacts) -> dict[str, str | None]:
    """Return the files of `OWN` of all trainings."""
    return {file: digest for one in facts.listings for file, digest in _own(one).items()}


def _own(listing: Mapping[str, str | None]) -> dict[str, str | None]:
    return {file: digest for file, digest in listing.items() if file.partition("/")[0] == OWN}


def _different(one: Mapping[str, str | None], other: Mapping[str, str | None]) -> set[str]:
    return {file for file in {**one, **other} if one.get(file) != other.get(file)}


def _named(files: Iterable[str]) -> str:
    return few(sorted(files), _NAMED)
