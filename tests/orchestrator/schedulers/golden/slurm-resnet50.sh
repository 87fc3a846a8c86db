#!/bin/bash
#SBATCH --job-name=eto-0123456789
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --time=04:00:00
#SBATCH --output=/scratch/me/runs/friday/parsl/resnet50/block-0.out
#SBATCH --account=abc123
#SBATCH --partition=gpu
#SBATCH --exclusive
#SBATCH --no-requeue
#SBATCH --gpus-per-node=4
#SBATCH --mem=0

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 14400))
export ORCHESTRATOR_CAMPAIGN=friday

srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --cpu-bind=none --mem=0 --export=ALL --kill-on-bad-exit=0 --no-kill --cpus-per-task=64 --gpus-per-node=4 --gpu-bind=none bash -c '/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=1 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'
