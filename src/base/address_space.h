/*
 * The address space of this process, which `ulimit -v` (RLIMIT_AS) limits. What is mapped
 * counts, used or not: libraries, threads' stacks, heaps. Under such a limit a mapping
 * fails at any moment, also within a library that does not expect it; so it is asked for
 * before such a library is called.
 */
#ifndef GAIT_BASE_ADDRESS_SPACE_H
#define GAIT_BASE_ADDRESS_SPACE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* INFINITY where nothing limits it. */
double address_space_limit_bytes(void);
/* Mapped now; NAN where the kernel does not say. */
double address_space_used_bytes(void);

/* Could so much be mapped now? Found out by mapping and unmapping it. */
bool address_space_has(size_t bytes);
/* The same as a status: an error names the limit, what is used, who needs how much, and
 * `remedy`, what to do beside raising the limit. */
enum status address_space_require(size_t bytes, const char *who, const char *remedy,
                                  struct err *err);

/* Once, before anything else: the main thread's stack gets what it will need, as it could
 * not grow later, and under a limit threads share heaps, each of which maps 64 MiB. */
enum status address_space_begin(struct err *err);

#endif
