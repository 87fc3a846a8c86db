"""Ranks on several nodes: an agent on each of them runs those of its node."""
