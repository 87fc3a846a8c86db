"""The connection to a database: its address, locks, loss, and bulk statements."""
