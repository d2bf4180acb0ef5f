/*
 * The processor's own counters, of every thread that this process has when they are
 * opened: cycles, instructions, and what missed the last cache. Many virtual machines and
 * containers have none; then `why_not` says so.
 *
 *     counters_open → work → counters_read, which closes them
 */
#ifndef GAIT_MACHINE_COUNTERS_H
#define GAIT_MACHINE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

/* E(VALUE, "key", "what") */
#define COUNTER_LIST(E)                                                                  \
    E(CYCLES, "cycles", "cycles in user code")                                           \
    E(INSTRUCTIONS, "instructions", "instructions of user code")                         \
    E(CACHE_MISSES, "cache_misses", "reads and writes that missed the last cache")
#define COUNTER_VALUE(v, key, what) COUNTER_##v,
enum counter { COUNTER_LIST(COUNTER_VALUE) COUNTER_COUNT };
extern const char *const counter_key[COUNTER_COUNT], *const counter_text[COUNTER_COUNT];

enum { COUNTER_THREADS_MAX = 512, COUNTER_WHY_MAX = 160 };

struct counters {
    int fd[COUNTER_COUNT][COUNTER_THREADS_MAX]; /* (threads) -1: this one is not there */
    size_t threads;
    double value[COUNTER_COUNT]; /* after counters_read(); NAN: not known */
    char why_not[COUNTER_COUNT][COUNTER_WHY_MAX]; /* or "" */
};

void counters_open(struct counters *c);
void counters_read(struct counters *c);

#endif
