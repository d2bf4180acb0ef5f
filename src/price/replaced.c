/*
 * A replacement is measured beside the job's own way, both in isolation and in turns. The
 * step then keeps that part of its own spans which the other way takes of the job's own
 * one: the spans are what the step really has, and the ratio of turns is what a machine
 * that is slower at one time than at another disturbs least.
 */
#include "price/replaced.h"

#include "base/mem.h"
#include "base/stats.h"
#include "evidence/outer_ops.h"
#include "evidence/sequences.h"
#include "price/price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the job's own way in isolation differs by so much from what it takes in the job,
 * the interval is as much wider. */
static const double UNLIKE_FRAC = 0.25;

/* --- what was measured --- */

struct round {
    name_id subject, how;
    double now_ns, instead_ns;
};

static int compare_round(const void *a, const void *b)
{
    const struct round *x = a, *y = b;
    if (x->subject != y->subject)
        return x->subject < y->subject ? -1 : 1;
    if (x->how != y->how)
        return x->how < y->how ? -1 : 1;
    return 0;
}

static struct round *collect(const struct evidence *e, const char *rule, size_t *n)
{
    const struct replacements *r = &e->run->replacements;
    struct round *round = mem_alloc((r->table.n + 1) * sizeof *round);
    *n = 0;
    for (size_t i = 0; i < r->table.n; i++)
        if (r->rank[i] == e->rank_row && !strcmp(run_name(e->run, r->rule[i]), rule))
            round[(*n)++] = (struct round){r->subject[i], r->how[i], (double)r->now_ns[i],
                                           (double)r->instead_ns[i]};
    if (*n)
        qsort(round, *n, sizeof *round, compare_round);
    return round;
}

/* Medians over the rounds of one way: the job's own time, and the ratio in a turn. */
static struct round median_of(const struct round *round, size_t n, double *buffer)
{
    struct round m = round[0];
    for (size_t i = 0; i < n; i++)
        buffer[i] = round[i].now_ns;
    m.now_ns = stats_median(buffer, n);
    for (size_t i = 0; i < n; i++)
        buffer[i] = round[i].now_ns > 0 ? round[i].instead_ns / round[i].now_ns : 1;
    m.instead_ns = m.now_ns * stats_median(buffer, n);
    return m;
}

/* Over all subjects, each in its best way. */
struct ways {
    double now_ns, instead_ns;
    name_id most_subject, most_how; /* the one that gains most */
    double most_gain_ns;
};

static void add_way(struct ways *sum, const struct round *best)
{
    double gain_ns = best->now_ns - best->instead_ns;
    if (sum->now_ns <= 0 || gain_ns > sum->most_gain_ns) {
        sum->most_subject = best->subject;
        sum->most_how = best->how;
        sum->most_gain_ns = gain_ns;
    }
    sum->now_ns += best->now_ns;
    sum->instead_ns += best->instead_ns;
}

static bool sum_ways(const struct evidence *e, const char *rule, struct ways *sum)
{
    size_t n;
    struct round *round = collect(e, rule, &n), best = {0};
    double *buffer = mem_alloc((n + 1) * sizeof *buffer);
    *sum = (struct ways){0};
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i; end < n && !compare_round(&round[i], &round[end]); end++)
            ;
        struct round way = median_of(&round[i], end - i, buffer);
        bool first = !i || round[i].subject != round[i - 1].subject;
        if (first || way.now_ns - way.instead_ns > best.now_ns - best.instead_ns)
            best = way;
        if (end == n || round[end].subject != round[i].subject)
            add_way(sum, &best);
    }
    mem_free(buffer);
    mem_free(round);
    return n > 0;
}

bool evidence_replacement(const struct evidence *e, const char *rule, double *now_ns,
                          double *instead_ns)
{
    struct ways sum;
    bool any = sum_ways(e, rule, &sum);
    *now_ns = sum.now_ns;
    *instead_ns = sum.instead_ns;
    return any;
}

struct replaced_most replaced_most(const struct evidence *e, const char *rule)
{
    struct ways sum;
    if (!sum_ways(e, rule, &sum))
        return (struct replaced_most){0};
    return (struct replaced_most){run_name(e->run, sum.most_subject),
                                  run_name(e->run, sum.most_how)};
}

/* --- what stays --- */

bool replaced_is_models(const struct evidence *e, const struct host_thread *t, size_t i)
{
    enum op_place place = t->outer[i].place;
    return place == OP_PLACE_BACKWARD ||
           (place == OP_PLACE_CODE && sequences_is_trained(e, t, outer_op_at(t, i)));
}

void replaced_edit_model(const struct evidence *e, struct edit_list *edits)
{
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n_outer; i++)
            if (replaced_is_models(e, t, i))
                evidence_edit_op(e, edits, t, outer_op_at(t, i), 1, false);
    }
}

void replaced_set_gain(struct finding *f, double gain_ns, double held_ns)
{
    double keep = 1 - gain_ns / held_ns;
    edit_list_set_keep(&f->edits, keep > 0 ? keep : 0);
    if (keep < 0) /* timed longer than the trace has it */
        f->direct_gain_ns = gain_ns - held_ns;
}

/* own_ns: what the job's own way takes in the job. */
static void widen_where_unlike(struct finding *f, double now_ns, double own_ns)
{
    if (fabs(now_ns - own_ns) <= UNLIKE_FRAC * own_ns)
        return;
    f->low_frac = 1 - UNLIKE_FRAC;
    f->high_frac = 1 + UNLIKE_FRAC;
}

bool replaced_as_measured(const struct evidence *e, struct finding *f, double timed_ns)
{
    double now_ns, instead_ns, held_ns = price_untraced_ns(e, &f->edits);
    if (held_ns <= 0 || !evidence_replacement(e, f->rule->name, &now_ns, &instead_ns) ||
        now_ns <= 0)
        return false;
    if (e->has_device) /* the host only asks for the work */
        timed_ns = NAN;
    double own = isnan(timed_ns) ? held_ns : timed_ns;
    if (!isnan(timed_ns)) { /* the gain is of it */
        f->holds_timed = true;
        f->holds_ns = timed_ns;
    }
    f->price = PRICE_MEASURED;
    widen_where_unlike(f, now_ns, own);
    replaced_set_gain(f, own * (1 - instead_ns / now_ns), held_ns);
    return true;
}

bool replaced_parts_as_measured(const struct evidence *e, struct finding *f,
                                double least_frac)
{
    double now_ns, instead_ns, held_ns = price_untraced_ns(e, &f->edits);
    if (held_ns <= 0 || !evidence_replacement(e, f->rule->name, &now_ns, &instead_ns) ||
        now_ns < least_frac * held_ns)
        return false;
    f->price = PRICE_MEASURED;
    widen_where_unlike(f, now_ns, held_ns);
    replaced_set_gain(f, fmin(now_ns, held_ns) * (1 - instead_ns / now_ns), held_ns);
    return true;
}
