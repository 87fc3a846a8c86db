"""Snakemake: a rule per instance, whose output file is the record."""

from __future__ import annotations

from tests.bench.peers.ensemble import Ensemble, Peer

ENVIRONMENT = "snakemake"
REQUIREMENTS = ("snakemake",)
SNAKEFILE = """\
rule all:
    input: expand("done/{{number}}", number=range({instances}))

rule instance:
    output: touch("done/{{number}}")
    shell: "/bin/sh instance.sh {{wildcards.number}}"
"""


def files(ensemble: Ensemble) -> dict[str, str]:
    """Return the Snakefile."""
    return {"Snakefile": SNAKEFILE.format(instances=ensemble.instances)}


def command(ensemble: Ensemble) -> list[str]:
    """Return the command that makes all outputs."""
    return [ensemble.python, "-m", "snakemake", "--cores", str(ensemble.slots), "--quiet", "all"]


TRAINING = (Peer("Snakemake", files, command, ENVIRONMENT),)
NO_OPS = (Peer("Snakemake of /bin/sh", files, command, ENVIRONMENT, most=1_000),)
