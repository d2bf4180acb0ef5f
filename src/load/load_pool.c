/*
 * A ring of slots: file i goes through slot i mod SLOTS. A thread takes the next file
 * only when the slot's last one has been taken, which also bounds what waits in memory.
 */
#include "load/load_pool.h"

#include "base/cores.h"
#include "base/mem.h"
#include "load/load_one.h"
#include "run/run_file.h"

#include <pthread.h>
#include <sys/stat.h>

enum {
    THREADS_MAX = 16,
    SLOTS_A_THREAD = 4, /* of aggregates: spans take more memory, and no more slots than
                           threads need */
    SMALL_TRACE_BYTES = 32 << 20, /* one thread reads it in a second */
};

struct slot {
    bool done, left;
    struct run run;
    enum status st;
    struct err err;
};

struct load_pool {
    const struct path_list *files;
    struct load_options options;
    pthread_t thread[THREADS_MAX];
    int threads;
    struct slot *slot; /* (slots) */
    size_t slots;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next, taken; /* files begun, files handed out */
    bool stop;
};

static int threads_of(const struct load_options *o)
{
    int n = o->threads > 0 ? o->threads : cores_of_affinity();
    return n < 1 ? 1 : n < THREADS_MAX ? n : THREADS_MAX;
}

static bool is_small(const char *path)
{
    struct stat s;
    if (run_file_looks_like(path))
        return true;
    return stat(path, &s) || (S_ISREG(s.st_mode) && s.st_size <= SMALL_TRACE_BYTES);
}

static void fill_slot(const struct load_pool *p, struct slot *s, const char *path)
{
    run_init(&s->run);
    s->err = (struct err)ERR_INIT;
    s->left = !is_small(path);
    s->st = s->left ? STATUS_OK : load_one(&s->run, path, &p->options, NULL, &s->err);
}

static void *work(void *pool)
{
    struct load_pool *p = pool;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->stop && p->next < p->files->n && p->next >= p->taken + p->slots)
            pthread_cond_wait(&p->changed, &p->lock);
        if (p->stop || p->next == p->files->n)
            break;
        size_t i = p->next++;
        struct slot *s = &p->slot[i % p->slots];
        pthread_mutex_unlock(&p->lock);
        fill_slot(p, s, p->files->path[i]);
        pthread_mutex_lock(&p->lock);
        s->done = true;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct load_pool *load_pool_new(const struct path_list *files,
                                const struct load_options *options)
{
    int threads = threads_of(options);
    if (threads < 2 || files->n < 2)
        return NULL;
    struct load_pool *p = mem_zalloc(1, sizeof *p);
    p->files = files;
    p->options = *options;
    p->options.threads = 1; /* a file each */
    p->options.memory_bytes /= (size_t)threads;
    p->slots = options->parts == RUN_PARTS_AGGREGATES ? SLOTS_A_THREAD * (size_t)threads
                                                      : (size_t)threads + 1;
    p->slot = mem_zalloc(p->slots, sizeof *p->slot);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    while (p->threads < threads && !pthread_create(&p->thread[p->threads], NULL, work, p))
        p->threads++;
    if (p->threads)
        return p;
    load_pool_free(p);
    return NULL;
}

enum load_taken load_pool_take(struct load_pool *p, size_t i, struct run *run,
                               enum status *st, struct err *err)
{
    struct slot *s = &p->slot[i % p->slots];
    pthread_mutex_lock(&p->lock);
    if (i != p->taken)
        BUG("file %zu was asked for, %zu is next", i, p->taken);
    while (!s->done)
        pthread_cond_wait(&p->changed, &p->lock);
    pthread_mutex_unlock(&p->lock);
    bool left = s->left; /* the slot is somebody else's soon */
    *st = s->st;
    *err = s->err;
    if (!left && !s->st)
        run_merge(run, &s->run);
    run_release(&s->run);
    pthread_mutex_lock(&p->lock);
    s->done = false;
    p->taken++;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return left ? LOAD_LEFT : LOAD_TAKEN;
}

void load_pool_free(struct load_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->threads; i++)
        pthread_join(p->thread[i], NULL);
    for (size_t i = 0; i < p->slots; i++)
        if (p->slot[i].done)
            run_release(&p->slot[i].run);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    mem_free(p->slot);
    mem_free(p);
}
