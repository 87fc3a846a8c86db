"""Extends the orchestrator with a scheduler and a launcher."""
