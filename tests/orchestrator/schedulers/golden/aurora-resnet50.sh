#!/bin/bash
#PBS -N eto-0123456789
#PBS -l select=16
#PBS -l place=scatter
#PBS -l walltime=12:00:00
#PBS -o /scratch/me/runs/friday/parsl/resnet50/block-0.out
#PBS -j oe
#PBS -A ABC123
#PBS -q capacity
#PBS -r n
#PBS -S /bin/bash
#PBS -l filesystems=home:flare
#PBS -k doe

cd "${PBS_O_WORKDIR:-.}" || exit 1

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 43200))
export ORCHESTRATOR_CAMPAIGN=friday

set -e
export TMPDIR=/tmp
set +e

ORCHESTRATOR_BLOCK_NODES=$(sort -u "$PBS_NODEFILE") || exit 1
export ORCHESTRATOR_BLOCK_NODES
bash -c '/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=2 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'
