/* Work on which nothing that lasts depends. */
#include "flow/judging.h"

#include "base/mem.h"
#include "run/execution_facts.h"

/* What was there before and what the job keeps lasts, where it is more than sums and
 * counts for a log. Gradients do not: they are there to be read. */
static bool lasts(const struct flow_graph *g, int32_t tensor)
{
    const struct tensors *t = &g->run->tensors;
    switch (t->source[tensor]) {
    case VALUE_SOURCE_PARAMETER:
    case VALUE_SOURCE_FROZEN:
    case VALUE_SOURCE_STATE:
    case VALUE_SOURCE_BUFFER:
        return true;
    case VALUE_SOURCE_GRADIENT:
        return false;
    case VALUE_SOURCE_BEFORE:
        return t->bytes[tensor] > FLOW_LASTING_BYTES;
    default:
        return t->kept[tensor] && t->bytes[tensor] > FLOW_LASTING_BYTES;
    }
}

/* What writes to something that lasts, what others get, and what cannot be followed. */
static bool is_end(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    if (flow_has(g, op, OP_TRAIT_COLLECTIVE))
        return true;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->tensor[i] < 0 ||
            (u->role[i] != TENSOR_ROLE_READ && u->role[i] != TENSOR_ROLE_VIEW &&
             lasts(g, u->tensor[i])))
            return true;
    return false;
}

/* --- numbers that come back from the host --- */

/* An optimizer's numbers change by themselves, and so do the places of a batch in the
 * data. */
static bool may_take_numbers(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t first = g->first_use[op];
    if (flow_has(g, op, OP_TRAIT_OPTIMIZER))
        return false;
    if (flow_has(g, op, OP_TRAIT_VIEW))
        return first < g->first_use[op + 1] && u->tensor[first] >= 0 &&
               g->maker[u->tensor[first]] != FLOW_NONE;
    return flow_has(g, op, OP_TRAIT_POINTWISE | OP_TRAIT_FACTORY);
}

/* Calls of one place and name, n of them: as many in each step, and the k-th of one was
 * given other numbers than the k-th of the next? */
static void mark_varying(const struct flow_graph *g, const struct placed *p, size_t n,
                         uint8_t *varying)
{
    const int64_t *scalars = g->run->watched_ops.scalars + g->first_op;
    size_t each = n / (size_t)g->steps;
    if (!each || n % (size_t)g->steps)
        return;
    for (size_t i = 0; i < n; i++)
        if (flow_step(g, (size_t)p[i].op) != (int32_t)(i / each))
            return;
    for (size_t i = each; i < n; i++)
        if (scalars[p[i].op] != scalars[p[i - each].op])
            varying[p[i].op] = varying[p[i - each].op] = 1;
}

/* (g->n) Calls that were given other numbers in each step. The caller frees it. */
static uint8_t *find_varying(const struct flow_graph *g)
{
    uint8_t *varying = mem_zalloc(g->n + 1, 1);
    struct placed *all = mem_alloc((g->n + 1) * sizeof *all);
    size_t n = 0;
    for (size_t op = 0; op < g->n; op++)
        if (may_take_numbers(g, op))
            all[n++] = placed_of(g, op, 0);
    placed_sort(all, n);
    for (size_t i = 0, end; i < n; i = end) {
        end = placed_end(all, n, i);
        mark_varying(g, all + i, end - i, varying);
    }
    mem_free(all);
    return varying;
}

/* Does it read a tensor that the host has made of its own numbers? */
static bool takes_host_data(const struct flow_graph *g, size_t op)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->tensor[i] >= 0 && u->role[i] == TENSOR_ROLE_READ &&
            g->run->tensors.source[u->tensor[i]] == VALUE_SOURCE_HOST)
            return true;
    return false;
}

/* While the calls are gone through from the last on: where numbers that the host has read
 * may come back to. */
struct taking {
    int32_t anywhere;     /* step of needed arithmetic that is given other numbers */
    int32_t *in_function; /* (names) the same of views, factories and the host's tensors,
                             by the function that they are asked for in */
};

static name_id function_of(const struct flow_graph *g, int32_t line)
{
    return line < 0 ? 0 : g->run->lines.function[line];
}

static void take(struct taking *t, const struct flow_graph *g, size_t op, bool varying)
{
    int32_t line = g->run->watched_ops.line[flow_row(g, op)];
    if (varying && flow_has(g, op, OP_TRAIT_POINTWISE))
        t->anywhere = flow_step(g, op);
    else if (varying || takes_host_data(g, op))
        t->in_function[function_of(g, line)] = flow_step(g, op);
}

/* What an optimizer reads it goes by; what else is read may come back in the step, in the
 * function that reads it or the one that called that. Calls without lines count as those
 * of one function. */
static bool comes_back(const struct taking *t, const struct flow_graph *g, size_t op)
{
    int32_t line = g->run->watched_ops.line[flow_row(g, op)], step = flow_step(g, op);
    int32_t caller = line < 0 ? -1 : g->run->lines.caller[line];
    if (line < 0 && flow_in_backward(g, op))
        return true; /* autograd's own formulas ask for zeros, and go on by that */
    return flow_has(g, op, OP_TRAIT_OPTIMIZER) || t->anywhere == step ||
           t->in_function[function_of(g, line)] == step ||
           (caller >= 0 && t->in_function[function_of(g, caller)] == step);
}

