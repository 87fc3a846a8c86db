"""The package for reviewers: a campaign's evidence in one file, and its verification without the ledger."""
