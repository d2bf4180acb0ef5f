#include "execution/flow_rows.h"

#include "base/mem.h"
#include "run/execution_facts.h"
#include "run/op_traits.h"

#include <stdlib.h>

/* What was seen of a life, beside its row of tensors. */
struct life {
    int32_t version;
    bool made, host, constant, random, number;
    bool read_forward, read_by_optimizer;
    bool written_backward, written_by_optimizer;
    bool gradient; /* autograd has kept it for a parameter */
    bool freed;    /* its address is another's now */
    bool unset;    /* no call has written to it yet */
};

struct filling {
    const struct node_table *t;
    struct run *run;
    int32_t rank;
    int64_t *storage; /* (storages) addresses, sorted */
    int32_t *now;     /* (storages) row of tensors that lives there; -1: none */
    size_t storages;
    struct life *life; /* (tensors of the run) */
    size_t cap_life;
    bool unseen_writer; /* a call reads what no call has written */
};

/* --- addresses --- */

static int compare_storages(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void find_storages(struct filling *f)
{
    const struct node_table *t = f->t;
    size_t n = 0;
    f->storage = mem_alloc((t->tensors + 1) * sizeof *f->storage);
    for (size_t i = 0; i < t->tensors; i++)
        f->storage[i] = t->tensor[i].storage;
    if (t->tensors)
        qsort(f->storage, t->tensors, sizeof *f->storage, compare_storages);
    for (size_t i = 0; i < t->tensors; i++)
        if (!i || f->storage[i] != f->storage[n - 1])
            f->storage[n++] = f->storage[i];
    f->storages = n;
    f->now = mem_alloc((n + 1) * sizeof *f->now);
    for (size_t i = 0; i < n; i++)
        f->now[i] = -1;
}

static int32_t *now_at(struct filling *f, const struct node_tensor *x)
{
    const int64_t *at = bsearch(&x->storage, f->storage, f->storages, sizeof *f->storage,
                                compare_storages);
    return &f->now[at - f->storage];
}

/* --- lives --- */

static int32_t begin_life(struct filling *f, const struct node_tensor *x, bool made)
{
    size_t row = f->run->tensors.table.n;
    int32_t *now = now_at(f, x);
    if (*now >= 0)
        f->life[*now].freed = true;
    tensors_add(&f->run->tensors, (struct tensor_life){.rank = f->rank, .kept = 1});
    vec_grow(f->life, f->cap_life, row + 1);
    f->life[row] = (struct life){.made = made, .number = x->number};
    return *now = (int32_t)row;
}

/* -1: it has no storage, as sparse ones. */
static int32_t life_of(struct filling *f, const struct node_tensor *x)
{
    if (!x->storage)
        return -1;
    int32_t row = *now_at(f, x);
    return row >= 0 ? row : begin_life(f, x, false);
}

static void add_use(struct filling *f, int32_t op, const struct node_tensor *x,
                    int32_t life, enum tensor_role role)
{
    op_tensors_add(&f->run->op_tensors,
                   (struct op_tensor){.op = op,
                                      .role = role,
                                      .argument = x->argument,
                                      .tensor = life,
                                      .version = life < 0 ? 0 : f->life[life].version,
                                      .offset = x->offset,
                                      .shape = x->shape,
                                      .strides = x->strides,
                                      .dtype = x->dtype,
                                      .zeros = -1,
                                      .zero_rows = -1});
    if (life >= 0 && x->bytes_until > f->run->tensors.bytes[life])
        f->run->tensors.bytes[life] = x->bytes_until;
}

/* --- one call --- */

static enum tensor_role role_of(const struct op_schema *s, const struct node *node,
                                const struct node_tensor *x)
{
    uint64_t bit = x->argument < SCHEMA_ARGUMENTS_MAX ? UINT64_C(1) << x->argument : 0;
    if (node->trains && (s->statistics & bit))
        return TENSOR_ROLE_UPDATED;
    if (!(s->writes & bit))
        return TENSOR_ROLE_READ;
    return (s->out & bit) || (s->traits & OP_TRAIT_WRITES_ONLY) ? TENSOR_ROLE_WRITTEN
                                                                : TENSOR_ROLE_UPDATED;
}

/* Views and what asks only for sizes read nothing of it. */
static bool reads_contents(const struct op_schema *s, enum tensor_role role)
{
    return role != TENSOR_ROLE_WRITTEN && !(s->traits & OP_TRAIT_VIEW) && !s->unset &&
           !s->constant;
}

/* takes_over: it gives back what it is given. */
static void see_use(struct life *life, const struct call *c, enum tensor_role role,
                    bool takes_over)
{
    bool writes = role != TENSOR_ROLE_READ;
    life->gradient |= c->accumulates && (writes || takes_over);
    if (role != TENSOR_ROLE_WRITTEN) {
        life->read_by_optimizer |= c->optimizer;
        life->read_forward |= !c->optimizer && !c->backward;
    }
    life->written_by_optimizer |= writes && c->optimizer;
    life->written_backward |= writes && !c->optimizer && c->backward;
    life->version += writes;
    life->unset = life->unset && !writes;
}

static bool is_given(const struct node_tensor *first, const struct node_tensor *result)
{
    for (; !first->result; first++)
        if (first->storage && first->storage == result->storage)
            return true;
    return false;
}

/* Does it make anything? */
static bool add_results(struct filling *f, int32_t op, const struct call *c,
                        const struct node *node)
{
    bool makes = false;
    const struct op_schema *s = &f->t->schema[node->schema];
    const struct node_tensor *first = f->t->tensor + node->first_tensor;
    for (size_t i = 0; i < node->tensors; i++) {
        const struct node_tensor *x = &first[i];
        if (!x->result)
            continue;
        if (is_given(first, x)) { /* what is written in place was an argument already */
            if (!s->writes)
                add_use(f, op, x, life_of(f, x), TENSOR_ROLE_VIEW);
            continue;
        }
        int32_t life = x->storage ? begin_life(f, x, true) : -1;
        if (life >= 0) {
            f->life[life].constant = s->constant;
            f->life[life].unset = s->unset;
            f->life[life].random = node->draws;
            f->life[life].written_backward = c->backward && !c->optimizer;
        }
        add_use(f, op, x, life, TENSOR_ROLE_MADE);
        makes = true;
    }
    return makes;
}

static void add_call(struct filling *f, const struct call *c)
{
    const struct node *node = &f->t->node[c->node];
    const struct op_schema *s = &f->t->schema[node->schema];
    int32_t op = (int32_t)f->run->watched_ops.table.n;
    int32_t traits = s->traits | (c->optimizer ? OP_TRAIT_OPTIMIZER : 0) |
                     (node->draws ? OP_TRAIT_RANDOM : 0);
    watched_ops_add(&f->run->watched_ops,
                    (struct watched_op){.rank = f->rank,
                                        .name = names_add_z(&f->run->names, s->name),
                                        .traits = traits,
                                        .step = c->step,
                                        .line = -1,
                                        .inner = -1,
                                        .backward = c->backward,
                                        .forward = c->forward,
                                        .thread = c->thread,
                                        .scalars = node->scalars});
    const struct node_tensor *first = f->t->tensor + node->first_tensor;
    for (size_t i = 0; i < node->tensors && !first[i].result; i++) {
        bool anew = s->host && first[i].storage; /* what was there before is gone */
        int32_t life = anew ? begin_life(f, &first[i], true) : life_of(f, &first[i]);
        if (anew)
            f->life[life].host = true;
        enum tensor_role role = role_of(s, node, &first[i]);
        f->unseen_writer = f->unseen_writer ||
                           (life >= 0 && f->life[life].unset && reads_contents(s, role));
        if (life >= 0)
            see_use(&f->life[life], c, role, traits & OP_TRAIT_VIEW);
        add_use(f, op, &first[i], life, role);
    }
    /* what gives back only what it is given, or nothing that holds an element, computes
     * nothing, whatever its schema could do */
    if (!add_results(f, op, c, node) && !s->writes &&
        !(traits & (OP_TRAIT_HOST_READ | OP_TRAIT_COLLECTIVE)))
        f->run->watched_ops.traits[op] |= OP_TRAIT_VIEW;
}

/* --- where values come from --- */

/* Nobody says what a parameter is: it is what an optimizer writes and a forward pass
 * reads. */
static enum value_source source_of(const struct life *x)
{
    if (x->gradient ||
        (x->written_backward && (x->read_by_optimizer || x->written_by_optimizer)))
        return VALUE_SOURCE_GRADIENT;
    if (!x->made && x->written_by_optimizer)
        return x->read_forward ? VALUE_SOURCE_PARAMETER : VALUE_SOURCE_STATE;
    if (x->host || (!x->made && x->number && x->read_forward))
        return VALUE_SOURCE_HOST;
    if (!x->made)
        return VALUE_SOURCE_BEFORE;
    return x->random     ? VALUE_SOURCE_RANDOM
           : x->constant ? VALUE_SOURCE_CONSTANT
                         : VALUE_SOURCE_MADE;
}

/* What the backward pass makes is freed like any other, unless it becomes a gradient. */
static bool stays(const struct life *x, enum value_source source)
{
    return source == VALUE_SOURCE_PARAMETER || source == VALUE_SOURCE_STATE ||
           source == VALUE_SOURCE_GRADIENT || x->written_by_optimizer ||
           (!x->made && x->written_backward);
}

/* What is not seen to be freed may be kept. The result: LIFE_… of each. */
static uint8_t *name_sources(struct filling *f)
{
    struct tensors *t = &f->run->tensors;
    uint8_t *seen = mem_zalloc(t->table.n + 1, sizeof *seen);
    for (size_t i = 0; i < t->table.n; i++) {
        t->source[i] = source_of(&f->life[i]);
        t->kept[i] = !f->life[i].freed;
        seen[i] = (uint8_t)((f->life[i].made ? LIFE_MADE : 0) |
                            (stays(&f->life[i], t->source[i]) ? LIFE_STAYS : 0));
    }
    return seen;
}

bool flow_rows_add(const struct node_table *t, const struct call_list *l, int32_t rank)
{
    struct filling f = {.t = t, .run = t->run, .rank = rank};
    find_storages(&f);
    vec_grow(f.life, f.cap_life, 1);
    for (size_t i = 0; i < l->n; i++)
        add_call(&f, &l->call[i]);
    uint8_t *seen = name_sources(&f);
    storage_split(f.run, l, seen);
    mem_free(seen);
    mem_free(f.storage);
    mem_free(f.now);
    mem_free(f.life);
    if (f.unseen_writer)
        run_add_fact(f.run, rank, EXECUTION_FACT_UNSEEN_WRITER, 1, "", ORIGIN_MEASURED,
                     "uninitialised memory is read");
    return f.unseen_writer;
}
