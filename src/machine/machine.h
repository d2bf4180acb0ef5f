/*
 * The machine as facts of a run: what it is (machine.*) and how fast it was measured to
 * be (ceiling.*). What cannot be known is a fact whose text is "not available: reason",
 * never 0.
 *
 * machine.cpu cores caches memory isa kernel …: docs of the keys are in machine_facts.c.
 * ceiling.f32_flop_per_s, ceiling.memory_bytes_per_s: best of short repetitions; the
 * median stands beside each under key_median. Cores of shared machines change their speed
 * within seconds, so both are said.
 */
#ifndef GAIT_MACHINE_MACHINE_H
#define GAIT_MACHINE_MACHINE_H

#include <stdint.h>

struct run;
struct ceilings;

/* Add the machine's facts to rank row `rank` (-1: all ranks). */
void machine_describe(struct run *run, int32_t rank);

/* Measure with `threads` OpenMP threads (0: all usable cores) and add the ceilings. Takes
 * less than about a second. */
void machine_measure(struct run *run, int32_t rank, int threads);

/* The same of what was measured already, with all the others under ceiling.KEY. */
void machine_add_ceilings(struct run *run, int32_t rank, const struct ceilings *all);

#endif
