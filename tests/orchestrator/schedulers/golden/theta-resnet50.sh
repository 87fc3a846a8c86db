#!/bin/bash
#PBS -N eto-0123456789
#PBS -l select=128
#PBS -l walltime=03:00:00
#PBS -o /scratch/me/runs/friday/parsl/resnet50/block-0.out
#PBS -j oe
#PBS -A ABC123
#PBS -q default
#PBS -r n
#PBS -S /bin/bash

cd "${PBS_O_WORKDIR:-.}" || exit 1

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 10800))
export ORCHESTRATOR_CAMPAIGN=friday

ORCHESTRATOR_BLOCK_NODES=$(sort -u "$PBS_NODEFILE") || exit 1
export ORCHESTRATOR_BLOCK_NODES
bash -c '/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=2 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'
