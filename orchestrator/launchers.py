"""Launchers: how a command is started on given nodes of a block."""

from __future__ import annotations

from collections.abc import Sequence


def strictly(lines: Sequence[str]) -> list[str]:
    """Return shell lines of which the first that fails ends the shell."""
    return ["set -e", *lines, "set +e"] if lines else []


def place_words(launcher: str, options: Sequence[str], hosts: Sequence[str]) -> list[str]:
    """Return the words before a command that is to run once on each of these nodes.

    jsrun takes no names: it gives each command resources that are free, which are those of this instance.
    With ssh the node's name follows, and every node needs a call of its own.
    """
    count = str(len(hosts))
    match launcher:
        case "srun":
            words = [
                "srun", "--overlap", f"--nodes={count}", f"--ntasks={count}", "--ntasks-per-node=1",
                f"--nodelist={','.join(hosts)}", "--cpu-bind=none", "--mem=0", "--kill-on-bad-exit=1",
                "--export=ALL",
            ]  # fmt: skip
        case "jsrun":
            words = [
                "jsrun", f"--nrs={count}", "--rs_per_host=1", "--tasks_per_rs=1", "--cpu_per_rs=ALL_CPUS",
                "--gpu_per_rs=ALL_GPUS", "--bind=none",
            ]  # fmt: skip
        case "mpiexec":
            words = ["mpiexec", "-n", count, "--ppn", "1", "--hosts", ",".join(hosts), "--cpu-bind", "none"]
        case "aprun":
            words = ["aprun", "-n", count, "-N", "1", "-L", ",".join(hosts), "-cc", "none"]
        case "ssh":
            words = ["ssh", "-o", "BatchMode=yes"]
        case _:
            raise ValueError(f"no launcher {launcher!r}")
    return words + list(options)
