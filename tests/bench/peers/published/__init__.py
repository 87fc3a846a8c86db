"""The programs that the CORAL-2 Deep Learning Suite names, as ports that run on today's frameworks.

A port calls the framework as its program does, with the same layers, the same order of work, and the same
clock: nothing of the project is in it. Its docstring says which program it is and what had to change. Left
out, to the programs' advantage: plots and what is computed for them, log files, and progress bars.

A program has a function ``run(data, settings)``, which takes the directory of its data set and the settings
by the names of the workload's parameters, and returns seconds as the suite takes them, and accuracy or
None.
"""
