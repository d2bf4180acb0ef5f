/*
 * Private to dist: who started this process, by the variables that launchers set.
 *
 *   OMPI_COMM_WORLD_SIZE         Open MPI's mpirun
 *   PMI_SIZE                     launchers that speak PMI: MPICH's, Slurm's --mpi=pmi2
 *   SLURM_PROCID, SLURM_NTASKS   Slurm's srun with any --mpi=; also its batch script
 *   PMIX_RANK                    launchers that speak PMIx; no variable has the size
 */
#ifndef GAIT_DIST_LAUNCHER_H
#define GAIT_DIST_LAUNCHER_H

#include "base/status.h"

#include <stdbool.h>

struct launcher {
    bool launched;
    long processes; /* that it started; 0: not known */
    bool at_least;  /* it started that many or more */
    bool slurm;     /* known by Slurm's variables alone */
};

struct launcher launcher_asked(void);

/* Several were started and MPI sees another number: each would train alone. */
enum status launcher_check_size(const struct launcher *l, int mpi_size, struct err *err);

#endif
