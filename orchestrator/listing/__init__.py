"""A list of packages as a static web site: each row recomputed from its package, each change in a log."""
