#!/bin/sh
# Import this process's share of the traces that LIST names, one a line: every n-th of them.
#   mpirun -np 8 examples/import-share.sh traces.txt       (Open MPI)
#   srun -n 8 examples/import-share.sh traces.txt          (Slurm)
# Each trace becomes a run file beside it. A trace that cannot be read does not stop the others; the exit
# code then is 1.
set -u
list=$1
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${SLURM_PROCID:-0}}}
size=${OMPI_COMM_WORLD_SIZE:-${PMI_SIZE:-${SLURM_NTASKS:-1}}}
failed=0
while IFS= read -r trace <&3; do
    [ -n "$trace" ] || continue
    gait import --quiet --threads "${GAIT_THREADS:-2}" "$trace" -o "$trace.gait" || failed=1
done 3<<EOT
$(awk -v rank="$rank" -v size="$size" 'NF && (NR - 1) % size == rank' "$list")
EOT
exit $failed