/* --- the whole --- */

/* From the ends back to all that they depend on: operators only depend on earlier ones.
 * What has a backward call that is needed is needed for it. */
uint8_t *find_needed(const struct flow_graph *g, const uint8_t *not_followed)
{
    uint8_t *needed = mem_zalloc(g->n + 1, 1), *varying = find_varying(g);
    size_t names = g->run->names.n;
    struct taking t = {FLOW_NONE, mem_alloc((names + 1) * sizeof *t.in_function)};
    for (size_t i = 0; i < names; i++)
        t.in_function[i] = FLOW_NONE;
    for (size_t op = g->n; op-- > 0;) {
        int32_t forward = g->run->watched_ops.forward[flow_row(g, op)];
        needed[op] |= is_end(g, op) ||
                      (flow_has(g, op, OP_TRAIT_HOST_READ) && comes_back(&t, g, op));
        if (!needed[op] || (not_followed && not_followed[op]))
            continue;
        for (size_t i = g->first_from[op]; i < g->first_from[op + 1]; i++)
            needed[g->from[i]] = 1;
        if (forward >= (int32_t)g->first_op)
            needed[(size_t)forward - g->first_op] = 1;
        take(&t, g, op, varying[op]);
    }
    mem_free(t.in_function);
    mem_free(varying);
    return needed;
}

bool ends_are_known(const struct flow_graph *g)
{
    const struct op_tensors *u = &g->run->op_tensors;
    int32_t rank = g->run->watched_ops.rank[g->first_op];
    if (run_fact(g->run, rank, EXECUTION_FACT_UNSEEN_WRITER) > 0)
        return false;
    for (size_t i = g->first_use[0]; i < g->first_use[g->n]; i++)
        if (u->tensor[i] >= 0 && flow_writes(u->role[i]) &&
            g->run->tensors.source[u->tensor[i]] == VALUE_SOURCE_PARAMETER)
            return true;
    return false;
}

/* --- collectives --- */

static bool is_exchange(const struct flow_graph *g, size_t op)
{
    return flow_has(g, op, OP_TRAIT_COLLECTIVE) && !flow_in_backward(g, op) &&
           g->run->watched_ops.line[flow_row(g, op)] >= 0 &&
           flow_step(g, op) < g->steps - 1;
}

/* Does anything needed read what it writes, before it is written again? */
static bool is_read_by_needed(const struct flow_graph *g, size_t op,
                              const uint8_t *needed)
{
    const struct op_tensors *u = &g->run->op_tensors;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++) {
        int32_t tensor = u->tensor[i];
        if (tensor < 0 || !flow_writes(u->role[i]))
            continue;
        int32_t until = flow_next_writer(g, tensor, op);
        for (size_t k = flow_reads_behind(g, tensor, op);
             k < g->first_read[tensor + 1] && (until < 0 || g->read[k] <= until); k++)
            if (needed[g->read[k]])
                return true;
    }
    return false;
}

bool flow_exchanges_are_needed(const struct flow_graph *g)
{
    uint8_t *needed = find_needed(g, NULL);
    size_t exchanges = 0, read = 0;
    for (size_t op = 0; op < g->n; op++)
        if (is_exchange(g, op)) {
            exchanges++;
            read += is_read_by_needed(g, op, needed);
        }
    mem_free(needed);
    return exchanges && read == exchanges;
}

/* --- gradients that come with others --- */

static bool is_needed(const struct flow_graph *g, int32_t tensor, const uint8_t *needed)
{
    if (tensor < 0 || lasts(g, tensor))
        return true;
    for (size_t i = g->first_read[tensor]; i < g->first_read[tensor + 1]; i++)
        if (needed[g->read[i]])
            return true;
    return false;
}

/* The backward call of a convolution gives the gradients of what it was given and of its
 * weights, which take as long as one another: which part of them is needed? Those of a
 * bias are sums. */
static double part_needed(const struct flow_graph *g, size_t op, const uint8_t *needed)
{
    const struct op_tensors *u = &g->run->op_tensors;
    size_t made = 0, read = 0;
    for (size_t i = g->first_use[op]; i < g->first_use[op + 1]; i++)
        if (u->role[i] == TENSOR_ROLE_MADE && flow_rows(g, i) > 1) {
            made++;
            read += is_needed(g, u->tensor[i], needed);
        }
    return made ? (double)read / (double)made : 1;
}

void judge_unread(struct judging *x)
{
    const struct flow_graph *g = x->g;
    if (!ends_are_known(g))
        return;
    uint8_t *needed = find_needed(g, NULL);
    for (size_t op = 0; op < g->n; op++) {
        double part;
        if (!is_work(g, op) || flow_step(g, op) == g->steps - 1)
            continue;
        if (!needed[op])
            judge(x, op,
                  flow_in_backward(g, op) ? FLOW_CLASS_THROWN_AWAY : FLOW_CLASS_UNREAD);
        else if (flow_in_backward(g, op) && flow_family(g, op) == OP_FAMILY_CONVOLUTION &&
                 (part = part_needed(g, op, needed)) < 1)
            judge_part(x, op, FLOW_CLASS_THROWN_AWAY, part);
    }
    mem_free(needed);
}
