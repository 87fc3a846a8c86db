"""A second engine: orders run in virtual time, in one process, with faults drawn from seeded random numbers.

The driver, its policies, the start barrier and the ledger are the real ones. What is simulated is everything
below the engine: blocks, nodes, and attempts that take as long, and fail as often, as was drawn.
"""
