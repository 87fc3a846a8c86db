#!/bin/bash
#flux: --job-name=eto-0123456789
#flux: --nodes=96
#flux: --exclusive
#flux: -o gpu-affinity=off
#flux: --time-limit=21600s
#flux: --output=/scratch/me/runs/friday/parsl/resnet50/block-0.out
#flux: --setattr=bank=abc123
#flux: --queue=pbatch

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 21600))
export ORCHESTRATOR_CAMPAIGN=friday

set -e
module load rocm
set +e

ORCHESTRATOR_BLOCK_NODES=$(flux hostlist --expand --delimiter='\n' avail) || exit 1
export ORCHESTRATOR_BLOCK_NODES
bash -c '/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=12 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'
