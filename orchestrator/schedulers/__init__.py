"""Batch systems: what is written into a submit script, which commands are run, what they answer.

Everything here is text in and text out; `orchestrator.schedulers.client` runs the commands. A family is a
module with one class; what a machine needs beyond it stands in its site file.
"""
