"""Claims of documents, and of users, judged by the runs of sweeps."""
