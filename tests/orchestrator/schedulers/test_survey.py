"""What batch systems print of their queues and nodes, in the formats of their manuals."""

from __future__ import annotations

import pytest

from orchestrator.schedulers.survey import flux, lsf, pbs, slurm
from orchestrator.schedulers.survey.model import Queue, Survey

GIB = 2**30

SLURM_PARTITIONS = (
    "PartitionName=gpu AllowGroups=ALL Default=YES DefaultTime=NONE MaxNodes=16 MaxTime=1-12:00:00 "
    "Nodes=g[1-2] OverSubscribe=EXCLUSIVE State=UP TotalNodes=2 TRES=cpu=256,mem=1000G,node=2\n"
    "PartitionName=cpu Default=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED Nodes=c1 State=UP TotalNodes=1\n"
    "PartitionName=old Default=NO MaxNodes=1 MaxTime=01:00:00 Nodes=c1 State=DOWN TotalNodes=1\n"
)
SLURM_NODES = (
    "NodeName=g1 Arch=x86_64 CoresPerSocket=64  CPUAlloc=0 CPUTot=128 Gres=gpu:a100:4(S:0-1),nvme:1 "
    "NodeAddr=g1 NodeHostName=g1 OS=Linux 5.14 #1 SMP x=1 RealMemory=515000 MemSpecLimit=3000 State=IDLE "
    "ThreadsPerCore=2 Partitions=gpu Comment=CPUTot=1 Gres=none Reason=größe=7 [root@now]\n"
    "NodeName=g2 CPUTot=128 Gres=gpu:a100:4 RealMemory=514999 MemSpecLimit=3000 Partitions=gpu\n"
    "NodeName=c1 CPUTot=64 Gres=(null) NodeHostName=c1 RealMemory=257000 Partitions=cpu,old \n"
    "\n"
)


def test_slurm_states_partitions_and_kinds_of_nodes() -> None:
    found = slurm.COMMANDS.read(SLURM_PARTITIONS, SLURM_NODES)
    assert found.queues == (Queue("gpu", True, 36 * 3600.0, 16), Queue("cpu"))
    gpu, cpu = found.kinds
    assert (gpu.hosts, gpu.count, gpu.cores, gpu.gpus, gpu.gpu_kind) == (("g2", "g1"), 2, 128, 4, "a100")
    assert gpu.memory_bytes == 511999 * 2**20  # of the smaller, without what is kept for the system
    assert (cpu.count, cpu.cores, cpu.gpus, cpu.queues) == (1, 64, 0, ("cpu", "old"))


PBS_QUEUES = """Queue: prod
    queue_type = Execution
    resources_max.nodect = 496
    resources_max.walltime = 24:00:00
    enabled = True
    started = True

Queue: closed
    queue_type = Execution
    enabled = False
    started = True

Queue: workq
    queue_type = Execution
    acl_users = somebody@with.a.very.long.name,
\tsomebody@else
    enabled = True
    started = True
"""
PBS_NODES = """x3001
     Mom = x3001.site.org
     ntype = PBS
     state = free
     pcpus = 64
     resources_available.host = x3001
     resources_available.mem = 527672492kb
     resources_available.ncpus = 64
     resources_available.ngpus = 4
     resources_available.Qlist = prod, workq

x3002
     ntype = PBS
     state = down
     resources_available.mem = 512gb
     resources_available.ncpus = 64
"""


def test_pbs_professional_states_queues_and_nodes() -> None:
    found = pbs.COMMANDS.read(PBS_QUEUES, PBS_NODES, "Server: pbs01\n    default_queue = workq\n")
    assert found.scheduler == "pbspro"
    assert found.queues == (Queue("prod", False, 86400.0, 496), Queue("workq", True))
    first, second = found.kinds
    assert (first.hosts, first.cores, first.gpus, first.queues) == (("x3001",), 64, 4, ("prod", "workq"))
    assert first.memory_bytes == 527672492 * 1024
    assert second.memory_bytes == 512 * GIB


def test_torque_is_known_by_its_nodes() -> None:
    nodes = (
        "n1\n     state = free\n     np = 16\n     ntype = cluster\n"
        "     status = rectime=1,physmem=33554432kb,ncpus=16,opsys=linux\n     gpus = 2\n"
    )
    found = pbs.COMMANDS.read(PBS_QUEUES, nodes, "")
    assert found.scheduler == "torque"
    assert not any(queue.is_default for queue in found.queues)
    assert [(one.cores, one.memory_bytes, one.gpus) for one in found.kinds] == [(16, 32 * GIB, 2)]


