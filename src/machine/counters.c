#include "machine/counters.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNTER_KEY(v, key, what) key,
#define COUNTER_TEXT(v, key, what) what,
const char *const counter_key[COUNTER_COUNT] = {COUNTER_LIST(COUNTER_KEY)};
const char *const counter_text[COUNTER_COUNT] = {COUNTER_LIST(COUNTER_TEXT)};

static const uint64_t event_of[COUNTER_COUNT] = {
    [COUNTER_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
    [COUNTER_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
    [COUNTER_CACHE_MISSES] = PERF_COUNT_HW_CACHE_MISSES,
};

/* What a read() gives with this format. */
struct reading {
    uint64_t value, enabled_ns, running_ns;
};

static int open_one(uint64_t event, pid_t thread)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = event,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1,
                                   .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                  PERF_FORMAT_TOTAL_TIME_RUNNING};
    return (int)syscall(SYS_perf_event_open, &attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static const char *reason(int error)
{
    switch (error) {
    case ENOENT:
    case EOPNOTSUPP:
    case ENODEV:
        return "this machine gives programs no such counter (virtual machines often "
               "hide them)";
    case EACCES:
    case EPERM:
        return "not allowed here (kernel.perf_event_paranoid, or the container's seccomp "
               "profile)";
    case ENOSYS:
        return "this kernel has no perf_event_open";
    case EMFILE:
        return "too many open files (ulimit -n)";
    default:
        return strerror(error);
    }
}

static size_t list_threads(pid_t *thread, size_t max)
{
    size_t n = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *d; dir && n < max && (d = readdir(dir));)
        if (d->d_name[0] != '.')
            thread[n++] = (pid_t)strtol(d->d_name, NULL, 10);
    if (dir)
        closedir(dir);
    return n;
}

static void close_all(struct counters *c, int counter, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (c->fd[counter][i] >= 0)
            close(c->fd[counter][i]);
}

/* Of all threads or of none: a sum over some of them would be no sum. */
static void open_counter(struct counters *c, int counter, const pid_t *thread)
{
    for (size_t i = 0; i < c->threads; i++) {
        c->fd[counter][i] = open_one(event_of[counter], thread[i]);
        if (c->fd[counter][i] >= 0 || errno == ESRCH) /* it ended meanwhile */
            continue;
        snprintf(c->why_not[counter], COUNTER_WHY_MAX, "%s", reason(errno));
        close_all(c, counter, i);
        return;
    }
}

void counters_open(struct counters *c)
{
    pid_t thread[COUNTER_THREADS_MAX] = {0};
    c->threads = list_threads(thread, COUNTER_THREADS_MAX);
    for (int k = 0; k < COUNTER_COUNT; k++) {
        c->value[k] = NAN;
        c->why_not[k][0] = '\0';
        if (!c->threads)
            snprintf(c->why_not[k], COUNTER_WHY_MAX, "/proc/self/task cannot be read");
        else if (c->threads == COUNTER_THREADS_MAX)
            snprintf(c->why_not[k], COUNTER_WHY_MAX, "more threads than %d",
                     COUNTER_THREADS_MAX);
        else
            open_counter(c, k, thread);
    }
}

/* Where counters share one of the processor's, each is counted part of the time: scaled
 * up. */
static double scaled(int fd)
{
    struct reading r;
    if (read(fd, &r, sizeof r) != (ssize_t)sizeof r)
        return NAN;
    if (!r.running_ns)
        return r.enabled_ns ? NAN : 0;
    return (double)r.value * ((double)r.enabled_ns / (double)r.running_ns);
}

void counters_read(struct counters *c)
{
    for (int k = 0; k < COUNTER_COUNT; k++) {
        if (c->why_not[k][0])
            continue;
        c->value[k] = 0;
        for (size_t i = 0; i < c->threads; i++)
            if (c->fd[k][i] >= 0)
                c->value[k] += scaled(c->fd[k][i]);
        close_all(c, k, c->threads);
        if (isnan(c->value[k]))
            snprintf(c->why_not[k], COUNTER_WHY_MAX, "it was never scheduled");
    }
}
