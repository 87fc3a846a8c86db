#!/bin/bash
#flux: --job-name=eto-0123456789
#flux: --nodes=2
#flux: --exclusive
#flux: -o gpu-affinity=off
#flux: --time-limit=14400s
#flux: --output=/scratch/me/runs/friday/parsl/throughput/block-0.out
#flux: --setattr=bank=abc123
#flux: --queue=pbatch

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 14400))
export ORCHESTRATOR_CAMPAIGN=friday

flux run --nodes=2 --ntasks=2 --exclusive -o cpu-affinity=off -o gpu-affinity=off -o exit-timeout=none bash -c '/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=4 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'
