/*
 * Addresses are not storages: what lies at one may be filled by NumPy, or freed and given
 * to a DataLoader's batch, without a trace. A life counts as the same value within an
 * epoch (call_list.h) and while autograd holds it for a backward call; whoever reads it
 * later reads another one. Only what an optimizer or autograd keeps (parameters, state,
 * gradients) is there for good.
 *
 * The value may nevertheless be the one that was written before: so that nothing is taken
 * for unread, the first call that reads the new life reads the old one too.
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
    const uint8_t *seen; /* (tensors) LIFE_… */
    bool *written; /* (tensors) has an operator made the present one, or written to it? */
    int32_t *now;  /* (tensors) row that stands for it at present */
    int32_t *last; /* (tensors) epoch of its last use; -1: none yet */
    int32_t *until; /* (tensors) call until which it is held */
    struct held *held;
    size_t n_held, at_held;
    struct op_tensor *also; /* reads of old lives, by calls */
    size_t n_also, cap_also;
};

static bool is_apart(const struct splitting *s, int32_t tensor)
{
    return tensor >= 0 && !(s->seen[tensor] & LIFE_STAYS);
}

static bool writes(enum tensor_role role)
{
    return role != TENSOR_ROLE_READ && role != TENSOR_ROLE_VIEW;
}

static void find_held(struct splitting *s)
{
    const struct op_tensors *u = &s->run->op_tensors;
    s->held = mem_alloc((u->table.n + 1) * sizeof *s->held);
    for (size_t i = 0; i < u->table.n; i++) {
        int32_t forward = s->run->watched_ops.forward[u->op[i]];
        if (is_apart(s, u->tensor[i]) && forward >= 0)
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

/* Where it comes from is not known any more, if an operator is seen to make the first. */
static int32_t another(struct splitting *s, int32_t tensor)
{
    const struct tensors *t = &s->run->tensors;
    bool made = s->seen[tensor] & LIFE_MADE;
    struct tensor_life row = {.rank = t->rank[tensor],
                              .bytes = t->bytes[tensor],
                              .kept = t->kept[tensor],
                              .source = made ? VALUE_SOURCE_MADE : t->source[tensor]};
    tensors_add(&s->run->tensors, row);
    return (int32_t)s->run->tensors.table.n - 1;
}

static struct op_tensor use_of(const struct op_tensors *u, size_t i)
{
    return (struct op_tensor){.op = u->op[i],
                              .role = u->role[i],
                              .argument = u->argument[i],
                              .tensor = u->tensor[i],
                              .version = u->version[i],
                              .offset = u->offset[i],
                              .shape = u->shape[i],
                              .strides = u->strides[i],
                              .dtype = u->dtype[i],
                              .hash = u->hash[i],
                              .zeros = u->zeros[i],
                              .zero_rows = u->zero_rows[i]};
}

/* Also where it is written: perhaps not all of it, and what is written unseen in between
 * makes it needful to write the same again. */
static void read_old(struct splitting *s, size_t use)
{
    struct op_tensor x = use_of(&s->run->op_tensors, use);
    x.tensor = s->now[x.tensor];
    x.role = TENSOR_ROLE_READ;
    vec_grow(s->also, s->cap_also, s->n_also + 1);
    s->also[s->n_also++] = x;
}

static bool is_same(const struct splitting *s, int32_t tensor, int32_t op)
{
    bool number = s->run->tensors.source[tensor] == VALUE_SOURCE_HOST &&
                  !(s->seen[tensor] & LIFE_MADE);
    return s->last[tensor] < 0 || (!number && (s->last[tensor] == s->l->call[op].epoch ||
                                               s->until[tensor] >= op));
}

static void split_uses(struct splitting *s)
{
    struct op_tensors *u = &s->run->op_tensors;
    for (size_t i = 0; i < u->table.n; i++) {
        int32_t tensor = u->tensor[i], op = u->op[i];
        if (!is_apart(s, tensor))
            continue;
        hold_until(s, op);
        if (!is_same(s, tensor, op)) {
            if (s->written[tensor] || writes(u->role[i]))
                read_old(s, i);
            s->now[tensor] = another(s, tensor);
            s->written[tensor] = false;
        }
        s->written[tensor] |= writes(u->role[i]);
        s->last[tensor] = s->l->call[op].epoch;
        u->tensor[i] = s->now[tensor];
    }
}

/* Behind the other tensors of their calls. */
static void add_also(struct splitting *s)
{
    struct op_tensors *u = &s->run->op_tensors;
    size_t n = u->table.n, at = 0;
    if (!s->n_also)
        return;
    struct op_tensor *all = mem_alloc((n + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = use_of(u, i);
    u->table.n = 0;
    for (size_t i = 0; i < n; i++) {
        op_tensors_add(u, all[i]);
        while (at < s->n_also && s->also[at].op == all[i].op &&
               (i + 1 == n || all[i + 1].op != all[i].op))
            op_tensors_add(u, s->also[at++]);
    }
    mem_free(all);
}

void storage_split(struct run *run, const struct call_list *l, const uint8_t *seen)
{
    size_t n = run->tensors.table.n;
    struct splitting s = {.run = run,
                          .l = l,
                          .seen = seen,
                          .written = mem_zalloc(n + 1, sizeof *s.written),
                          .now = mem_alloc((n + 1) * sizeof *s.now),
                          .last = mem_alloc((n + 1) * sizeof *s.last),
                          .until = mem_alloc((n + 1) * sizeof *s.until)};
    for (size_t t = 0; t < n; t++) {
        s.now[t] = (int32_t)t;
        s.last[t] = s.until[t] = -1;
    }
    find_held(&s);
    split_uses(&s);
    add_also(&s);
    mem_free(s.written);
    mem_free(s.now);
    mem_free(s.last);
    mem_free(s.until);
    mem_free(s.held);
    mem_free(s.also);
}
