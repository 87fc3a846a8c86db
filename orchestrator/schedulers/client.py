"""Asking a site's batch system for blocks: the commands of `orchestrator.schedulers`, really run."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import time
from collections.abc import Collection, Sequence
from pathlib import Path

from orchestrator.errors import CampaignError
from orchestrator.host.processes import CORES_MARK
from orchestrator.schedulers.families import changed_for_jobs, family_of, keep_their_place
from orchestrator.schedulers.model import (
    AccountAsWritten,
    Command,
    FreeNodes,
    Job,
    JobRequest,
    NoAnswerError,
    QueueWait,
    SchedulerError,
    StartAnswer,
    Submitted,
    client_commands,
    expanded_account,
)
from orchestrator.schedulers.submit_script import render
from orchestrator.wording import count_of
from sites import Site
from sites.schedulers import Batch, Local
from workloads.description import WorkloadError
from workloads.import_guard import guarded_import
from workloads.modules import load

_log = logging.getLogger(__name__)
_COMMAND_SECONDS = 120.0


def job_name(uid: str) -> str:
    """Return the name of all scheduler jobs of a campaign; the shortest limit, Torque's, is 15 characters."""
    return f"eto-{uid[:10]}"


class SchedulerClient:
    """The batch system of a site.

    Raises
    ------
    CampaignError
        If the site's script hook cannot be loaded.
    """

    def __init__(self, site: Site) -> None:
        if isinstance(site.scheduler, Local):
            raise TypeError(f"site {site.site} has no batch system")
        self._site = site
        self._settings = site.scheduler
        self._family = family_of(site.scheduler)
        try:
            with guarded_import(f"script_hook {site.script_hook}"):
                self._hook = load(site.script_hook) if site.script_hook else None
        except WorkloadError as error:
            raise CampaignError(f"site {site.site}: script_hook: {error}") from None

    @property
    def array_variable(self) -> str:
        """Environment variable with the number of a task of a job array; empty: there are no arrays."""
        return self._family.array_variable

    def preview(self, request: JobRequest) -> str:
        """Return the submit script of a block to look at: an account variable that is not set stays.

        Raises
        ------
        SchedulerError
            If the site's script hook fails.
        """
        settings = self._settings
        try:
            expanded_account(settings)
        except SchedulerError:
            account = AccountAsWritten(settings.account)
            settings = settings.model_copy(update={"account": account})
        return self._hooked(render(family_of(settings), settings, request))

    def script(self, request: JobRequest) -> str:
        """Return the submit script of a block.

        Raises
        ------
        SchedulerError
            If the site's script hook fails, or its account is a variable that is not set here.
        """
        return self._hooked(render(self._family, self._settings, request))

    def _hooked(self, text: str) -> str:
        """Return a script as the site's hook changes it."""
        if self._hook is None:
            return text
        try:
            changed = self._hook(text, self._site)
        except Exception as error:  # a plugin's function may raise anything
            raise SchedulerError(
                f"script_hook {self._site.script_hook} failed: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(changed, str):
            raise SchedulerError(
                f"script_hook {self._site.script_hook} returned a {type(changed).__name__}, not the script"
            )
        return changed

    def check(self) -> None:
        """See that a block could be asked for from here.

        Raises
        ------
        SchedulerError
            If a command is missing, or the script cannot be made.
        """
        script = Path("script")
        request = JobRequest(job_name("0" * 10), 1, self._settings.walltime, script, "true")
        self.script(request)
        for command in client_commands(self._family):
            if shutil.which(command) is None:
                raise SchedulerError(f"no command {command} here; is this a login node of the machine?")

    def submit(self, request: JobRequest, file: Path) -> Submitted:
        """Write a block's script to `file`, and submit it.

        Of several settings, such as qualities of service, it takes the one in which it starts first; where
        that is refused, the next.

        Raises
        ------
        SchedulerError
            If the batch system refuses it, in its own words.
        """
        refusal: SchedulerError | None = None
        for name, settings in self._choices(request):
            family = family_of(settings)
            text = self._hooked(render(family, settings, request))
            file.write_text(text, encoding="utf-8")
            file.chmod(0o755)  # some launchers and PBS servers run it as it is
            command = family.submit_command(file, text)
            code, stdout, stderr = run_command(command)
            if not code:
                return Submitted(family.job_id_from_output(stdout), name)
            where = f" in {name}" if name else ""
            answer = _shortly(stderr or stdout, code)
            if family.is_no_answer(answer):
                raise NoAnswerError(f"{command.words[0]} did not answer: {answer}")
            words = f"{command.words[0]} refused the block{where}: {answer}"
            refusal = SchedulerError(f"{refusal}; {words}" if refusal else words)
        raise refusal or SchedulerError("the site's scheduler has no settings for a block")

    def _choices(self, request: JobRequest) -> list[tuple[str, Batch]]:
        """Return the settings with which a block may be submitted, the first choice first, with their names.

        The one in which the block would start first is the first choice.
        """
        found = self._possible(request)
        if len(found) < 2:
            return found
        starts = {}
        for name, settings in found:
            try:
                answer = self._ask(settings, request)
            except SchedulerError as error:  # it is asked for an order alone
                answer = StartAnswer(None, str(error))
            start = self._family.expected_start(answer.words)
            starts[name] = (answer.accepted is not True, not start, start)
        return sorted(found, key=lambda one: starts[one[0]])

    def _possible(self, request: JobRequest) -> list[tuple[str, Batch]]:
        """Return the settings whose limits a block keeps, with their names."""
        if (command := self._family.choices_command()) is None:
            return [("", self._settings)]
        code, stdout, stderr = run_command(command)
        if code:
            _log.debug("%s failed: %s", command, _shortly(stderr or stdout, code))
        return self._family.choices(stdout, request)

    def ask(self, request: JobRequest) -> StartAnswer:
        """Return when the batch system would start a block, or why it would refuse it; nothing is submitted.

        Raises
        ------
        SchedulerError
            If it does not answer, or the script cannot be made.
        """
        asked = [(name, self._ask(settings, request)) for name, settings in self._possible(request)]
        if len(asked) == 1:
            return asked[0][1]
        words = "; ".join(f"{name}: {answer.words}" for name, answer in asked)
        return StartAnswer(any(answer.accepted for _, answer in asked), words)

    def _ask(self, settings: Batch, request: JobRequest) -> StartAnswer:
        """Return the answer for one choice of settings."""
        family = family_of(settings)
        command = family.ask_command(self._hooked(render(family, settings, request)))
        if command is None:
            words = f"{self._family.title} has no command that tells this without a submission"
            if (answer := self.free_nodes()) is not None:
                free = max((hole.nodes for hole in answer.holes), default=0)
                words += f"; {count_of(free, 'node')} {'is' if free == 1 else 'are'} free now"
            return StartAnswer(None, words)
        code, stdout, stderr = run_command(command)
        name = command.words[0]
        words = _shortly(re.sub(rf"^{name}: ", "", f"{stdout}\n{stderr}", flags=re.MULTILINE), code)
        if code and self._family.is_no_answer(words):
            raise SchedulerError(f"{name} did not answer: {words}")
        return StartAnswer(code == 0, words)

    def alter(self, job: str, before: Batch) -> bool:
        """Let a job that waits take the site's settings, and keep its place in the queue.

        Parameters
        ----------
        before
            The settings by which it was submitted.

        Returns
        -------
        bool
            Whether it has them now.
        """
        if not (changed := changed_for_jobs(before, self._settings)):
            return True
        if not keep_their_place(before, self._settings):
            return False
        try:
            code, stdout, stderr = run_command(self._family.alter_command(job, changed))
        except SchedulerError as error:
            _log.info("%s", error)
            return False
        if code:
            _log.info("job %s does not take other settings: %s", job, _shortly(stderr or stdout, code))
        return not code

    def free_nodes(self) -> FreeNodes | None:
        """Return the nodes that are free for a block now; None without an answer that can be read."""
        if (command := self._family.free_nodes_command()) is None:
            return None
        try:
            code, stdout, stderr = run_command(command)
            if not code:
                return self._family.parse_free_nodes(stdout, time.time())
            words = _shortly(stderr or stdout, code)
        except (SchedulerError, ValueError, LookupError, AttributeError, TypeError) as error:
            words = str(error)
        _log.debug("%s lists no free nodes that can be read: %s", command, words)
        return None

    def waits(self) -> list[QueueWait]:
        """Return how long the user's jobs waited, as far as the batch system remembers them.

        Raises
        ------
        SchedulerError
            If it does not answer, or has no command that tells this.
        """
        command = self._family.waits_command()
        if command is None:
            raise SchedulerError(f"{self._family.title} has no command that lists the waits of ended jobs")
        code, stdout, stderr = run_command(command)
        if code:
            raise SchedulerError(f"{command} lists no ended jobs: {_shortly(stderr or stdout, code)}")
        try:
            return self._family.parse_waits(stdout)
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            raise SchedulerError(f"{command} printed a list of jobs that cannot be read: {error}") from None

    def status(self, ids: Sequence[str]) -> list[Job]:
        """Return where jobs stand, in the order of their ids.

        Raises
        ------
        SchedulerError
            If the batch system does not answer; nothing is known then.
        """
        if not ids:
            return []
        jobs = self._family.parse_status(ids, *run_command(self._family.status_command(ids)))
        return [self._family.explained(job) for job in jobs]

    def find(self, name: str) -> list[str]:
        """Return the ids of this user's jobs of a name that have not ended; raises `SchedulerError`."""
        code, stdout, stderr = run_command(self._family.find_command(name))
        found = self._family.parse_found(stdout)
        # bjobs fails with "Job <x> is not found", or "No unfinished job found".
        if code and not found and not re.search("is not found|No unfinished job found", stderr):
            raise SchedulerError(f"the batch system does not list jobs: {_shortly(stderr, code)}")
        return found

    def cancel(self, ids: Sequence[str]) -> None:
        """End jobs; one that has ended already is no error. Raises `SchedulerError` if one goes on."""
        complaints = {}
        for job in ids:
            try:
                code, stdout, stderr = run_command(self._family.cancel_command(job))
            except SchedulerError as error:  # the others are to end all the same
                complaints[job] = str(error)
                continue
            if code:
                complaints[job] = _shortly(stderr or stdout, code)
        # A job that ends of itself meanwhile makes the command fail, in words that differ everywhere.
        left = [job.id for job in self.status(list(complaints)) if not job.state.ended]
        if left:
            raise SchedulerError(f"job {left[0]} could not be cancelled: {complaints[left[0]]}")


def batch_clients(site: Site, had: Collection[str]) -> dict[str, SchedulerClient]:
    """Return a client of each batch system that may have jobs of a campaign, by type.

    Parameters
    ----------
    had
        Pools that had blocks; those that the site lets a campaign use may have some that are not noted.
    """
    return {kind: SchedulerClient(one) for kind, one in site.by_scheduler(had).items() if not one.local}


def run_command(command: Command) -> tuple[int, str, str]:
    """Run a command; return exit code, standard output and standard error.

    Raises
    ------
    SchedulerError
        If it is missing, or does not answer.
    """
    try:
        # A command that submits may hand its environment to nodes, where these cores are others.
        ended = subprocess.run(
            command.words,
            env={name: value for name, value in os.environ.items() if name != CORES_MARK},
            input=command.stdin,
            stdin=subprocess.DEVNULL if command.stdin is None else None,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise SchedulerError(
            f"no command {command.words[0]} here; is this a login node of the machine?"
        ) from None
    except OSError as error:
        raise SchedulerError(f"{command.words[0]} cannot be run: {error.strerror or error}") from None
    except subprocess.TimeoutExpired:
        raise NoAnswerError(f"{command} did not answer in {_COMMAND_SECONDS:.0f} s") from None
    return ended.returncode, ended.stdout, ended.stderr


def _shortly(text: str, code: int) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return "; ".join(lines[-3:]) or f"exit code {code}"
