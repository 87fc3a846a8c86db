#!/bin/bash
#BSUB -J eto-0123456789
#BSUB -nnodes 64
#BSUB -W 360
#BSUB -o /scratch/me/runs/friday/parsl/resnet50/block-0.out
#BSUB -P ABC123
#BSUB -q batch
#BSUB -alloc_flags "smt4 nvme"

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 21600))
export ORCHESTRATOR_CAMPAIGN=friday

ORCHESTRATOR_BLOCK_NODES=$(tail -n +2 "$LSB_DJOB_HOSTFILE" | sort -u) || exit 1
export ORCHESTRATOR_BLOCK_NODES
bash -c '/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=4 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'
