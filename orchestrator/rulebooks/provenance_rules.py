"""Rules about what ran: the code of the trainings, and their environment variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from orchestrator.rulebooks.measurements import Measurements
from orchestrator.rulebooks.model import Rule
from orchestrator.rulebooks.provenance import CodeFacts
from orchestrator.rulebooks.released_code import PACKAGE, released_code
from orchestrator.rulebooks.switches import modifications

SENTENCES: Mapping[str, str] = {
    "description": "The workload is judged by the description that was registered with the campaign.",
    "code": "All accepted instances ran the same code, in containers of one image if in any, and in a suite "
    "each in a process of its own; in a CORAL-2 base run, code of an unmodified release.",
    "environment": "No environment variable shortens the trainings of a CORAL-2 base run or changes their "
    "arithmetic; other runs state those that do.",
}
_NAMED = 3


def rules_for(found: Measurements, *, unmodified: bool = False, isolated: bool = False) -> tuple[Rule, ...]:
    """Return the rules about what ran.

    Parameters
    ----------
    unmodified
        Whether the run must have the code of a release, and an environment that changes no training.
    isolated
        Whether each instance must have a process of its own.
    """
    return (
        description(found),
        _with_starts(_with_setups(code(found, unmodified=unmodified), found), found, isolated=isolated),
        environment(found, unmodified=unmodified),
    )


def description(found: Measurements) -> Rule:
    """Check that the workload's description is the one that was registered."""
    name, facts = "description", found.description
    if facts is not None and facts.problem:
        return Rule(name, False, f"not judged by what was registered: {facts.problem}")
    if facts is None or not facts.registered:
        return Rule(name, None, "not recorded when the campaign was registered; today's description judges")
    return Rule(name, True, "judged by the description that was registered with the campaign")


def code(found: Measurements, *, unmodified: bool) -> Rule:
    """Check that all accepted instances ran one code, and, if asked, that of a release."""
    name, facts = "code", found.code
    if facts is None or not (facts.recorded or facts.listings):
        return Rule(name, None, "not recorded")
    if not found.accepted:
        return Rule(name, None, "no accepted instance")
    files = differing(facts.listings)
    if files:
        return Rule(name, False, f"accepted instances ran different code: {_named(files)}")
    if len(facts.containers) > 1:
        return Rule(name, False, f"accepted instances ran in different containers: {_containers(facts)}")
    if facts.missing:
        text = f"{facts.missing:,} accepted instances reported no code"
        return Rule(name, False if facts.recorded else None, text)
    text = f"; in the container {_containers(facts)}" if any(facts.containers) else ""
    if facts.changed:
        text += f"; the driver's code changed in a later session: {_named(facts.changed)}"
    if facts.outside:
        reason = f"every instance ran the same code, with {_outside(facts)}{text}"
        return Rule(name, not unmodified, reason)
    release, modified = _release(facts)
    if release is not None:
        if found.program != "shipped":
            return Rule(
                name, True, f"every instance ran the same code of its own, under release {release}{text}"
            )
        return Rule(name, True, f"every instance ran the code of release {release}{text}")
    reason = f"every instance ran the same code, modified from the release: {_named(modified)}{text}"
    return Rule(name, not unmodified, reason)


def _with_setups(rule: Rule, found: Measurements) -> Rule:
    """Return the rule about code with shell lines that may have changed what instances read."""
    number = found.code.setups if found.code else 0
    if not number:
        return rule
    text = f"instance_setup ran shell lines before {number:,} accepted instances, outside of the timed part"
    return replace(rule, reason=f"{rule.reason}; {text}", declared=(*rule.declared, text))


def _with_starts(rule: Rule, found: Measurements, *, isolated: bool) -> Rule:
    """Return the rule about code with how many instances did not import it in a process of their own."""
    facts = found.code
    if facts is None:
        return rule
    if facts.forked:
        text = f"{facts.forked:,} accepted instances were forked from a process that had imported their"
        rule = replace(rule, reason=f"{rule.reason}; {text} framework")
    if facts.reused:
        text = f"{facts.reused:,} accepted instances ran in a process that runs one after another"
        rule = replace(rule, reason=f"{rule.reason}; {text}", declared=(*rule.declared, text))
        if isolated:
            rule = replace(rule, passed=False, reason=f"{text}, and each needs one of its own")
    return rule


def environment(found: Measurements, *, unmodified: bool) -> Rule:
    """Check that no environment variable shortens trainings or changes their arithmetic."""
    name, facts = "environment", found.variables
    if facts is None or not (facts.recorded or facts.sets):
        return Rule(name, None, "not recorded")
    if not found.accepted:
        return Rule(name, None, "no accepted instance")
    switched = _switched(found)
    if switched:
        return Rule(name, not unmodified, "; ".join(switched))
    if facts.missing:
        text = f"{facts.missing:,} accepted instances reported no environment variables"
        return Rule(name, False if facts.recorded else None, text)
    return Rule(name, True, "no known variable shortens a training or changes its arithmetic")


def changes(found: Measurements) -> list[str]:
    """List what a run of a class that may change code and environment did change, and must report."""
    modified: list[str] = []
    if found.code is not None and found.code.listings:
        _, modified = _release(found.code)
    return [
        *([f"code: {_named(modified)}"] if modified else []),
        *([f"code: {_outside(found.code)}"] if found.code is not None and found.code.outside else []),
        *(f"environment: {text}" for text in _switched(found)),
    ]


def _switched(found: Measurements) -> list[str]:
    sets = found.variables.sets if found.variables else ()
    return list(dict.fromkeys(text for one in sets for text in modifications(one)))


def differing(listings: Iterable[Mapping[str, str | None]]) -> list[str]:
    """Return the files that have different contents in some of the listings.

    A file that only some of them have is no difference: a module is imported where it is needed.
    """
    known: dict[str, str | None] = {}
    files = {
        file for one in listings for file, digest in one.items() if known.setdefault(file, digest) != digest
    }
    return sorted(files)


def _outside(facts: CodeFacts) -> str:
    return f"frameworks from outside the packages of the interpreter: {_named(facts.outside)}"


def _containers(facts: CodeFacts) -> str:
    return ", ".join(
        f"{image} ({digest})" if digest else "none" for digest, image in sorted(facts.containers.items())
    )


def _release(facts: CodeFacts) -> tuple[str | None, list[str]]:
    """Return the release whose code ran, or None and the files that differ from the nearest one."""
    ran = {file: digest for one in facts.listings for file, digest in one.items()}
    own = {file: digest for file, digest in ran.items() if file.partition("/")[0] == PACKAGE}
    started = {file for file in ran if file in ("sitecustomize.py", "usercustomize.py")}
    differences = {}
    for version, files in released_code().items():
        differences[version] = sorted(
            {file for file in {**files, **own} if files.get(file) != own.get(file)} | started
        )
        if not differences[version]:
            return version, []
    nearest = min(differences, key=lambda one: (one not in facts.versions, len(differences[one])))
    return None, differences[nearest]


def _named(files: Iterable[str]) -> str:
    names = sorted(files)
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
