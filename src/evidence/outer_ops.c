#include "evidence/outer_ops.h"

#include "base/mem.h"
#include "evidence/sequences.h"

#include <stdio.h>
#include <string.h>

static bool begins_with(const char *s, const char *word)
{
    return !strncmp(s, word, strlen(word));
}

bool outer_ops_is_mark(const char *name, enum op_place place)
{
    if (place == OP_PLACE_OPTIMIZER)
        return begins_with(name, "Optimizer.step#");
    return place == OP_PLACE_CLEAR && begins_with(name, "Optimizer.zero_grad#");
}

bool outer_ops_is_optimizer(const struct evidence *e, const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    return outer_ops_is_mark(name, OP_PLACE_OPTIMIZER) ||
           (op->kind == SPAN_KIND_PHASE && !strcmp(name, phase_text[PHASE_OPTIMIZER]));
}

/* Marks are annotations; older recordings have them as operators. */
static bool is_operator(const struct host_op *op, const char *name)
{
    return op->kind == SPAN_KIND_OP && strstr(name, "::");
}

static void find_in_thread(const struct evidence *e, struct host_thread *t)
{
    enum op_place *place = mem_alloc((t->n + 1) * sizeof *place);
    bool *inside = mem_alloc((t->n + 1) * sizeof *inside); /* of an operator, or one */
    size_t cap = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        const char *name = evidence_name(e, op);
        place[i] = op->parent < 0 ? OP_PLACE_CODE : place[op->parent];
        inside[i] = op->parent >= 0 && inside[op->parent];
        if (outer_ops_is_mark(name, OP_PLACE_OPTIMIZER))
            place[i] = OP_PLACE_OPTIMIZER;
        else if (outer_ops_is_mark(name, OP_PLACE_CLEAR))
            place[i] = OP_PLACE_CLEAR;
        if (!is_operator(op, name))
            continue;
        if (!inside[i] && sequences_is_backward(name))
            place[i] = OP_PLACE_BACKWARD;
        if (!inside[i]) {
            vec_grow(t->outer, cap, t->n_outer + 1);
            t->outer[t->n_outer++] = (struct outer_op){(int32_t)i, place[i]};
        }
        inside[i] = true;
    }
    mem_free(place);
    mem_free(inside);
}

void outer_ops_find(struct evidence *e)
{
    e->sort = mem_alloc((e->run->names.n + 1) * sizeof *e->sort);
    for (size_t i = 0; i < e->run->names.n; i++)
        e->sort[i] = op_sort_of(run_name(e->run, (name_id)i));
    for (size_t k = 0; k < e->n_threads; k++)
        find_in_thread(e, &e->threads[k]);
}

const struct host_op *outer_op_calls(const struct evidence *e,
                                     const struct host_thread *t,
                                     const struct host_op *op, const char *name)
{
    for (const struct host_op *x = op + 1; x < t->op + t->n && x->begin_ns < op->end_ns;
         x++)
        if (x->kind == SPAN_KIND_OP && outer_op_named(e, x, name))
            return x;
    return NULL;
}

double outer_op_ns(const struct evidence *e, const struct host_thread *t,
                   const struct host_op *op)
{
    size_t last, i = evidence_work(e, t->lane, op->begin_ns, op->end_ns, &last);
    double ns = 0;
    for (; i < last; i++)
        ns += (double)e->run->spans.dur_ns[e->work[i].span];
    return ns > 0 ? ns : (double)host_op_ns(op);
}

void outer_op_where(const struct evidence *e, const struct host_thread *t,
                    const struct host_op *op, char *text, size_t size)
{
    const char *line = evidence_line(e, t, op);
    const char *shapes = run_name(e->run, e->run->spans.shapes[op->span]);
    snprintf(text, size, "%s%s%s%s%s", evidence_name(e, op), *shapes ? " " : "", shapes,
             *line ? ", " : "", line);
}
