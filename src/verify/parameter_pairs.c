#include "verify/parameter_pairs.h"

#include "base/mem.h"
#include "verify/row_index.h"

#include <math.h>
#include <stdio.h>

#define SAME_WEIGHTS_MAX_FRAC 0.01 /* docs/verify.md says why */
#define DIGITS_FRAC 1e-9           /* the hook writes ten */

/* Where the same row of the same parameter would stand in the other run; its name there
 * is -1 where it has none such. */
static struct row_key key_in(const struct run *other, const struct run *run, size_t i)
{
    const struct movements *m = &run->movements;
    int32_t rank = m->rank[i];
    return (struct row_key){.rank = rank < 0 ? -1 : run->ranks.rank[rank],
                            .what = m->what[i],
                            .step = m->step[i],
                            .name =
                                names_find_z(&other->names, run_name(run, m->name[i]))};
}

double movement_rms(const struct movement *m)
{
    return m->elements > 0 ? m->norm / sqrt((double)m->elements) : 0;
}

static double larger_gradient(double so_far, const struct movement *m)
{
    bool is_one = m->what == MOVED_KIND_GRADIENT && isfinite(m->norm);
    return is_one ? fmax(so_far, movement_rms(m)) : so_far;
}

static void pairs_add(struct parameter_pairs *x, struct parameter_pair pair)
{
    vec_grow(x->v, x->cap, x->n + 1);
    x->v[x->n++] = pair;
}

void parameter_pairs_find(struct parameter_pairs *out, const struct pair *p)
{
    struct row_index index = {0};
    const struct movements *before = &p->before->movements, *after = &p->after->movements;
    *out = (struct parameter_pairs){0};
    for (size_t i = 0; i < after->table.n; i++) {
        struct movement a = movements_get(after, i);
        row_index_add(&index, key_in(p->after, p->after, i), i);
        out->largest_gradient = larger_gradient(out->largest_gradient, &a);
    }
    row_index_sort(&index);
    for (size_t i = 0; i < before->table.n; i++) {
        struct movement b = movements_get(before, i);
        int64_t k = row_index_find(&index, key_in(p->after, p->before, i));
        out->largest_gradient = larger_gradient(out->largest_gradient, &b);
        if (k >= 0 && after->elements[k] == b.elements)
            pairs_add(out, (struct parameter_pair){b, movements_get(after, (size_t)k)});
    }
    row_index_release(&index);
}

void parameter_pairs_release(struct parameter_pairs *x)
{
    mem_free(x->v);
}

double parameter_distance(const struct parameter_pair *x)
{
    const struct movement *a = &x->before, *b = &x->after;
    double d[] = {a->along0 - b->along0, a->along1 - b->along1, a->along2 - b->along2,
                  a->along3 - b->along3};
    enum { N = sizeof d / sizeof *d };
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += d[i] * d[i];
    return sqrt(sum / N);
}

double parameter_frac(double difference, double of)
{
    if (!isfinite(difference) || !isfinite(of))
        return INFINITY;
    if (of < 0) /* a norm of an odd file */
        return INFINITY;
    return difference > DIGITS_FRAC * of ? difference / of : 0;
}

void parameter_name(char *out, size_t size, const struct run *run, name_id name)
{
    const char *s = run_name(run, name);
    size_t n = 0;
    for (; s[n] && n + 1 < size; n++)
        out[n] = s[n] >= ' ' && s[n] <= '~' ? s[n] : '?';
    out[n] = '\0';
}

bool starts_differ(struct gate_result *g, const struct pair *p)
{
    struct parameter_pairs x;
    const struct parameter_pair *found = NULL;
    parameter_pairs_find(&x, p);
    for (size_t i = 0; i < x.n && !found; i++) {
        const struct movement *b = &x.v[i].before, *a = &x.v[i].after;
        if (b->what == MOVED_KIND_WEIGHTS &&
            parameter_frac(parameter_distance(&x.v[i]), fmax(b->norm, a->norm)) >
                SAME_WEIGHTS_MAX_FRAC)
            found = &x.v[i];
    }
    if (found) {
        parameter_name(g->at_parameter, sizeof g->at_parameter, p->before,
                       found->before.name);
        snprintf(g->remark, sizeof g->remark,
                 "the two start from different weights (%.80s): set a seed in the job",
                 g->at_parameter);
        g->code = "different_weights";
    }
    parameter_pairs_release(&x);
    return found != NULL;
}

void parameter_worst_tell(struct gate_result *g, const struct parameter_worst *w,
                          double allowed, const struct pair *p)
{
    struct gate_numbers *n = &g->numbers;
    n->change_unit = "frac";
    n->change = w->by;
    n->allowed = allowed;
    if (!w->pair)
        return;
    const struct movement *b = &w->pair->before, *a = &w->pair->after;
    n->unit = "norm";
    n->before = b->norm;
    n->after = a->norm;
    n->at_step = b->step;
    snprintf(g->before, sizeof g->before, "%.3g", b->norm);
    snprintf(g->after, sizeof g->after, "%.3g", a->norm);
    parameter_name(g->at_parameter, sizeof g->at_parameter, p->before, b->name);
}
