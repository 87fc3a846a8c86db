"""Launchers: how a command is started on the nodes of a block.

Another package offers a launcher as an entry point in ``ensemble_throughput_orchestrator.launchers``. The
name of the entry point is the ``type`` that site files write; it names a function of ``nodes`` and
``hosts``, as `launcher_words` has them, that returns the words of the command without the site's options.
The package must be installed for the interpreter of the workers too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_GROUP = "ensemble_throughput_orchestrator.launchers"  # as in `sites.schedulers`, which starts slowly


def strictly(lines: Sequence[str]) -> list[str]:
    """Return shell lines of which the first that fails ends the shell."""
    return ["set -e", *lines, "set +e"] if lines else []


def launcher_words(launcher: str, options: Sequence[str], nodes: int, hosts: Sequence[str] = ()) -> list[str]:
    """Return the words before a command that is to run once on every node.

    Parameters
    ----------
    nodes
        Number of nodes: all of the block that the launcher runs in, or those of `hosts`.
    hosts
        Names of nodes, where an instance has some nodes of a block to itself. jsrun takes no names: it gives
        each command resources that are free, which are those of this instance. With ssh the name follows,
        and every node needs a call of its own.

    Raises
    ------
    ValueError
        If neither this package nor an installed one has the launcher.

    Notes
    -----
    A block survives nodes that fail; an instance needs all of its own.
    """
    words = _BUILT_IN.get(launcher) or _installed(launcher)
    return [*words(nodes, hosts), *options]


def _installed(name: str) -> Callable[[int, Sequence[str]], list[str]]:
    from workloads import plugins  # supervisors load this module, and seldom need this one

    try:
        words: Callable[[int, Sequence[str]], list[str]] = plugins.load(_GROUP, name)
    except LookupError:
        raise ValueError(f"no launcher {name!r}; is the package that offers it installed here?") from None
    return words


def _srun(nodes: int, hosts: Sequence[str]) -> list[str]:
    words = [
        "srun", f"--nodes={nodes}", f"--ntasks={nodes}", "--ntasks-per-node=1", "--cpu-bind=none",
        "--mem=0", "--export=ALL",
    ]  # fmt: skip
    if hosts:
        return [*words, "--overlap", f"--nodelist={','.join(hosts)}", "--kill-on-bad-exit=1"]
    return [*words, "--kill-on-bad-exit=0", "--no-kill"]


def _jsrun(nodes: int, hosts: Sequence[str]) -> list[str]:  # noqa: ARG001
    return [
        "jsrun", f"--nrs={nodes}", "--rs_per_host=1", "--tasks_per_rs=1", "--cpu_per_rs=ALL_CPUS",
        "--gpu_per_rs=ALL_GPUS", "--bind=none",
    ]  # fmt: skip


def _mpiexec(nodes: int, hosts: Sequence[str]) -> list[str]:
    named = ["--hosts", ",".join(hosts)] if hosts else []
    return ["mpiexec", "-n", str(nodes), "--ppn", "1", *named, "--cpu-bind", "none"]


def _aprun(nodes: int, hosts: Sequence[str]) -> list[str]:
    named = ["-L", ",".join(hosts)] if hosts else []
    return ["aprun", "-n", str(nodes), "-N", "1", *named, "-cc", "none"]


def _flux(nodes: int, hosts: Sequence[str]) -> list[str]:
    # By default Flux ends a job 30 s after its first task, and pools end one after the other.
    words = [
        "flux", "run", f"--nodes={nodes}", f"--ntasks={nodes}", "--exclusive", "-o", "cpu-affinity=off",
        "-o", "gpu-affinity=off", "-o", "exit-timeout=none",
    ]  # fmt: skip
    return [*words, "-o", "exit-on-error", f"--requires=hosts:{','.join(hosts)}"] if hosts else words


def _ssh(nodes: int, hosts: Sequence[str]) -> list[str]:  # noqa: ARG001
    return ["ssh", "-o", "BatchMode=yes"]


_BUILT_IN: dict[str, Callable[[int, Sequence[str]], list[str]]] = {
    "srun": _srun,
    "jsrun": _jsrun,
    "mpiexec": _mpiexec,
    "aprun": _aprun,
    "flux": _flux,
    "ssh": _ssh,
}
