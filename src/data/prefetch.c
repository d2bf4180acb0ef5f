/*
 * Position p lies in slot (p - first) % depth. Workers claim positions in order; a
 * position may be claimed when its slot has been given back, which is when the caller
 * asks for a later batch. A slot belongs to the worker that claimed it until it is marked
 * filled, then to the caller: the lock guards claims and marks, not the buffers.
 */
#include "data/prefetch.h"

#include "base/clock.h"
#include "base/mem.h"
#include "probe/probe.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

struct ring_slot {
    int32_t *inputs, *targets;
    int64_t filled; /* the position that it holds, -1: none */
    enum status status;
    struct err err;
};

struct prefetch {
    const struct loader *loader;
    struct ring_slot *slot; /* (depth) */
    int depth, workers;
    pthread_t *thread; /* (workers) */
    pthread_mutex_t lock;
    pthread_cond_t free, filled;
    int64_t first;   /* position of the first batch */
    int64_t claimed; /* the next position to claim */
    int64_t next;    /* the next position for the caller; the one before is in use */
    bool stop;
};

size_t prefetch_buffer_ints(const struct loader *l, int depth)
{
    return (size_t)depth * 2 * (size_t)l->rows * (size_t)l->o.context;
}

static struct ring_slot *slot_of(struct prefetch *p, int64_t position)
{
    return &p->slot[(position - p->first) % p->depth];
}

/* The caller holds next - 1 while it works, so a slot is free when its last position is
 * before that one. */
static bool may_claim(const struct prefetch *p)
{
    int64_t in_use = p->next > p->first ? p->next - 1 : p->first;
    return p->claimed < in_use + p->depth;
}

static void *worker_run(void *arg)
{
    struct prefetch *p = arg;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->stop && !may_claim(p))
            pthread_cond_wait(&p->free, &p->lock);
        if (p->stop)
            break;
        int64_t position = p->claimed++;
        struct ring_slot *s = slot_of(p, position);
        pthread_mutex_unlock(&p->lock);
        s->status = loader_fill(p->loader, position, s->inputs, s->targets, &s->err);
        pthread_mutex_lock(&p->lock);
        s->filled = position;
        pthread_cond_signal(&p->filled);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void make_slots(struct prefetch *p, int32_t *buffer)
{
    size_t one = (size_t)p->loader->rows * (size_t)p->loader->o.context;
    p->slot = mem_zalloc((size_t)p->depth, sizeof *p->slot);
    for (int i = 0; i < p->depth; i++) {
        p->slot[i].inputs = buffer + 2 * (size_t)i * one;
        p->slot[i].targets = p->slot[i].inputs + one;
        p->slot[i].filled = -1;
        p->slot[i].err = (struct err)ERR_INIT;
    }
}

/* Signals stay with the calling thread. */
static enum status start_workers(struct prefetch *p, int want, struct err *err)
{
    sigset_t all, old;
    p->thread = mem_zalloc((size_t)want, sizeof *p->thread);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (p->workers < want &&
           !pthread_create(&p->thread[p->workers], NULL, worker_run, p))
        p->workers++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (p->workers == want)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT,
                   "cannot start %d threads to load data; use fewer num_workers", want);
}

enum status prefetch_open(struct prefetch **out, const struct loader *l,
                          const struct prefetch_options *o, struct err *err)
{
    if (o->depth < 1 || o->workers < 0 || o->first < 0 || !o->buffer)
        BUG("a ring of %d batches from %lld on for %d workers", o->depth,
            (long long)o->first, o->workers);
    struct prefetch *p = mem_zalloc(1, sizeof *p);
    p->loader = l;
    p->depth = o->depth;
    p->first = p->claimed = p->next = o->first;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->free, NULL);
    pthread_cond_init(&p->filled, NULL);
    make_slots(p, o->buffer);
    enum status st = o->workers ? start_workers(p, o->workers, err) : STATUS_OK;
    if (st)
        prefetch_close(p);
    else
        *out = p;
    return st;
}

/* Give back what the caller had, and wait for what it wants. Returns the time waited. */
static int64_t wait_filled(struct prefetch *p, const struct ring_slot *s,
                           int64_t position)
{
    int64_t begin_ns = clock_now_ns();
    pthread_mutex_lock(&p->lock);
    p->next = position + 1;
    pthread_cond_broadcast(&p->free);
    bool waits = s->filled != position;
    while (s->filled != position)
        pthread_cond_wait(&p->filled, &p->lock);
    pthread_mutex_unlock(&p->lock);
    if (waits && probe_enabled)
        probe_record(begin_ns, SPAN_KIND_WAIT, "wait for batch", 0, 0);
    return clock_now_ns() - begin_ns;
}

static int64_t fill_now(struct prefetch *p, struct ring_slot *s, int64_t position)
{
    int64_t begin_ns = clock_now_ns();
    p->next = position + 1;
    s->status = loader_train(p->loader, position, s->inputs, s->targets, &s->err);
    return clock_now_ns() - begin_ns;
}

enum status prefetch_next(struct prefetch *p, struct batch *out, struct err *err)
{
    int64_t position = p->next;
    struct ring_slot *s = slot_of(p, position);
    int64_t waited_ns =
        p->workers ? wait_filled(p, s, position) : fill_now(p, s, position);
    if (s->status) {
        pthread_mutex_lock(&p->lock);
        p->next = position; /* the same answer when asked again */
        pthread_mutex_unlock(&p->lock);
        return err_set_at(err, s->status, s->err.offset, "%s", s->err.text);
    }
    *out = (struct batch){s->inputs, s->targets, position, waited_ns};
    return STATUS_OK;
}

void prefetch_close(struct prefetch *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->free);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->workers; i++)
        pthread_join(p->thread[i], NULL);
    pthread_cond_destroy(&p->filled);
    pthread_cond_destroy(&p->free);
    pthread_mutex_destroy(&p->lock);
    mem_free(p->thread);
    mem_free(p->slot);
    mem_free(p);
}
