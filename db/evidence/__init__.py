"""Facts of accepted attempts and of their nodes' clocks, for judging."""
