#include "trace/block_reader.h"

#include "base/mem.h"
#include "base/status.h"

#include <pthread.h>

struct shared {
    const struct block_reader *r;
    pthread_mutex_t source_lock, turn_lock;
    pthread_cond_t turn_changed;
    int64_t turn; /* order of the block whose guess is checked next */
    bool ended;   /* no block behind it is wanted; whose turn it is */
    bool stopped; /* a consumer has failed; source_lock */
};

struct worker {
    struct shared *shared;
    struct block_consumer *consumer;
    struct text_index index;
    struct block block;
    pthread_t thread;
};

static size_t skip_space(const struct block *b, size_t at)
{
    while (at < b->len && json_is_space(b->text[at]))
        at++;
    return at;
}

/* Over the comma behind an event to the next one; false where that is not what follows.
 */
static bool next_event(struct worker *w, size_t *at)
{
    const struct block *b = &w->block;
    struct text_index *x = &w->index;
    size_t comma = skip_space(b, *at);
    if (comma == b->len || b->text[comma] != ',')
        return false;
    size_t event = skip_space(b, comma + 1);
    if (event == b->len || b->text[event] != '{')
        return false;
    while (x->next == x->n && text_index_more(x))
        ;
    x->next++; /* the comma */
    *at = event;
    return true;
}

/* Events from the beginning of the block on. Returns where the last one ended; 0: none.
 */
static size_t parse_in_advance(struct worker *w)
{
    struct block *b = &w->block;
    struct trace_event e;
    size_t at = 0, end = 0;
    text_index_start(&w->index, b->text, 0, b->len);
    do {
        if (event_parse(&e, &w->index) != JSON_OK)
            break;
        e.offset = b->offset + (int64_t)at;
        w->consumer->event(w->consumer->context, &e);
        end = at = text_index_used(&w->index);
    } while (next_event(w, &at));
    return end;
}

static void wait_for_turn(struct shared *s, int64_t order)
{
    pthread_mutex_lock(&s->turn_lock);
    while (s->turn != order)
        pthread_cond_wait(&s->turn_changed, &s->turn_lock);
    pthread_mutex_unlock(&s->turn_lock);
}

static void pass_turn(struct shared *s)
{
    pthread_mutex_lock(&s->turn_lock);
    s->turn++;
    pthread_cond_broadcast(&s->turn_changed);
    pthread_mutex_unlock(&s->turn_lock);
}

/* In the order of blocks: was the guess right? Then what stands behind the parsed events,
 * else everything, is read as it comes. */
static void finish_in_order(struct worker *w, size_t parsed)
{
    struct container_reader *c = w->shared->r->container;
    struct block_consumer *to = w->consumer;
    const struct block *b = &w->block;
    if (b->at_event && container_reader_is_between(c)) {
        container_reader_view_behind(c, parsed > 0, b->text + parsed, b->len - parsed,
                                     b->offset + (int64_t)parsed, b->last);
    } else {
        to->drop(to->context);
        container_reader_view(c, b->text, b->len, b->offset, b->last);
    }
    struct trace_event e;
    while (container_reader_next(c, &e))
        to->event(to->context, &e);
    w->shared->ended = !to->accept(to->context, b);
}

static bool take_block(struct worker *w)
{
    struct shared *s = w->shared;
    pthread_mutex_lock(&s->source_lock);
    bool got = !s->stopped && block_source_next(s->r->blocks, &w->block);
    if (got && s->r->progress)
        s->r->progress(s->r->progress_context);
    pthread_mutex_unlock(&s->source_lock);
    return got;
}

static void stop_all(struct shared *s)
{
    pthread_mutex_lock(&s->source_lock);
    s->stopped = true;
    pthread_mutex_unlock(&s->source_lock);
}

static bool work_block(struct worker *w)
{
    if (!take_block(w))
        return false;
    size_t parsed = w->block.at_event ? parse_in_advance(w) : 0;
    wait_for_turn(w->shared, w->block.order);
    bool ended = w->shared->ended;
    if (ended)
        w->consumer->drop(w->consumer->context);
    else
        finish_in_order(w, parsed);
    bool last = w->shared->ended;
    pass_turn(w->shared);
    if (last)
        stop_all(w->shared);
    if (!ended && !w->consumer->put_away(w->consumer->context, w->block.order))
        stop_all(w->shared);
    return true;
}

static void *work(void *context)
{
    while (work_block(context))
        ;
    return NULL;
}

static void work_in_turn(struct worker *w, int n)
{
    int i = 0;
    while (work_block(&w[i]))
        i = (i + 1) % n;
}

/* The threads that could be started; the caller's own needs no start. */
static int start_workers(struct worker *w, int n)
{
    int started = 1;
    while (started < n && !pthread_create(&w[started].thread, NULL, work, &w[started]))
        started++;
    return started;
}

static void work_in_threads(struct worker *w, int n)
{
    int started = start_workers(w, n);
    work(&w[0]);
    for (int i = 1; i < started; i++)
        pthread_join(w[i].thread, NULL);
}

void block_reader_run(const struct block_reader *r)
{
    struct shared s = {.r = r};
    pthread_mutex_init(&s.source_lock, NULL);
    pthread_mutex_init(&s.turn_lock, NULL);
    pthread_cond_init(&s.turn_changed, NULL);
    struct worker *w = mem_zalloc((size_t)r->threads, sizeof *w);
    for (int i = 0; i < r->threads; i++) {
        w[i] = (struct worker){.shared = &s, .consumer = &r->consumer[i]};
        text_index_init(&w[i].index);
        block_init(&w[i].block);
    }
    if (r->in_turn)
        work_in_turn(w, r->threads);
    else
        work_in_threads(w, r->threads);
    for (int i = 0; i < r->threads; i++) {
        text_index_release(&w[i].index);
        block_release(&w[i].block);
    }
    mem_free(w);
    pthread_mutex_destroy(&s.source_lock);
    pthread_mutex_destroy(&s.turn_lock);
    pthread_cond_destroy(&s.turn_changed);
}
