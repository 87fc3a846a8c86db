#!/bin/bash
#PBS -N eto-0123456789
#PBS -l select=2:ncpus=64:ngpus=4
#PBS -l place=scatter:excl
#PBS -l walltime=04:00:00
#PBS -o /scratch/me/runs/friday/parsl/throughput/block-0.out
#PBS -j oe
#PBS -A ABC123
#PBS -q workq
#PBS -r n
#PBS -S /bin/bash

cd "${PBS_O_WORKDIR:-.}" || exit 1

export ORCHESTRATOR_BLOCK_STARTED=$(date +%s)
export ORCHESTRATOR_BLOCK_ENDS=$((ORCHESTRATOR_BLOCK_STARTED + 14400))
export ORCHESTRATOR_CAMPAIGN=friday

command=''"'"'/home/me/.venv/bin/process_worker_pool.py --max_workers_per_node=4 -a 10.1.2.3 -p 0 -c 1e-06 -m None --poll 10 --port=54321 --cert_dir /scratch/me/runs/friday/parsl/c1-g1/certificates --logdir=/scratch/me/runs/friday/parsl/c1-g1 --block_id=0 --hb_period=5 --hb_threshold=60 --drain_period=None --cpu-affinity none --mpi-launcher=mpiexec --available-accelerators'"'"''
nodes=$(sort -u "${PBS_NODEFILE:-$LSB_DJOB_HOSTFILE}") && [ -n "$nodes" ] || exit 1
pids=""
for node in $nodes; do
  ssh -o BatchMode=yes "$node" "cd $(printf %q "$PWD") && env ORCHESTRATOR_BLOCK_STARTED=$(printf %q "$ORCHESTRATOR_BLOCK_STARTED") ORCHESTRATOR_BLOCK_ENDS=$(printf %q "$ORCHESTRATOR_BLOCK_ENDS") ORCHESTRATOR_CAMPAIGN=$(printf %q "$ORCHESTRATOR_CAMPAIGN") bash -c $command" &
  pids="$pids $!"
done
status=0
for pid in $pids; do
  wait "$pid" || status=$?
done
(exit "$status")
