"""Launchers: how a command is started on the nodes of a block."""

from __future__ import annotations

from collections.abc import Sequence


def strictly(lines: Sequence[str]) -> list[str]:
    """Return shell lines of which the first that fails ends the shell."""
    return ["set -e", *lines, "set +e"] if lines else []


def launcher_words(launcher: str, options: Sequence[str], nodes: int, hosts: Sequence[str] = ()) -> list[str]:
    """Return the words before a command that is to run once on every node.

    Parameters
    ----------
    launcher, options
        As a site names them.
    nodes
        How many there are: all of the block that the launcher runs in, or those of `hosts`.
    hosts
        Names, where an instance has some nodes of a block to itself. jsrun takes none: it gives each command
        resources that are free, which are those of this instance. With ssh the name follows, and every node
        needs a call of its own.

    Notes
    -----
    A block outlives nodes that fail; an instance is nothing without all of its own.
    """
    match launcher:
        case "srun":
            words = [
                "srun", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1", "--cpu-bind=none",
                "--mem=0", "--export=ALL",
            ]  # fmt: skip
            if hosts:
                words += ["--overlap", f"--nodelist={','.join(hosts)}", "--kill-on-bad-exit=1"]
            else:
                words += ["--kill-on-bad-exit=0", "--no-kill"]
        case "jsrun":
            words = [
                "jsrun", f"--nrs={nodes}", "--rs_per_host=1", "--tasks_per_rs=1", "--cpu_per_rs=ALL_CPUS",
                "--gpu_per_rs=ALL_GPUS", "--bind=none",
            ]  # fmt: skip
        case "mpiexec":
            named = ["--hosts", ",".join(hosts)] if hosts else []
            words = ["mpiexec", "-n", str(nodes), "--ppn", "1", *named, "--cpu-bind", "none"]
        case "aprun":
            named = ["-L", ",".join(hosts)] if hosts else []
            words = ["aprun", "-n", str(nodes), "-N", "1", *named, "-cc", "none"]
        case "ssh":
            words = ["ssh", "-o", "BatchMode=yes"]
        case _:
            raise ValueError(f"no launcher {launcher!r}")
    return words + list(options)
