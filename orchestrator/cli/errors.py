"""Errors as one line."""

from __future__ import annotations

import errno
import sys

from orchestrator.wording import printable, shortened

_LONGEST = 1_500  # characters of an error
_OS_ADVICE = {
    errno.EACCES: "; this user may not: `ls -ld` tells whose it is; change that, or name another place",
    errno.EPERM: "; this user may not: `ls -ld` tells whose it is; change that, or name another place",
    errno.EROFS: "; name a place that can be written",
    errno.ENOSPC: "; free some space (`df -h` tells where), and try again",
    errno.EDQUOT: "; free some space of your quota, and try again",
    errno.EAGAIN: "; allow more processes (`ulimit -u`, `pids.max` of the control group), and try again",
    errno.EMFILE: "; allow more open files, such as with `ulimit -n 65536`, and try again",
}
_PAGES = ("Starlette, uvicorn and prometheus_client", "serve", "starlette uvicorn prometheus-client")
_EXTRAS = {
    "scipy": ("SciPy", "statistics", "'scipy>=1.15'"),
    "optuna": ("Optuna", "optuna", "'optuna>=5,<6'"),
    "torch": ("PyTorch", "torch", "torch"),
    **dict.fromkeys(("starlette", "uvicorn", "anyio", "prometheus_client"), _PAGES),
    "opentelemetry": ("OpenTelemetry", "otlp", "opentelemetry-exporter-otlp-proto-http"),
}
"""By module: what a command needs, the extra that has it, and its packages."""


def fail(error: Exception) -> int:
    """Print a foreseen error as one line and return its exit code; others keep their traceback.

    Only problems of a file may be several, a line each.
    """
    usage = getattr(error, "format_message", None)  # typer's own errors: an unknown option, a bad value
    if usage is not None:
        if message := " ".join(usage().split()):  # empty where the help was shown instead
            message = message.replace(": Value error, ", ": ", 1)  # typer has its choices from pydantic
            _print(f"{message} (--help shows how)")
        return 2
    from db.errors import LedgerError
    from orchestrator.errors import CampaignError, OrchestratorError
    from sites import FileError
    from workloads.description import WorkloadError

    if isinstance(error, FileError | CampaignError | WorkloadError):
        for line in filter(None, map(str.split, str(error).splitlines())):
            _print(" ".join(line))
        return 1
    if isinstance(error, LedgerError | OrchestratorError):
        _print(" ".join(str(error).split()))
        return 1
    missing = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if missing in _EXTRAS:
        what, extra, packages = _EXTRAS[missing]
        advice = f"pip install '.[{extra}]', or {sys.executable} -m pip install {packages}"
        _print(f"this command needs {what}, not installed here: {advice}")
        return 1
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        error = OSError(errno.EAGAIN, "no further thread can start")
    if isinstance(error, OSError) and error.strerror:
        advice = _OS_ADVICE.get(error.errno or 0, "")
        place = f"{error.filename}: " if error.filename else ""
        _print(f"{place}{error.strerror}{advice}")
        return 1
    raise error


def _print(message: str) -> None:
    """Print an error, which may quote a whole file, so that a reader sees its begin and its advice."""
    print(f"error: {shortened(printable(message), _LONGEST)}", file=sys.stderr)
