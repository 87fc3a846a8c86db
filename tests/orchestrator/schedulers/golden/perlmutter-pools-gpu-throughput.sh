#!/bin/bash
#SBATCH --job-name=eto-0123456789
#SBATCH --nodes=16
#SBATCH --ntasks-per-node=1
#SBATCH --time=06:00:00
#SBATCH --output=/scratch/me/runs/friday/parsl/throughput/block-0.out
#SBATCH --account=abc123
#SBATCH --qos=regular
#SBATCH --constraint=gpu
#SBATCH --exclusive
#SBATCH --no-requeue
#SBATCH --gpus-per-node=4

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 21600))
export ORCHESTRATOR_CAMPAIGN=friday

srun --nodes=16 --ntasks=16 --ntasks-per-node=1 --cpu-bind=none --mem=0 --export=ALL --kill-on-bad-exit=0 --no-kill --cpus-per-task=128 --gpus-per-node=4 --gpu-bind=none bash -c '/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=4 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'
