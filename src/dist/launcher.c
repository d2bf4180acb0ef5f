#include "dist/launcher.h"

#include <stdlib.h>

/* A variable's whole number, -1 where it is unset, empty or no number. */
static long number_of(const char *variable)
{
    const char *text = getenv(variable);
    char *end;
    if (!text || !*text)
        return -1;
    long n = strtol(text, &end, 10);
    return *end || n < 0 ? -1 : n;
}

/* The MPI launchers come first: inside a Slurm job, they may start fewer than its tasks.
 */
struct launcher launcher_asked(void)
{
    long processes = number_of("OMPI_COMM_WORLD_SIZE");
    if (processes < 0)
        processes = number_of("PMI_SIZE");
    if (processes >= 0)
        return (struct launcher){.launched = true, .processes = processes};
    long tasks = number_of("SLURM_NTASKS"), pmix_rank = number_of("PMIX_RANK");
    if (tasks > 1 && number_of("SLURM_PROCID") >= 0)
        return (struct launcher){.launched = true, .processes = tasks, .slurm = true};
    if (pmix_rank >= 0)
        return (struct launcher){
            .launched = true, .processes = pmix_rank + 1, .at_least = true};
    return (struct launcher){0};
}

enum status launcher_check_size(const struct launcher *l, int mpi_size, struct err *err)
{
    bool right = l->processes == mpi_size || (l->at_least && l->processes < mpi_size);
    if (!l->launched || l->processes <= 0 || right)
        return STATUS_OK;
    /* A part of the tasks may run under an MPI launcher that sets no variable we know. */
    if (l->slurm && mpi_size > 1)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "the launcher started %s%ld processes and MPI sees %d; use %s%s",
                   l->at_least ? "at least " : "", l->processes, mpi_size,
                   l->slurm
                       ? "srun --mpi=pmix (srun --mpi=list names others), or srun -n 1 "
                         "for one process alone, or "
                       : "",
                   "the mpirun of the MPI that this program was built with");
}
