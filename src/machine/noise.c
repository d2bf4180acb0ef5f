#include "machine/noise.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STAT_BYTES_MAX = 4 << 20 };

/* user, nice, system, idle, iowait, irq, softirq, steal */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, TIMES };

bool noise_read(const char *text, struct noise_mark *m)
{
    double time[TIMES];
    if (strncmp(text, "cpu ", 4) != 0)
        return false;
    const char *at = text + 4;
    for (int i = 0; i < TIMES; i++) {
        char *end;
        time[i] = strtod(at, &end);
        if (end == at || *at == '\n')
            return false;
        at = end;
    }
    m->busy = time[USER] + time[NICE] + time[SYSTEM] + time[IRQ] + time[SOFTIRQ];
    m->steal = time[STEAL];
    m->all = m->busy + time[IDLE] + time[IOWAIT] + time[STEAL];
    return true;
}

struct noise_mark noise_begin(void)
{
    struct noise_mark m = {.cpu_ns = clock_cpu_ns(), .now_ns = clock_now_ns()};
    char *text;
    size_t len;
    if (file_read(&text, &len, "/proc/stat", STAT_BYTES_MAX, NULL))
        return m;
    m.known = noise_read(text, &m);
    mem_free(text);
    return m;
}

struct noise noise_since(const struct noise_mark *begin)
{
    struct noise_mark end = noise_begin();
    struct noise n = {.known = begin->known && end.known && end.all > begin->all};
    double wall_s = (double)(end.now_ns - begin->now_ns) / 1e9;
    double ticks = (double)sysconf(_SC_CLK_TCK);
    if (!n.known || wall_s <= 0 || ticks <= 0)
        return (struct noise){0};
    double busy_s = (end.busy - begin->busy) / ticks;
    double own_s = (double)(end.cpu_ns - begin->cpu_ns) / 1e9;
    n.others_cpus = fmax(0, busy_s - own_s) / wall_s;
    n.steal_frac = (end.steal - begin->steal) / (end.all - begin->all);
    return n;
}

/* Beyond these the machine was not quiet. */
static const double OTHERS_MOST = 0.1 /* CPUs */, STEAL_MOST = 0.01;

bool noise_has_others(const struct noise *n)
{
    return n->known && n->others_cpus > OTHERS_MOST;
}

struct noise_text noise_text(const struct noise *n)
{
    struct noise_text t = {""};
    if (noise_has_others(n))
        snprintf(t.s, sizeof t.s, "other programs took %.2f CPUs", n->others_cpus);
    else if (n->known && n->steal_frac > STEAL_MOST)
        snprintf(t.s, sizeof t.s, "the host took away %.1f %% of the CPUs' time (steal)",
                 100 * n->steal_frac);
    return t;
}

struct noise_text noise_text_since(const struct noise_mark *begin)
{
    struct noise n = noise_since(begin);
    return noise_text(&n);
}
