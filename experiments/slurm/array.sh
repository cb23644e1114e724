#!/usr/bin/env bash
# An experiment as a Slurm array of 16 shards, each with a folder of its own:
#   sbatch experiments/slurm/array.sh experiments/chain.toml results/chain
# A shard that is warned (USR2, 90 seconds before its time is up), killed or preempted is queued again and goes on from its
# checkpoints. When all have ended:
#   duvn merge results/chain/whole results/chain/shard-*
#SBATCH --job-name=duvn
#SBATCH --array=0-15
#SBATCH --signal=USR2@90
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=1G
#SBATCH --time=04:00:00
set -u
file="${1:?the experiment file}"
out="${2:?the folder for the shards}"
shards="${SLURM_ARRAY_TASK_COUNT:?this runs as a Slurm array}"

# One instruction set for all machines: with another one a run has other bits, and a shard that is queued again may come to
# another machine. "portable" runs everywhere, avx2 on all but old machines and several times as fast.
export DUVN_ISA="${DUVN_ISA:-avx2}"

# As a job step, because steps are what Slurm warns; the shell only has to outlive them.
trap : TERM USR1 USR2
${SRUN:-srun --ntasks=1} "${DUVN:-duvn}" sweep "$file" --out "$out" --shard "$SLURM_ARRAY_TASK_ID/$shards" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}"
code=$?

# 75: stopped cleanly, work is left.
if [ "$code" -eq 75 ]; then
  ${SCONTROL:-scontrol} requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$code"
