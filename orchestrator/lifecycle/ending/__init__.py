"""Work at the end of a session: compaction, energy, hooks, timelines."""
