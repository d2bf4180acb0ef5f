/*
 * What else went on while something was measured: other programs, a host that took the
 * CPU away (steal), a clock that changed. Figures of a machine that is not quiet are told
 * with it.
 */
#ifndef GAIT_MACHINE_NOISE_H
#define GAIT_MACHINE_NOISE_H

#include <stdbool.h>
#include <stdint.h>

/* CPU time of all CPUs, in ticks of the kernel's; known: /proc/stat could be read. */
struct noise_mark {
    bool known;
    double busy, steal, all;
    int64_t cpu_ns, now_ns; /* of this process */
};

struct noise {
    bool known;
    double others_cpus; /* that other programs took, of all CPUs of the machine, mean */
    double steal_frac;  /* of the time of all CPUs */
};

/* For people: "other programs took 0.98 CPUs"; "" where it was quiet. */
struct noise_text {
    char s[128];
};

struct noise_mark noise_begin(void);
/* Since then. */
struct noise noise_since(const struct noise_mark *begin);
struct noise_text noise_text(const struct noise *n);
struct noise_text noise_text_since(const struct noise_mark *begin);
bool noise_has_others(const struct noise *n); /* other programs ran */

/* The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
bool noise_read(const char *text, struct noise_mark *m);

#endif
