/*
 * Where a finding is in the timeline: what its fix would change, as the rule that found
 * it wrote it down to be replayed, or the rank's collectives where it says so. Findings
 * that are priced from steps or from waits have no such place.
 */
#include "base/mem.h"
#include "base/saturate.h"
#include "report/view_parts.h"

#include <stdlib.h>

enum { MARKS_OF_FINDING = 1000 };

struct marks {
    struct timeline_mark *mark; /* (n) */
    size_t n, cap;
};

/* What is drawn of, and where. */
struct place {
    const struct timeline *t;
    const uint32_t *lane_index; /* (lanes of the run) place in t->lanes plus 1, or 0 */
    int64_t origin_ns;
};

static void add_mark(struct marks *m, const struct place *p, size_t finding, int32_t lane,
                     int64_t begin_ns, int64_t end_ns)
{
    begin_ns = subtract_saturated(begin_ns, p->origin_ns);
    end_ns = subtract_saturated(end_ns, p->origin_ns);
    if (lane < 0 || !p->lane_index[lane] || end_ns < 0 || begin_ns > p->t->window_ns)
        return;
    vec_grow(m->mark, m->cap, m->n + 1);
    m->mark[m->n++] = (struct timeline_mark){(uint32_t)finding, p->lane_index[lane] - 1,
                                             begin_ns, end_ns};
}

static void mark_span(struct marks *m, const struct place *p, size_t finding, size_t span)
{
    const struct spans *s = &p->t->a->run->spans;
    int64_t dur_ns = s->dur_ns[span] > 0 ? s->dur_ns[span] : 0;
    add_mark(m, p, finding, s->lane[span], s->begin_ns[span],
             add_saturated(s->begin_ns[span], dur_ns));
}

static void mark_edits(struct marks *m, const struct place *p, size_t finding,
                       const struct edit_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct edit *e = &l->edit[i];
        if (e->kind == EDIT_HOST || e->kind == EDIT_DISPATCH)
            add_mark(m, p, finding, e->lane, e->begin_ns, e->end_ns);
        else
            mark_span(m, p, finding, (size_t)e->span);
    }
}

/* Lanes of other ranks have no place. */
static void mark_collectives(struct marks *m, const struct place *p, size_t finding)
{
    const struct spans *s = &p->t->a->run->spans;
    for (size_t i = 0; i < s->table.n; i++)
        if (s->kind[i] == SPAN_KIND_COLLECTIVE)
            mark_span(m, p, finding, i);
}

static int by_place(const void *a, const void *b)
{
    const struct timeline_mark *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* Sorted marks that lie nearer than gap_ns become one; returns how many are left. */
static size_t join_marks(struct timeline_mark *mark, size_t n, int64_t gap_ns)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct timeline_mark *last = kept ? &mark[kept - 1] : NULL;
        if (last && last->lane == mark[i].lane &&
            mark[i].begin_ns <= add_saturated(last->end_ns, gap_ns)) {
            if (mark[i].end_ns > last->end_ns)
                last->end_ns = mark[i].end_ns;
            continue;
        }
        mark[kept++] = mark[i];
    }
    return kept;
}

/* Too many to draw one by one: what no screen could hold apart is one. */
static void thin(struct marks *m, int64_t window_ns)
{
    if (!m->mark)
        return;
    qsort(m->mark, m->n, sizeof *m->mark, by_place);
    m->n = join_marks(m->mark, m->n, 0);
    for (int64_t gap_ns = window_ns / 4096 + 1; m->n > MARKS_OF_FINDING;
         gap_ns = add_saturated(gap_ns, gap_ns))
        m->n = join_marks(m->mark, m->n, gap_ns);
}

void timeline_add_marks(struct view *v, struct timeline *t, const struct findings *f,
                        const uint32_t *lane_index, int64_t origin_ns)
{
    const struct place place = {t, lane_index, origin_ns};
    t->marks = arena_alloc(&v->arena, (f->n * MARKS_OF_FINDING + 1) * sizeof *t->marks);
    for (size_t i = 0; i < f->n; i++) {
        struct marks m = {0};
        mark_edits(&m, &place, i, &f->finding[i].edits);
        if (f->finding[i].of_collectives)
            mark_collectives(&m, &place, i);
        thin(&m, t->window_ns);
        for (size_t k = 0; m.mark && k < m.n; k++)
            t->marks[t->n_marks++] = m.mark[k];
        mem_free(m.mark);
    }
}
