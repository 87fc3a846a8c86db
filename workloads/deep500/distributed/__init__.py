"""Level 3: ways to train one model on several ranks, each checked against a replay and timed."""
