/* What this CPU can do and how much of it this process may use. */
#ifndef GAIT_MACHINE_CPU_H
#define GAIT_MACHINE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* I(field, "text in facts"): instruction sets that the CPU has and the kernel lets us
 * use. amx_bf16 still needs arch_prctl(ARCH_REQ_XCOMP_PERM) before its first use. */
#define CPU_ISA_LIST(I)                                                                  \
    I(avx2, "avx2")                                                                      \
    I(fma, "fma")                                                                        \
    I(avx512f, "avx512f")                                                                \
    I(avx512_bf16, "avx512_bf16")                                                        \
    I(amx_bf16, "amx_bf16")

struct cpu_isa {
#define CPU_ISA_FIELD(field, text) bool field;
    CPU_ISA_LIST(CPU_ISA_FIELD)
};

struct cpu_isa cpu_isa(void); /* all false on other architectures */
/* Has it AMX's bf16, and may this process use it? Asks the kernel, once. */
bool cpu_allows_amx(void);
/* By its own word: brand, family, model, stepping; brands alone are often "Xeon". */
struct cpu_name {
    char s[80];
};
struct cpu_name cpu_name(void); /* "" on other architectures */

/* Cores this process may run on: affinity, cut by the control group's CPU quota (rounded
 * up). At least 1. */
int cpu_usable_cores(void);

/* Size of the data or unified cache of a level (1 … 4) of CPU 0, 0 where unknown. */
int64_t cpu_cache_bytes(int level);
/* Of the last level that is known, 0 where none is. */
int64_t cpu_last_cache_bytes(void);

#endif
