/*
 * Data that no operator makes (a DataLoader's worker, a buffer that NumPy fills) may
 * change at its address without a trace. Such a storage counts as the same value while
 * autograd holds it for a backward call, and within an epoch (call_list.h); from then on
 * it is another one. What an operator writes to is there for good, as parameters are.
 */
#include "execution/flow_rows.h"

#include "base/mem.h"

#include <stdlib.h>

/* A backward call reads the storage: it was held from its forward call on. */
struct held {
    int32_t from, tensor, until;
};

static int compare_held(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

struct splitting {
    struct run *run;
    const struct call_list *l;
    bool *apart;    /* (tensors) may it be split? */
    int32_t *now;   /* (tensors) row that stands for it at present */
    int32_t *last;  /* (tensors) epoch of its last use; -1: none yet */
    int32_t *until; /* (tensors) call until which it is held */
    struct held *held;
    size_t n_held, at_held;
};

static bool writes(enum tensor_role role)
{
    return role != TENSOR_ROLE_READ && role != TENSOR_ROLE_VIEW;
}

static void find_apart(struct splitting *s, size_t tensors, const bool *made)
{
    const struct op_tensors *u = &s->run->op_tensors;
    for (size_t t = 0; t < tensors; t++)
        s->apart[t] = !made[t];
    for (size_t i = 0; i < u->table.n; i++)
        if (u->tensor[i] >= 0 && writes(u->role[i]))
            s->apart[u->tensor[i]] = false;
}

static void find_held(struct splitting *s)
{
    const struct op_tensors *u = &s->run->op_tensors;
    s->held = mem_alloc((u->table.n + 1) * sizeof *s->held);
    for (size_t i = 0; i < u->table.n; i++) {
        int32_t forward = s->run->watched_ops.forward[u->op[i]];
        if (u->tensor[i] >= 0 && s->apart[u->tensor[i]] && forward >= 0)
            s->held[s->n_held++] = (struct held){forward, u->tensor[i], u->op[i]};
    }
    if (s->n_held)
        qsort(s->held, s->n_held, sizeof *s->held, compare_held);
}

/* All that is held from a call before `op` on. */
static void hold_until(struct splitting *s, int32_t op)
{
    for (; s->at_held < s->n_held && s->held[s->at_held].from < op; s->at_held++) {
        const struct held *h = &s->held[s->at_held];
        if (h->until > s->until[h->tensor])
            s->until[h->tensor] = h->until;
    }
}

static int32_t another(struct splitting *s, int32_t tensor)
{
    const struct tensors *t = &s->run->tensors;
    struct tensor_life row = {.rank = t->rank[tensor],
                              .bytes = t->bytes[tensor],
                              .kept = t->kept[tensor],
                              .source = t->source[tensor]};
    tensors_add(&s->run->tensors, row);
    return (int32_t)s->run->tensors.table.n - 1;
}

static void split_uses(struct splitting *s)
{
    struct op_tensors *u = &s->run->op_tensors;
    for (size_t i = 0; i < u->table.n; i++) {
        int32_t tensor = u->tensor[i], op = u->op[i];
        if (tensor < 0 || !s->apart[tensor])
            continue;
        hold_until(s, op);
        int32_t epoch = s->l->call[op].epoch;
        bool number = s->run->tensors.source[tensor] == VALUE_SOURCE_HOST;
        bool same = s->last[tensor] == epoch || s->until[tensor] >= op;
        if (s->last[tensor] >= 0 && (!same || number))
            s->now[tensor] = another(s, tensor);
        s->last[tensor] = epoch;
        u->tensor[i] = s->now[tensor];
    }
}

void storage_split(struct run *run, const struct call_list *l, const bool *made)
{
    size_t n = run->tensors.table.n;
    struct splitting s = {.run = run,
                          .l = l,
                          .apart = mem_zalloc(n + 1, sizeof *s.apart),
                          .now = mem_alloc((n + 1) * sizeof *s.now),
                          .last = mem_alloc((n + 1) * sizeof *s.last),
                          .until = mem_alloc((n + 1) * sizeof *s.until)};
    for (size_t t = 0; t < n; t++) {
        s.now[t] = (int32_t)t;
        s.last[t] = s.until[t] = -1;
    }
    find_apart(&s, n, made);
    find_held(&s);
    split_uses(&s);
    mem_free(s.apart);
    mem_free(s.now);
    mem_free(s.last);
    mem_free(s.until);
    mem_free(s.held);
}
