"""A second engine: orders run in virtual time, in one process, on a machine of seeded chance.

The driver, its recorder, policy, gate and ledger are the real ones. What is made up is everything
below the engine: blocks, nodes, and attempts that take as long, and fail as often, as was drawn.
"""
