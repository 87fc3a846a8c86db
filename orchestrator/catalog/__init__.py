"""Workloads by name: built-in ones, installed ones, users' modules, and files that describe a command."""
