"""Plans, dispatches, supervises, resumes, judges and reports campaigns.

>>> from orchestrator import LaunchOptions, Reader, fom, launch
>>> launch("demo", LaunchOptions(ledger="ledger.sqlite"))  # doctest: +SKIP
>>> fom("demo", ledger="ledger.sqlite").headline  # doctest: +SKIP
>>> Reader("ledger.sqlite").attempts("demo")  # a pandas DataFrame  # doctest: +SKIP
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from db.ledger import Ledger
    from db.reader import Reader
    from orchestrator.diagnostics.stated_verdicts import fom
    from orchestrator.errors import CampaignError, EngineError, OrchestratorError
    from orchestrator.lifecycle.launch import launch, plan
    from orchestrator.lifecycle.options import LaunchOptions, PlanOptions, ResumeOptions
    from orchestrator.lifecycle.requests.stop import stop
    from orchestrator.lifecycle.resume import resume
    from orchestrator.planning.campaign_file import CampaignFile
    from orchestrator.planning.campaign_reading import load_campaign
    from orchestrator.version import __version__

__all__ = [
    "CampaignError",
    "CampaignFile",
    "EngineError",
    "LaunchOptions",
    "Ledger",
    "OrchestratorError",
    "PlanOptions",
    "Reader",
    "ResumeOptions",
    "__version__",
    "fom",
    "launch",
    "load_campaign",
    "plan",
    "resume",
    "stop",
]

# Messages go where the user of the library directs them; the command line shows them.
logging.getLogger(__name__).addHandler(logging.NullHandler())

# Loaded on first use: supervisors and `--help` need none of this, and start thousands of times.
_HOME = {
    "__version__": "orchestrator.version",
    "Ledger": "db.ledger",
    "Reader": "db.reader",
    "CampaignFile": "orchestrator.planning.campaign_file",
    "load_campaign": "orchestrator.planning.campaign_reading",
    "CampaignError": "orchestrator.errors",
    "EngineError": "orchestrator.errors",
    "OrchestratorError": "orchestrator.errors",
    "fom": "orchestrator.diagnostics.stated_verdicts",
    "LaunchOptions": "orchestrator.lifecycle.options",
    "PlanOptions": "orchestrator.lifecycle.options",
    "ResumeOptions": "orchestrator.lifecycle.options",
    "launch": "orchestrator.lifecycle.launch",
    "plan": "orchestrator.lifecycle.launch",
    "resume": "orchestrator.lifecycle.resume",
    "stop": "orchestrator.lifecycle.requests.stop",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
