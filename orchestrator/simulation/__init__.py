"""A second engine: orders run in virtual time, in one process, on a machine with random faults.

Driver, ledger writer, retry policy, start barrier and ledger are the real ones. Simulated is what is
below the engine: blocks, nodes, and the durations and failures of attempts.
"""
