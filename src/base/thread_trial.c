#include "base/thread_trial.h"

#include "base/address_space.h"
#include "base/mem.h"
#include "base/units.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t default_stack_bytes(void)
{
    pthread_attr_t attr;
    size_t bytes = 0;
    pthread_attr_init(&attr);
    pthread_attr_getstacksize(&attr, &bytes);
    pthread_attr_destroy(&attr);
    return bytes;
}

/* "N", "N B", "N K", "N M", "N G"; N alone counts KiB. */
size_t threads_stack_bytes(void)
{
    const char *text = getenv("OMP_STACKSIZE");
    char *unit;
    unsigned long long n = text ? strtoull(text, &unit, 10) : 0;
    if (!n || n >> 32)
        return default_stack_bytes();
    while (*unit == ' ')
        unit++;
    const char *letters = "bkmg", *found = strchr(letters, *unit | 0x20);
    int shift = *unit && found ? 10 * (int)(found - letters) : 10;
    return (size_t)n << shift;
}

struct trial {
    pthread_mutex_t lock; /* held until all have been started */
};

static void *wait_for_the_others(void *data)
{
    struct trial *t = data;
    pthread_mutex_lock(&t->lock);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Returns how many of them could be started, at once, and sets *why (errno). */
static int start_and_join(int n, int *why)
{
    struct trial t = {PTHREAD_MUTEX_INITIALIZER};
    pthread_t *thread = mem_alloc((size_t)n * sizeof *thread);
    pthread_attr_t attr;
    int started = 0;
    sigset_t all, old;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, threads_stack_bytes());
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old); /* signals stay with the caller */
    pthread_mutex_lock(&t.lock);
    while (started < n &&
           !(*why = pthread_create(&thread[started], &attr, wait_for_the_others, &t)))
        started++;
    pthread_mutex_unlock(&t.lock);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
    pthread_attr_destroy(&attr);
    mem_free(thread);
    return started;
}

enum status threads_try(int want, struct err *err)
{
    int why = 0, can = want > 1 ? 1 + start_and_join(want - 1, &why) : want;
    if (can >= want)
        return STATUS_OK;
    double limit = address_space_limit_bytes();
    char space[256] = "";
    if (isfinite(limit))
        snprintf(space, sizeof space,
                 " of %s of the address space, which is limited to %s (ulimit -v) with "
                 "%s in use",
                 unit_mib((double)threads_stack_bytes()).s, unit_mib(limit).s,
                 unit_mib(address_space_used_bytes()).s);
    return err_set(err, STATUS_ENVIRONMENT,
                   "only %d of %d threads can be started (%s), each with a stack%s: use "
                   "threads: %d or fewer, or raise the limit (ulimit -v, ulimit -u)",
                   can, want, strerror(why), space, can);
}
