"""The benchmark programs: what each one is, and where to find it.

Nothing here imports a deep-learning framework, so a workload can be listed, checked and
planned for on a machine that has none.
"""
