/*
 * A ring of slots. The calling thread fills the slot behind the last one and, when none
 * is free or no text is left, waits for the oldest and puts it. Workers take filled slots
 * in order. A slot belongs to the calling thread while EMPTY or DONE and to one worker
 * while TAKEN, so its contents need no lock; the lock guards the states.
 */
#include "data/encode_pool.h"

#include "base/mem.h"

#include <pthread.h>
#include <signal.h>

enum slot_state { SLOT_EMPTY, SLOT_FILLED, SLOT_TAKEN, SLOT_DONE };

struct slot {
    enum slot_state state;
    struct text_chunk chunk;
    struct token_list tokens;
    enum status status;
    struct err err;
};

struct pool {
    const struct encode_job *job;
    pthread_mutex_t lock;
    pthread_cond_t filled, done;
    struct slot *slot; /* (slots) */
    size_t slots;
    uint64_t filled_n; /* slots ever filled */
    uint64_t taken_n;  /* … taken by workers */
    uint64_t put_n;    /* … put */
    bool stop;
};

static void slot_encode(struct slot *s, struct encoder *e)
{
    s->tokens.n = 0;
    s->err = (struct err)ERR_INIT;
    s->status =
        encoder_add(e, &s->tokens, s->chunk.text, s->chunk.len, s->chunk.at, &s->err);
    if (s->status && s->chunk.path)
        err_prefix(&s->err, "%s", s->chunk.path);
}

static void *worker_run(void *arg)
{
    struct pool *p = arg;
    struct encoder *e = encoder_new(p->job->tokenizer);
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->stop && p->taken_n == p->filled_n)
            pthread_cond_wait(&p->filled, &p->lock);
        if (p->stop)
            break;
        struct slot *s = &p->slot[p->taken_n++ % p->slots];
        s->state = SLOT_TAKEN;
        pthread_mutex_unlock(&p->lock);
        slot_encode(s, e);
        pthread_mutex_lock(&p->lock);
        s->state = SLOT_DONE;
        pthread_cond_signal(&p->done);
    }
    pthread_mutex_unlock(&p->lock);
    encoder_free(e);
    return NULL;
}

static enum status slot_put(struct pool *p, struct slot *s, struct err *err)
{
    enum status st = s->status;
    if (st)
        err_set_at(err, st, s->err.offset, "%s", s->err.text);
    else
        st = p->job->put(p->job->context, &s->chunk, &s->tokens, err);
    mem_free(s->chunk.owned);
    s->chunk = (struct text_chunk){0};
    return st;
}

static enum status put_oldest(struct pool *p, struct err *err)
{
    struct slot *s = &p->slot[p->put_n++ % p->slots];
    pthread_mutex_lock(&p->lock);
    while (s->state != SLOT_DONE)
        pthread_cond_wait(&p->done, &p->lock);
    s->state = SLOT_EMPTY;
    pthread_mutex_unlock(&p->lock);
    return slot_put(p, s, err);
}

static enum status fill_next(struct pool *p, bool *end, struct err *err)
{
    struct slot *s = &p->slot[p->filled_n % p->slots];
    enum status st = p->job->get(p->job->context, &s->chunk, end, err);
    if (st || *end)
        return st;
    pthread_mutex_lock(&p->lock);
    s->state = SLOT_FILLED;
    p->filled_n++;
    pthread_cond_signal(&p->filled);
    pthread_mutex_unlock(&p->lock);
    return STATUS_OK;
}

static enum status pool_drive(struct pool *p, struct err *err)
{
    bool end = false;
    enum status st = STATUS_OK;
    while (!st && (!end || p->put_n < p->filled_n)) {
        if (!end && p->filled_n - p->put_n < p->slots)
            st = fill_next(p, &end, err);
        else
            st = put_oldest(p, err);
    }
    return st;
}

/* Fewer threads than wanted are slower, not wrong. Signals stay with the calling
 * thread. */
static int start_workers(struct pool *p, pthread_t *thread, int want)
{
    sigset_t all, old;
    int n = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    while (n < want && !pthread_create(&thread[n], NULL, worker_run, p))
        n++;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return n;
}

static void pool_stop(struct pool *p, pthread_t *thread, int n)
{
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_broadcast(&p->filled);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}

static enum status run_alone(const struct encode_job *job, struct err *err)
{
    struct pool p = {.job = job};
    struct slot s = {0};
    struct encoder *e = encoder_new(job->tokenizer);
    bool end = false;
    enum status st = job->get(job->context, &s.chunk, &end, err);
    while (!st && !end) {
        slot_encode(&s, e);
        st = slot_put(&p, &s, err);
        if (!st)
            st = job->get(job->context, &s.chunk, &end, err);
    }
    token_list_release(&s.tokens);
    encoder_free(e);
    return st;
}

enum status encode_pool_run(const struct encode_job *job, struct err *err)
{
    if (job->threads <= 1)
        return run_alone(job, err);
    size_t slots = 2 * (size_t)job->threads + 1;
    struct pool p = {.job = job, .slots = slots};
    p.slot = mem_zalloc(slots, sizeof *p.slot);
    pthread_t *thread = mem_zalloc((size_t)job->threads, sizeof *thread);
    pthread_mutex_init(&p.lock, NULL);
    pthread_cond_init(&p.filled, NULL);
    pthread_cond_init(&p.done, NULL);
    int workers = start_workers(&p, thread, job->threads);
    enum status st = workers ? pool_drive(&p, err) : run_alone(job, err);
    pool_stop(&p, thread, workers);
    for (size_t i = 0; i < slots; i++) {
        mem_free(p.slot[i].chunk.owned);
        token_list_release(&p.slot[i].tokens);
    }
    pthread_cond_destroy(&p.done);
    pthread_cond_destroy(&p.filled);
    pthread_mutex_destroy(&p.lock);
    mem_free(thread);
    mem_free(p.slot);
    return st;
}
