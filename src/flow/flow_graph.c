#include "flow/flow_graph.h"

#include "base/mem.h"
#include "run/op_traits.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- numbers --- */

/* Of two numbers one, well mixed: each bit of either changes half of the result. */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a ^ (b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2));
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* What begins a number, so that they are never taken for one another. */
enum { SALT_OP = 1, SALT_TENSOR, SALT_HOST, SALT_WRITE, SALT_PART, SALT_ONCE };

struct numbering {
    struct flow_graph *g;
    uint64_t *now;    /* (tensors) of the value that each holds */
    uint8_t *seen;    /* (tensors) has it a number? */
    int32_t *writer;  /* (tensors) operator that wrote it last */
    int32_t *version; /* (tensors) as it was seen last */
    size_t cap_from;
};

/* A tensor that was there before: its own life is its value. What was made of Python's
 * numbers is the same where its contents are. */
static uint64_t number_of(struct numbering *x, size_t use)
{
    const struct op_tensors *u = &x->g->run->op_tensors;
    int32_t tensor = u->tensor[use];
    if (!x->seen[tensor]) {
        bool host =
            x->g->run->tensors.source[tensor] == VALUE_SOURCE_HOST && u->hash[use] != 0;
        x->now[tensor] = host ? mix(SALT_HOST, (uint64_t)u->hash[use])
                              : mix(SALT_TENSOR, (uint64_t)tensor);
        x->seen[tensor] = 1;
    } else if (x->version[tensor] != u->version[use] &&
               u->role[use] == TENSOR_ROLE_READ) {
        /* written to by something that was not seen */
        x->now[tensor] = mix(mix(SALT_WRITE, x->now[tensor]), (uint64_t)u->version[use]);
    }
    x->version[tensor] = u->version[use];
    return x->now[tensor];
}

/* Which part of a storage, and as what. */
static uint64_t part_of(const struct op_tensors *u, size_t use)
{
    uint64_t part = mix(SALT_PART, (uint64_t)u->offset[use]);
    part = mix(part, u->shape[use]);
    part = mix(part, u->strides[use]);
    return mix(part, u->dtype[use]);
}

static bool reads(enum tensor_role role)
{
    return role == TENSOR_ROLE_READ || role == TENSOR_ROLE_UPDATED;
}

/* Operators come one after the other: first_from[op + 1] is the end so far. */
static void depend(struct numbering *x, size_t op, int32_t on)
{
    struct flow_graph *g = x->g;
    if (on == FLOW_NONE)
        return;
    vec_grow(g->from, x->cap_from, g->first_from[op + 1] + 1);
    g->from[g->first_from[op + 1]++] = on;
}

/* Numbers drawn that are the same by chance are few. */
enum { DRAWN_LEAST = 256 };

/* Nobody knows what else it depends on: no two are alike, but where many numbers that
 * were drawn are the same; a generator was set back then. */
static uint64_t number_once(const struct flow_graph *g, size_t op, uint64_t number)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (flow_has(g, op, OP_TRAIT_RANDOM) && flow_writes(u->role[i]) && u->hash[i] &&
            flow_elements(g, i) >= DRAWN_LEAST)
            return mix(number, (uint64_t)u->hash[i]);
    return mix(mix(SALT_ONCE, op), number);
}

static void read_all(struct numbering *x, size_t op)
{
    struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    size_t row = flow_row(g, op);
    uint64_t number = mix(SALT_OP, g->run->watched_ops.name[row]);
    number = mix(number, (uint64_t)g->run->watched_ops.scalars[row]);
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        if (u->role[i] == TENSOR_ROLE_MADE || u->role[i] == TENSOR_ROLE_VIEW)
            continue;
        number = mix(mix(number, (uint64_t)u->argument[i]), part_of(u, i));
        if (u->tensor[i] < 0) { /* sparse: what it holds is not known */
            number = mix(mix(SALT_ONCE, op), number);
            continue;
        }
        if (!reads(u->role[i]))
            continue;
        number = mix(number, number_of(x, i));
        depend(x, op, x->writer[u->tensor[i]]);
        g->last_read[u->tensor[i]] = (int32_t)op;
    }
    g->number[op] = flow_has(g, op, OP_TRAIT_RANDOM | OP_TRAIT_COLLECTIVE)
                        ? number_once(g, op, number)
                        : number;
}

