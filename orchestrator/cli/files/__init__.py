"""Commands about ledgers, packages, sites, workloads and data files."""
