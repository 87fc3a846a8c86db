"""The ledger: what was planned, what was tried, and how it ended. The only SQL in the project.

``db.reader.Reader`` reads, ``db.ledger.Ledger`` also writes, ``db.schema.upgrade`` makes the tables.
"""
