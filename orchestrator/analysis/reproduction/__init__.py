"""Tables and figures of published documents, regenerated from runs of a ledger."""
