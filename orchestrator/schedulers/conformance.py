"""Tests that hold for every scheduler family; packages that offer one run them on theirs.

In a test module of the package::

    from orchestrator.schedulers.conformance import Answer, FamilyConformance, FamilyExample

    class TestMyScheduler(FamilyConformance):
        example = FamilyExample(settings=MySettings(walltime=3600), family=MyFamily, ...)

Needs pytest, which is not among the dependencies of the orchestrator.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from orchestrator.schedulers.launchers import launcher_words
from orchestrator.schedulers.model import (
    Command,
    Family,
    Job,
    JobRequest,
    JobState,
    QueueWait,
    SchedulerError,
)
from orchestrator.schedulers.submit_script import render
from orchestrator.schedulers.survey.model import SurveyedNode
from sites.files import parse_mapping
from sites.schedulers import Batch

ALLOCATION_NOW = 1_800_000_000.0
_REQUEST = JobRequest("eto-0123456789", 3, 7200.0, Path("/runs/a b/block.out"), "worker --start")


@dataclass(frozen=True, slots=True)
class Answer:
    """Output of a status command for jobs, and the states that it means."""

    ids: Sequence[str]
    stdout: str
    states: Sequence[JobState] = ()
    code: int = 0
    stderr: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyExample:
    """A family, and canned outputs of the real commands.

    Parameters
    ----------
    settings, family
        Settings of a site, and the class that is made from them.
    submitted
        Id of the new job for outputs of the submit command.
    not_submitted
        Outputs that have no id, although the command ended with 0.
    answers
        Outputs of the status command. Among them should be a job in each state that the scheduler has, two
        jobs in one answer, and a job that the scheduler does not know any more.
    unknown_word
        An answer in which a job has a state that no version of the scheduler has.
    no_answers
        Outputs of a status command that did not reach the scheduler.
    found
        Ids for outputs of the command that lists jobs by name.
    allocations
        Seconds left at `ALLOCATION_NOW` for outputs of the command that asks for it; none of a family
        without `allocation_variable`.
    waits
        Waits for outputs of `waits_command`, with a job that has not started among them; none of a family
        without this command.
    """

    settings: Batch
    family: type[Family]
    submitted: Mapping[str, str]
    not_submitted: Sequence[str]
    answers: Sequence[Answer]
    unknown_word: Answer
    no_answers: Sequence[Answer]
    found: Mapping[str, Sequence[str]]
    allocations: Mapping[str, float] = field(default_factory=dict)
    waits: Mapping[str, Sequence[QueueWait]] = field(default_factory=dict)


class FamilyConformance:
    """Tests of a scheduler family; subclasses set `example`."""

    example: ClassVar[FamilyExample]

    @pytest.fixture
    def one(self) -> Family:
        """Return the family under test."""
        return self.example.family(self.example.settings)

    def test_settings_name_their_type(self) -> None:
        """The type of the settings is fixed, so that a site file selects them by it."""
        assert type(self.example.settings).model_fields["type"].default == self.example.settings.type

    def test_the_script_is_bash_with_its_directives_first(self, one: Family) -> None:
        """Directives follow the first line at once: schedulers stop reading at the first command."""
        text = render(one, self.example.settings, _REQUEST)
        lines = text.splitlines()
        directives = one.directives(_REQUEST)
        assert lines[0] == "#!/bin/bash"
        assert directives
        assert lines[1 : len(directives) + 1] == [f"{one.directive_prefix} {line}" for line in directives]
        assert not any("\n" in line for line in directives)
        assert "worker --start" in text
        for script in (text, one.list_nodes_command):
            checked = subprocess.run(
                ["bash", "-n"], input=script, capture_output=True, text=True, check=False
            )
            assert (checked.returncode, checked.stderr) == (0, "")

    @pytest.mark.parametrize(
        "changes",
        [
            {"name": "eto-another"},
            {"nodes": 7},
            {"walltime_seconds": 1800.0},
            {"output": Path("/runs/elsewhere.out")},
        ],
    )
    def test_directives_state_what_is_requested(self, one: Family, changes: dict[str, Any]) -> None:
        """Name, nodes, walltime and output each appear in the directives."""
        assert one.directives(replace(_REQUEST, **changes)) != one.directives(_REQUEST)

    def test_an_account_that_is_an_unset_variable_is_refused(self) -> None:
        """A block must not be charged to the default account by mistake."""
        settings = self.example.settings.model_copy(update={"account": "$NO_SUCH_VARIABLE_IS_SET"})
        with pytest.raises(SchedulerError, match="NO_SUCH_VARIABLE_IS_SET"):
            self.example.family(settings).directives(_REQUEST)

    def test_the_account_is_stated(self) -> None:
        """A site's account reaches the scheduler."""
        settings = self.example.settings.model_copy(update={"account": "project-7"})
        assert any("project-7" in line for line in self.example.family(settings).directives(_REQUEST))

    def test_the_default_launcher_exists(self, one: Family) -> None:
        """A site that names no launcher gets one that starts commands."""
        assert launcher_words(one.default_launcher, [], 2)

    def test_commands_name_what_they_are_about(self, one: Family) -> None:
        """Submitting names the file or passes its text; the others name their jobs."""
        submit = one.submit_command(Path("/runs/block.sh"), "#!/bin/bash\n")
        assert submit.stdin == "#!/bin/bash\n" or "/runs/block.sh" in _text(submit)
        status = _text(one.status_command(["4711", "4712"]))
        assert "4711" in status
        assert "4712" in status
        assert "4711" in _text(one.cancel_command("4711"))
        assert "eto-0123456789" in _text(one.find_command("eto-0123456789"))

    def test_ids_of_submitted_jobs_are_read(self, one: Family) -> None:
        """An output without an id is an error: the job could never be cancelled."""
        assert {stdout: one.job_id_from_output(stdout) for stdout in self.example.submitted} == dict(
            self.example.submitted
        )
        for stdout in ("", *self.example.not_submitted):
            with pytest.raises(SchedulerError):
                one.job_id_from_output(stdout)

    def test_states_are_read_in_the_order_of_the_question(self, one: Family) -> None:
        """Every id gets one job, with the state that the answer means."""
        for answer in self.example.answers:
            for ids, states in (
                (list(answer.ids), list(answer.states)),
                (list(answer.ids)[::-1], list(answer.states)[::-1]),
            ):
                jobs = one.parse_status(ids, answer.code, answer.stdout, answer.stderr)
                assert [job.id for job in jobs] == ids
                assert [job.state for job in jobs] == states, answer.stdout

    def test_answers_cover_the_states_that_scaling_relies_on(self) -> None:
        """The canned answers have a waiting, a running and a vanished job."""
        covered = {state for answer in self.example.answers for state in answer.states}
        assert {JobState.QUEUED, JobState.RUNNING, JobState.UNKNOWN} <= covered

    def test_a_state_that_is_not_known_holds_nodes(self, one: Family) -> None:
        """It counts as running, or as no answer; if it counted as ended, its nodes would be used twice."""
        answer = self.example.unknown_word
        jobs = []
        with contextlib.suppress(SchedulerError):
            jobs = one.parse_status(list(answer.ids), answer.code, answer.stdout, answer.stderr)
        assert {job.state for job in jobs} <= {JobState.RUNNING}

    def test_a_scheduler_that_does_not_answer_ends_no_job(self, one: Family) -> None:
        """Nothing is known then, which is an error and no state."""
        for answer in self.example.no_answers:
            with pytest.raises(SchedulerError):
                one.parse_status(list(answer.ids), answer.code, answer.stdout, answer.stderr)

    def test_jobs_are_found_by_name(self, one: Family) -> None:
        """Anything else in the output is ignored."""
        assert {stdout: one.parse_found(stdout) for stdout in self.example.found} == {
            stdout: list(ids) for stdout, ids in self.example.found.items()
        }
        assert one.parse_found("") == []

    def test_the_end_of_an_allocation_is_read(self, one: Family) -> None:
        """A family that reads it shows outputs with and without time left; what is none is an error."""
        if not one.allocation_variable:
            assert not self.example.allocations
            return
        assert one.allocation_command("4711").words
        read = {stdout: one.seconds_left(stdout, ALLOCATION_NOW) for stdout in self.example.allocations}
        assert read == dict(self.example.allocations)
        assert min(read.values()) == 0 < max(read.values())
        for stdout in ("", "no such thing"):
            with pytest.raises((ValueError, LookupError)):
                one.seconds_left(stdout, ALLOCATION_NOW)

    def test_waits_of_jobs_are_read(self, one: Family) -> None:
        """A family that lists them shows an output; of a user without jobs there is none."""
        if one.waits_command() is None:
            assert not self.example.waits
            return
        read = {stdout: one.parse_waits(stdout) for stdout in self.example.waits}
        assert read == {stdout: list(waits) for stdout, waits in self.example.waits.items()}
        assert any(read.values())
        assert one.parse_waits("") == []

    def test_the_directives_ask_for_the_nodes_and_walltime_of_the_request(self, one: Family) -> None:
        """A directive of a site file is compared with these, so its options are read as they are written."""
        directives = one.directives(_REQUEST)
        asked = {option.name: option.value for line in directives for option in one.requested(line)}
        if one.nodes_option:
            assert one.requested_nodes(asked[one.nodes_option]) == "3"
        if one.time_option:
            assert one.requested_seconds(asked[one.time_option]) == 7200
            assert one.requested_seconds("soon") is None
        for short, long in one.short_options.items():
            (option,) = one.requested(f"{short}3")
            assert (option.name, option.value) == (long, "3")

    def test_a_job_knows_its_id_and_a_driver_in_it_leaves_its_variables(self, one: Family) -> None:
        """Blocks that a driver submits from its own job must not take that job's id for theirs."""
        if one.job_id_variable:
            assert one.job_id_variable.startswith(one.job_variables) or one.nested
        assert all(name.startswith(one.job_variables) for name in one.kept_variables)

    def test_reasons_for_waiting_explain_jobs(self, one: Family) -> None:
        """A waiting job gets the advice for its reason; one that runs needs none."""
        assert one.explained(Job("1", JobState.QUEUED, "no such reason is known")).pending is None
        for reason in one.pending_reasons:
            re.compile(reason.pattern)
            assert reason.advice
            if reason.pattern.isalnum():
                assert one.explained(Job("1", JobState.QUEUED, reason.pattern)).pending
                assert one.explained(Job("1", JobState.RUNNING, reason.pattern)).pending is None

    def test_the_survey_reads_what_its_commands_print(self, one: Family) -> None:
        """Each command's output has a parameter; of outputs that say nothing there are no nodes."""
        assert one.title
        if one.survey is None:
            return
        assert all(words for words, _ in one.survey.commands.values())
        found = one.survey.read(**dict.fromkeys(one.survey.commands, ""))
        assert (found.queues, found.kinds) == ((), ())

    def test_lines_for_a_site_file_are_keys_of_its_scheduler(self, one: Family) -> None:
        """A user copies them below ``scheduler:``."""
        kind = SurveyedNode(("n1",), 8, 2**34, 2)
        for line in filter(None, (one.exclude_line(["n1", "n2"]), one.whole_nodes_line(kind))):
            keys = parse_mapping(line, "line")
            settings = self.example.settings
            type(settings).model_validate({**settings.model_dump(), **keys})


def _text(command: Command) -> str:
    assert command.words
    return " ".join(command.words)
