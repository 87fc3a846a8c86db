"""``python -m orchestrator`` is the command line."""

from orchestrator.cli import main

main()