/* All of the storage, without reading what was there? */
static bool writes_all(const struct flow_graph *g, size_t use)
{
    const struct op_tensors *u = &g->run->op_tensors;
    return u->role[use] == TENSOR_ROLE_MADE ||
           (u->role[use] == TENSOR_ROLE_WRITTEN && flow_is_whole(g, use));
}

static void write_all(struct numbering *x, size_t op)
{
    struct flow_graph *g = x->g;
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        int32_t tensor = u->tensor[i];
        if (tensor < 0 || !flow_writes(u->role[i]))
            continue;
        uint64_t written = mix(mix(SALT_WRITE, g->number[op]), (uint64_t)u->argument[i]);
        if (!writes_all(g, i)) { /* what it leaves stays a part of the value */
            written = mix(written, number_of(x, i));
            depend(x, op, x->writer[tensor]);
        }
        if (u->role[i] == TENSOR_ROLE_MADE)
            g->maker[tensor] = (int32_t)op;
        x->now[tensor] = written;
        x->seen[tensor] = 1;
        x->writer[tensor] = (int32_t)op;
        x->version[tensor] = u->version[i];
    }
}

static void number_ops(struct flow_graph *g)
{
    size_t tensors = g->run->tensors.table.n;
    struct numbering x = {.g = g,
                          .now = mem_zalloc(tensors + 1, sizeof *x.now),
                          .seen = mem_zalloc(tensors + 1, sizeof *x.seen),
                          .writer = mem_alloc((tensors + 1) * sizeof *x.writer),
                          .version = mem_zalloc(tensors + 1, sizeof *x.version)};
    for (size_t t = 0; t < tensors; t++)
        x.writer[t] = g->maker[t] = g->last_read[t] = FLOW_NONE;
    for (size_t op = 0; op < g->n; op++) {
        g->first_from[op + 1] = g->first_from[op];
        read_all(&x, op);
        write_all(&x, op);
    }
    mem_free(x.now);
    mem_free(x.seen);
    mem_free(x.writer);
    mem_free(x.version);
}

/* --- sizes --- */

size_t flow_sizes(const struct flow_graph *g, name_id text, int64_t size[FLOW_DIMS])
{
    size_t n = 0;
    for (const char *at = run_name(g->run, text); *at && n < FLOW_DIMS;) {
        char *end;
        int64_t number = strtoll(at, &end, 10);
        if (end != at)
            size[n++] = number;
        at = end == at ? at + 1 : end;
    }
    return n;
}

double flow_elements(const struct flow_graph *g, size_t use)
{
    int64_t size[FLOW_DIMS];
    size_t n = flow_sizes(g, g->run->op_tensors.shape[use], size);
    double elements = 1;
    for (size_t i = 0; i < n; i++)
        elements *= (double)size[i];
    return elements;
}

double flow_rows(const struct flow_graph *g, size_t use)
{
    int64_t size[FLOW_DIMS];
    size_t n = flow_sizes(g, g->run->op_tensors.shape[use], size);
    double elements = 1;
    for (size_t i = 0; i + 1 < n; i++)
        elements *= (double)size[i];
    return elements;
}

int64_t flow_last(const struct flow_graph *g, name_id text)
{
    int64_t size[FLOW_DIMS];
    size_t n = flow_sizes(g, text, size);
    return n ? size[n - 1] : 1;
}

