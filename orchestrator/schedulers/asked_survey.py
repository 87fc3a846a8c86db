"""Ask a batch system for its queues and nodes."""

from __future__ import annotations

import shutil

from orchestrator.schedulers.client import run_command
from orchestrator.schedulers.model import Command, SchedulerError
from orchestrator.schedulers.survey.model import Survey, SurveyCommands


def ask_survey(asked: SurveyCommands) -> Survey | None:
    """Return what a batch system says of its machine; None if its commands are not here.

    Raises
    ------
    SchedulerError
        If a command that is needed fails, or no node is listed.
    """
    if any(shutil.which(words[0]) is None for words, _ in asked.commands.values()):
        return None
    answers = {}
    for part, (words, is_needed) in asked.commands.items():
        code, stdout, stderr = run_command(Command(words))
        if code and is_needed:
            lines = (stderr or stdout).strip().splitlines() or ["it printed nothing"]
            raise SchedulerError(f"{words[0]} ended with {code}: {lines[-1]}")
        answers[part] = "" if code else stdout
    found = asked.read(**answers)
    if not found.kinds:
        raise SchedulerError("it lists no node")
    return found
