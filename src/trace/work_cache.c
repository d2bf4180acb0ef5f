#include "trace/work_cache.h"

#include "base/mem.h"

#include <stdio.h>

void work_cache_init(struct work_cache *c)
{
    *c = (struct work_cache){0};
}

void work_cache_release(struct work_cache *c)
{
    names_release(&c->texts);
    mem_free(c->slot);
}

/* The text's number; 0 where it is absent. False where it is not to be remembered. */
static bool text_id(struct work_cache *c, const struct json_text *t, uint32_t *id)
{
    if (t->len > WORK_TEXT_BYTES_MAX || c->texts.n >= WORK_TEXTS_MAX)
        return false;
    if (!c->texts.n)
        names_init(&c->texts);
    *id = t->s ? names_add(&c->texts, t->s, t->len) : 0;
    return true;
}

static struct known_work *slot_of(struct work_cache *c, const struct known_work *key)
{
    if (!c->slot)
        c->slot = mem_zalloc(WORK_CACHE_SLOTS, sizeof *c->slot);
    uint64_t h = key->rule + (uint64_t)key->dims * 0x9e3779b97f4a7c15u;
    h = (h ^ key->types) * 0xff51afd7ed558ccdu;
    h = (h ^ key->values) * 0xc4ceb9fe1a85ec53u;
    return &c->slot[(h >> 40) % WORK_CACHE_SLOTS];
}

static bool same_call(const struct known_work *a, const struct known_work *b)
{
    return a->rule == b->rule && a->dims == b->dims && a->types == b->types &&
           a->values == b->values;
}

struct op_work work_of_event(int rule, const struct trace_event *e)
{
    return op_work_count(rule, &e->text[EVENT_TEXT_INPUT_DIMS],
                         &e->text[EVENT_TEXT_INPUT_TYPES],
                         &e->text[EVENT_TEXT_INPUT_VALUES]);
}

struct op_work work_cache_count(struct work_cache *c, int rule, name_id raw_dims,
                                const struct trace_event *e)
{
    struct known_work key = {.rule = (uint32_t)rule, .dims = raw_dims};
    if (!text_id(c, &e->text[EVENT_TEXT_INPUT_TYPES], &key.types) ||
        (op_work_needs_values(rule) &&
         !text_id(c, &e->text[EVENT_TEXT_INPUT_VALUES], &key.values)))
        return work_of_event(rule, e);
    struct known_work *k = slot_of(c, &key);
    if (!same_call(k, &key)) {
        *k = key;
        k->work = work_of_event(rule, e);
    }
    return k->work;
}

void work_tally_count(struct work_tally *t, const struct op_work *w)
{
    t->calls++;
    t->unknown_calls += !w->flop;
    t->flop[w->type] = op_plus(t->flop[w->type], w->flop);
}

void work_tally_add(struct work_tally *to, const struct work_tally *from)
{
    for (int i = 0; i < OP_TYPE_COUNT; i++)
        to->flop[i] = op_plus(to->flop[i], from->flop[i]);
    to->calls += from->calls;
    to->unknown_calls += from->unknown_calls;
}

void work_tally_to_run(const struct work_tally *t, struct run *out, int32_t rank)
{
    static const char how[] = "counted from shapes: matmul, attention and convolution, "
                              "by the type of the factors";
    char key[32];
    for (int i = 0; i < OP_TYPE_COUNT; i++) {
        snprintf(key, sizeof key, "work.flop.%s", op_type_text((enum op_type)i));
        if (t->flop[i])
            run_add_fact(out, rank, key, (double)t->flop[i], "FLOP", ORIGIN_MODELLED,
                         how);
    }
    if (t->calls)
        run_add_fact(out, rank, "work.calls", (double)t->calls, "calls", ORIGIN_MEASURED,
                     "of matmul, attention and convolution");
    if (t->unknown_calls)
        run_add_fact(out, rank, "work.unknown_calls", (double)t->unknown_calls, "calls",
                     ORIGIN_MEASURED, "of them without shapes that tell their work");
}