/* The first place behind all of by[low..high), in time, until that operator. */
static size_t behind(const int32_t *by, size_t low, size_t high, size_t until)
{
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if ((size_t)by[mid] <= until)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static size_t writes_until(const struct flow_graph *g, int32_t tensor, size_t until)
{
    return behind(g->write, g->first_write[tensor], g->first_write[tensor + 1], until);
}

size_t flow_reads_behind(const struct flow_graph *g, int32_t tensor, size_t op)
{
    return behind(g->read, g->first_read[tensor], g->first_read[tensor + 1], op);
}

int32_t flow_next_writer(const struct flow_graph *g, int32_t tensor, size_t op)
{
    size_t at = writes_until(g, tensor, op);
    return at < g->first_write[tensor + 1] ? g->write[at] : FLOW_NONE;
}

bool flow_is_written_between(const struct flow_graph *g, int32_t tensor, size_t after,
                             size_t until)
{
    int32_t next = flow_next_writer(g, tensor, after);
    return next != FLOW_NONE && (size_t)next <= until;
}

int32_t flow_writer(const struct flow_graph *g, int32_t tensor, size_t before)
{
    size_t at = before ? writes_until(g, tensor, before - 1) : g->first_write[tensor];
    return at > g->first_write[tensor] ? g->write[at - 1] : FLOW_NONE;
}

bool flow_is_constant(const struct flow_graph *g, int32_t tensor)
{
    switch (g->run->tensors.source[tensor]) {
    case VALUE_SOURCE_FROZEN:
    case VALUE_SOURCE_BUFFER:
    case VALUE_SOURCE_HOST:
    case VALUE_SOURCE_CONSTANT:
    case VALUE_SOURCE_BEFORE:
        return g->first_write[tensor] == g->first_write[tensor + 1];
    default:
        return false;
    }
}

double flow_passes_with_collectives(const struct flow_graph *g)
{
    size_t passes = 0;
    int32_t last = 0; /* passes come one after the other */
    for (size_t op = 0; op < g->n; op++)
        if (flow_has(g, op, OP_TRAIT_COLLECTIVE) && flow_pass(g, op) > last) {
            last = flow_pass(g, op);
            passes++;
        }
    return (double)passes / (double)g->steps;
}

bool flow_same_form(const struct flow_graph *g, size_t a, size_t b)
{
    const struct op_tensors *u = &g->run->op_tensors;
    return u->shape[a] == u->shape[b] && u->strides[a] == u->strides[b] &&
           u->dtype[a] == u->dtype[b];
}

double flow_most_elements(const struct flow_graph *g, size_t op)
{
    double most = 0;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        double elements = flow_elements(g, i);
        most = elements > most ? elements : most;
    }
    return most;
}

/* The first number in the name of a type is its bits; bool has none, and a byte. */
static double bytes_of(const char *dtype)
{
    const char *digit = dtype + strcspn(dtype, "0123456789");
    return *digit ? strtod(digit, NULL) / CHAR_BIT : 1;
}

double flow_bytes(const struct flow_graph *g, size_t use)
{
    const struct op_tensors *u = &g->run->op_tensors;
    return flow_elements(g, use) * bytes_of(run_name(g->run, u->dtype[use]));
}

bool flow_is_whole(const struct flow_graph *g, size_t use)
{
    int32_t tensor = g->run->op_tensors.tensor[use];
    return flow_bytes(g, use) >= (double)g->run->tensors.bytes[tensor];
}

/* --- the whole --- */

/* Operators of a rank stand together, and so do their uses. */
static void find_ops(struct flow_graph *g, int32_t rank)
{
    const struct watched_ops *w = &g->run->watched_ops;
    for (size_t i = 0; i < w->table.n; i++) {
        if (w->rank[i] != rank)
            continue;
        if (!g->n)
            g->first_op = i;
        g->n = i - g->first_op + 1;
        g->steps = w->step[i] >= g->steps ? w->step[i] + 1 : g->steps;
    }
}

static void find_uses(struct flow_graph *g)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t use = 0;
    for (size_t op = 0; op <= g->n; op++) {
        while (use < u->table.n && u->op[use] < (int32_t)flow_row(g, op))
            use++;
        g->first_use[op] = use;
    }
}

typedef bool role_fn(enum tensor_role role);

static bool is_write(enum tensor_role role)
{
    return flow_writes(role);
}

/* Operators by the tensors that they use so, in time, and their uses (NULL: not asked
 * for). By counting: how many use each, then each in its place. */
