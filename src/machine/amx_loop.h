/* Private to machine: a loop that does nothing but bf16 products in AMX tiles. */
#ifndef GAIT_MACHINE_AMX_LOOP_H
#define GAIT_MACHINE_AMX_LOOP_H

#include "machine/fma_loops.h"

#include <stdbool.h>

/* False where this CPU, kernel or compiler has no AMX. */
bool amx_loop(struct fma_loop *loop);

#endif
