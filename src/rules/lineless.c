#include "rules/lineless.h"

#include "run/op_traits.h"

#include <stdio.h>

void lineless_add(struct lineless *l, const struct evidence *e,
                  const struct host_thread *t, size_t op)
{
    places_add(&l->places, e, t, &t->op[op]);
}

void lineless_add_row(struct lineless *l, const struct host_thread *t, size_t first,
                      size_t last, double ns)
{
    if (!l->thread || ns > l->ns)
        *l = (struct lineless){
            .places = l->places, .thread = t, .first = first, .last = last, .ns = ns};
}

/* The nearest call of the data flow that is no view, from `op` on in that direction;
 * NULL: there is none. */
static const char *neighbour(const struct lineless *l, const struct evidence *e,
                             size_t op, int direction)
{
    const struct watched *w = e->watched;
    const struct host_thread *t = l->thread;
    size_t k = (size_t)(t - e->threads);
    for (size_t i = op + (size_t)direction; i < t->n; i += (size_t)direction)
        if (t->op[i].kind == SPAN_KIND_OP && watched_begins(w, k, t, i) &&
            !flow_has(&w->graph, (size_t)w->call[k][i], OP_TRAIT_VIEW))
            return run_name(e->run, e->run->spans.name[t->op[i].span]);
    return NULL;
}

void lineless_tell(struct lineless *l, const struct evidence *e, char *text, size_t size)
{
    if (e->has_frames || !l->thread) {
        places_tell(&l->places, text, size);
        return;
    }
    const struct host_op *op = l->thread->op;
    const struct spans *s = &e->run->spans;
    const char *before = neighbour(l, e, l->first, -1);
    const char *behind = neighbour(l, e, l->last, 1);
    int len = snprintf(text, size, "%s", run_name(e->run, s->name[op[l->first].span]));
    if (l->last != l->first && len >= 0 && (size_t)len < size)
        len += snprintf(text + len, size - (size_t)len, " to %s",
                        run_name(e->run, s->name[op[l->last].span]));
    if (before && len >= 0 && (size_t)len < size)
        len += snprintf(text + len, size - (size_t)len, ", after %s", before);
    if (behind && len >= 0 && (size_t)len < size)
        snprintf(text + len, size - (size_t)len, "%s before %s", before ? " and" : ",",
                 behind);
}