static void find_users(const struct flow_graph *g, role_fn *is_one, size_t **first,
                       int32_t **user, size_t **use)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t tensors = g->run->tensors.table.n, from = g->first_use[0];
    size_t until = g->first_use[g->n];
    size_t *end = *first = mem_zalloc(tensors + 2, sizeof *end);
    for (size_t i = from; i < until; i++)
        if (u->tensor[i] >= 0 && is_one(u->role[i]))
            end[u->tensor[i] + 2]++;
    for (size_t t = 2; t <= tensors + 1; t++)
        end[t] += end[t - 1];
    *user = mem_alloc((end[tensors + 1] + 1) * sizeof **user);
    if (use)
        *use = mem_alloc((end[tensors + 1] + 1) * sizeof **use);
    for (size_t i = from; i < until; i++)
        if (u->tensor[i] >= 0 && is_one(u->role[i])) {
            size_t at = end[u->tensor[i] + 1]++;
            (*user)[at] = u->op[i] - (int32_t)g->first_op;
            if (use)
                (*use)[at] = i;
        }
}

/* Of each operator what is asked for often. Families by the names, each looked up once.
 */
static void find_forms(struct flow_graph *g)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int *known = mem_alloc((g->run->names.n + 1) * sizeof *known);
    for (size_t i = 0; i < g->run->names.n; i++)
        known[i] = FLOW_NONE;
    for (size_t op = 0; op < g->n; op++) {
        name_id name = g->run->watched_ops.name[flow_row(g, op)];
        const char *full = run_name(g->run, name);
        char plain[64];
        if (known[name] == FLOW_NONE) {
            snprintf(plain, sizeof plain, "%.*s", (int)strcspn(full, "."), full);
            known[name] = (int)op_family_of(plain);
        }
        g->family[op] = (uint8_t)known[name];
        g->made[op] = FLOW_NONE;
        for (size_t i = g->first_use[op + 1]; i-- > g->first_use[op];)
            if (u->role[i] == TENSOR_ROLE_MADE)
                g->made[op] = u->tensor[i] < 0 ? FLOW_NONE : (int64_t)i;
    }
    mem_free(known);
}

bool flow_graph_init(struct flow_graph *g, const struct run *run, int32_t rank)
{
    size_t tensors = run->tensors.table.n;
    *g = (struct flow_graph){.run = run};
    find_ops(g, rank);
    if (!g->n)
        return false;
    g->first_use = mem_alloc((g->n + 1) * sizeof *g->first_use);
    g->number = mem_zalloc(g->n, sizeof *g->number);
    g->first_from = mem_zalloc(g->n + 1, sizeof *g->first_from);
    g->made = mem_alloc(g->n * sizeof *g->made);
    g->family = mem_alloc(g->n * sizeof *g->family);
    g->maker = mem_alloc((tensors + 1) * sizeof *g->maker);
    g->last_read = mem_alloc((tensors + 1) * sizeof *g->last_read);
    find_uses(g);
    find_users(g, is_write, &g->first_write, &g->write, NULL);
    find_users(g, reads, &g->first_read, &g->read, &g->read_use);
    find_forms(g);
    number_ops(g);
    return true;
}

void flow_graph_release(struct flow_graph *g)
{
    mem_free(g->first_use);
    mem_free(g->number);
    mem_free(g->first_from);
    mem_free(g->from);
    mem_free(g->first_write);
    mem_free(g->write);
    mem_free(g->first_read);
    mem_free(g->read);
    mem_free(g->read_use);
    mem_free(g->made);
    mem_free(g->family);
    mem_free(g->maker);
    mem_free(g->last_read);
    *g = (struct flow_graph){0};
}

bool flow_same_contents(const struct flow_graph *g, size_t a, size_t b)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t i = g->first_use[a], k = g->first_use[b];
    for (; i < g->first_use[a + 1] && k < g->first_use[b + 1]; i++, k++)
        if (flow_writes(u->role[i]) && u->hash[i] && u->hash[k] &&
            u->hash[i] != u->hash[k])
            return false;
    return true;
}
