"""Reads a batch system's account of its machine: queues with limits, and nodes by kind. Parsers are pure.

Each module has ``COMMANDS``, which its family offers as ``survey``.
"""