LSF_QUEUES = """
QUEUE: batch
  -- For normal jobs.  This is the default queue.

PARAMETERS/STATISTICS
PRIO NICE STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN SSUSP USUSP  RSV PJOBS
 30    0  Open:Active       -    -    -    -     0     0     0     0     0    0     0

DEFAULT LIMITS:
 RUNLIMIT
 15.0 min

MAXIMUM LIMITS:
 CPULIMIT             RUNLIMIT
 20.0 min of hostA    1440.0 min of hostA

SCHEDULING PARAMETERS
           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem
 loadSched   -     -     -     -       -     -    -     -     -      -      -
------------------------------------------------------------------------------

QUEUE: debug
  -- No description provided.

SCHEDULING PARAMETERS
"""
LSF_HOSTS = """HOST_NAME                       type       model  cpuf ncpus maxmem maxswp server RESOURCES
batch1                LINUXPPC64LE      POWER9  25.0    16 254.8G   1.9G    Yes (mg)
h41n01                LINUXPPC64LE      POWER9  25.0   176 605.3G      -    Yes (CN)
h41n02                LINUXPPC64LE      POWER9  25.0   176 605.8G      -    Yes (CN)
client                LINUXPPC64LE     UNKNOWN   1.0     -      -      -     No ()
"""
LSF_GPUS = """HOST_NAME   gpu_id       gpu_model   gpu_driver   gpu_factor      numa_id
h41n01           0 TeslaV100_SXM2_16GB       396.37          7.0            0
                 1 TeslaV100_SXM2_16GB       396.37          7.0            8
h41n02           0 TeslaV100_SXM2_16GB       396.37          7.0            0
                 1 TeslaV100_SXM2_16GB       396.37          7.0            8
"""


def test_lsf_states_queues_hosts_and_gpus() -> None:
    found = lsf.COMMANDS.read(LSF_QUEUES, LSF_HOSTS, LSF_GPUS)
    assert found.queues == (Queue("batch", True, 86400.0), Queue("debug"))
    first, second = found.kinds
    assert (first.hosts, first.cores, first.gpus) == (("h41n01", "h41n02"), 176, 2)
    assert first.gpu_kind == "TeslaV100_SXM2_16GB"
    assert first.memory_bytes == int(605.3 * GIB)
    assert (second.hosts, second.gpus) == (("batch1",), 0)


FLUX_QUEUES = "pbatch*|1d|inf\npdebug|1h|16\n"
FLUX_NODES = "pbatch|mi300a|1000|96000|4000|tuo[1001-1002,1010],x7\npdebug||16|1536|64|tuo[0008-0009]\n"


def test_flux_states_queues_and_nodes_without_memory() -> None:
    found = flux.COMMANDS.read(FLUX_QUEUES, FLUX_NODES)
    assert found.queues == (Queue("pbatch", True, 86400.0), Queue("pdebug", False, 3600.0, 16))
    first, second = found.kinds
    assert (first.count, first.cores, first.gpus, first.memory_bytes) == (1000, 96, 4, None)
    assert first.hosts == ("tuo1001", "tuo1002", "tuo1010", "x7")
    assert second.hosts == ("tuo0008", "tuo0009")
    assert flux.COMMANDS.read("|inf|inf\n", "||2|4|0|vm[1-2]\n").queues == ()  # an instance without queues


def everything_empty() -> list[Survey]:
    return [
        slurm.COMMANDS.read("", ""),
        pbs.COMMANDS.read("", "", ""),
        lsf.COMMANDS.read("", "", ""),
        flux.COMMANDS.read("", ""),
    ]


def test_no_output_is_no_queue_and_no_node() -> None:
    assert [(one.queues, one.kinds) for one in everything_empty()] == [((), ())] * 4


@pytest.mark.parametrize(
    "text", ["\x00\x1b[31m\n\t x = 1\n= =\n", "PartitionName", "ä|ö|ü|1|2|3\n||||", "9" * 5000]
)
def test_output_of_another_form_is_no_error(text: str) -> None:
    slurm.COMMANDS.read(text, text)
    pbs.COMMANDS.read(text, text, text)
    lsf.COMMANDS.read(text, text, text)
    flux.COMMANDS.read(text, text)
