"""From ledger rows to evidence, figures of merit and makespan."""
