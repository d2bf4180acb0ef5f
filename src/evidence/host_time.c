#include "evidence/host_time.h"

#include "base/mem.h"
#include "base/stats.h"
#include "evidence/line_rows.h"
#include "evidence/outer_ops.h"
#include "evidence/watched.h"
#include "run/op_traits.h"
#include "run/record_facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer say nothing of a place with a few percent of a step. */
enum { LEAST_SAMPLES = 200, LEAST_STEPS = 3 };
/* Operators take longer at one time than at another: where a statement's are more than
 * the rest of it, the difference says nothing. */
static const double MOSTLY_PYTHON_FRAC = 0.75;
/* What is so much more than the time without operators that a traced step has was not in
 * it. */
static const double NOT_TRACED_RATIO = 1.5;

static double sum_of(const struct evidence *e)
{
    const struct host_samples *s = &e->run->host_samples;
    double all = 0;
    for (size_t i = 0; i < s->table.n; i++)
        all += s->rank[i] == e->rank_row ? (double)s->count[i] : 0;
    return all;
}

/* (ranks) The caller frees it. */
static double *sums_of_ranks(const struct evidence *e)
{
    const struct host_samples *s = &e->run->host_samples;
    double *sum = mem_zalloc(e->run->ranks.table.n + 1, sizeof *sum);
    for (size_t i = 0; i < s->table.n; i++)
        sum[s->rank[i]] += (double)s->count[i];
    return sum;
}

bool host_time_known_of_all(const struct evidence *e)
{
    size_t ranks = e->run->ranks.table.n, known = 0;
    double *sum = sums_of_ranks(e);
    for (size_t i = 0; i < ranks; i++)
        known += sum[i] >= LEAST_SAMPLES;
    mem_free(sum);
    return known == ranks;
}

bool host_time_known(const struct evidence *e)
{
    return sum_of(e) >= LEAST_SAMPLES &&
           record_fact(e->run, e->rank_row, RECORD_FACT_SAMPLED_STEPS) >= LEAST_STEPS;
}

double *host_time_of(const struct evidence *e, enum sample_part part)
{
    const struct host_samples *s = &e->run->host_samples;
    double *ns = mem_zalloc(e->run->lines.table.n + 1, sizeof *ns);
    double a_sample_ns = e->step_ns / fmax(1, sum_of(e));
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t line = s->line[i] >= 0 ? s->line[i] : s->inner[i];
        if (s->rank[i] == e->rank_row && line >= 0 &&
            (part == SAMPLE_PART_COUNT || s->part[i] == part))
            ns[line] += a_sample_ns * (double)s->count[i];
    }
    return ns;
}

/* --- one rank beside the others --- */

struct beyond_others host_time_beyond_others(const struct evidence *e, int32_t rank)
{
    const struct host_samples *s = &e->run->host_samples;
    size_t n = e->run->lines.table.n;
    double *ns = mem_zalloc(n + 1, sizeof *ns), *sum = sums_of_ranks(e);
    double *own = mem_zalloc(n + 1, sizeof *own);
    double *others = mem_zalloc(n + 1, sizeof *others); /* on the mean */
    double n_others = fmax(1, (double)e->run->ranks.table.n - 1);
    for (size_t i = 0; i < s->table.n; i++) {
        int32_t line = s->line[i] >= 0 ? s->line[i] : s->inner[i];
        double taken_ns = e->step_ns * (double)s->count[i] / fmax(1, sum[s->rank[i]]);
        if (line >= 0 && s->rank[i] == rank)
            own[line] += taken_ns;
        else if (line >= 0)
            others[line] += taken_ns / n_others;
    }
    struct line_row *l = line_rows_of(e->run);
    for (size_t i = 0, end; i < n; i = end) {
        double own_ns = 0, others_ns = 0;
        end = line_rows_end(l, n, i);
        for (size_t k = i; k < end; k++) {
            own_ns += own[l[k].row];
            others_ns += others[l[k].row];
        }
        for (size_t k = i; k < end && own_ns > others_ns; k++)
            ns[l[k].row] = own[l[k].row] * (1 - others_ns / own_ns);
    }
    mem_free(l);
    mem_free(others);
    mem_free(sum);
    return (struct beyond_others){ns, own};
}

/* The way from one operator to the next: the median, as the tracer shows it. */
static double usual_gap_ns(const struct evidence *e)
{
    double *gap = NULL;
    size_t n = 0, cap = 0;
    for (size_t k = 0; k < e->n_threads; k++)
        for (size_t i = 0; i < e->threads[k].n; i++)
            if (watched_begins(e->watched, k, &e->threads[k], i)) {
                vec_grow(gap, cap, n + 1);
                gap[n++] =
                    (double)e->usual_gap_ns[e->run->spans.name[e->threads[k].op[i].span]];
            }
    double median = n ? stats_median(gap, n) : 0;
    mem_free(gap);
    return median;
}

/* What operators take in the steps that were looked at, over what the tracer shows: the
 * median over statements, by the operators' time. Other programs may have come or gone.
 */
struct slowness {
    double ratio, weight_ns;
};

static int compare_slowness(const void *a, const void *b)
{
    const struct slowness *x = a, *y = b;
    return (x->ratio > y->ratio) - (x->ratio < y->ratio);
}

static double slowness_of(const struct evidence *e, const double *seen_ns,
                          const double *ops_ns)
{
    size_t lines = e->run->lines.table.n, n = 0, i = 0;
    struct slowness *all = mem_alloc((lines + 1) * sizeof *all);
    double weight_ns = 0, before_ns = 0;
    for (size_t k = 0; k < lines; k++)
        if (ops_ns[k] > 0 && seen_ns[k] > 0) {
            all[n++] = (struct slowness){seen_ns[k] / ops_ns[k], ops_ns[k]};
            weight_ns += ops_ns[k];
        }
    if (n)
        qsort(all, n, sizeof *all, compare_slowness);
    while (i + 1 < n && before_ns + all[i].weight_ns < weight_ns / 2)
        before_ns += all[i++].weight_ns;
    double ratio = n ? all[i].ratio : 1;
    mem_free(all);
    return fmax(ratio, evidence_of_step_ns(e, 1)); /* not less than in the step itself */
}

/* (lines) Operators of the job's own code, a step. */
struct line_ops {
    double *ns;          /* as the tracer shows them, with the way to the next */
    double *needless_ns; /* of these what would be gone */
    uint8_t *waits;      /* is one of them a collective, that others are waited for in? */
};

static void line_ops_release(struct line_ops *o)
{
    mem_free(o->ns);
    mem_free(o->needless_ns);
    mem_free(o->waits);
}

static struct line_ops ops_of(const struct evidence *e)
{
    const struct watched *w = e->watched;
    size_t lines = e->run->lines.table.n;
    struct line_ops o = {mem_zalloc(lines + 1, sizeof *o.ns),
                         mem_zalloc(lines + 1, sizeof *o.needless_ns),
                         mem_zalloc(lines + 1, sizeof *o.waits)};
    double gap_ns = usual_gap_ns(e);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            int32_t call = w->call[k][i];
            int32_t line =
                watched_begins(w, k, t, i) ? flow_line(&w->graph, (size_t)call) : -1;
            if (line < 0 || flow_in_backward(&w->graph, (size_t)call) ||
                flow_has(&w->graph, (size_t)call, OP_TRAIT_OPTIMIZER))
                continue; /* other parts of the step */
            double op_ns = ((double)host_op_ns(&t->op[i]) + gap_ns) / (double)e->steps;
            o.ns[line] += op_ns;
            o.needless_ns[line] += flow_call_goes(&w->classes, (size_t)call) ? op_ns : 0;
            o.waits[line] |= flow_has(&w->graph, (size_t)call, OP_TRAIT_COLLECTIVE);
        }
    }
    return o;
}

/* (lines) What lies before and behind the operators of each a step, with no operator in
 * it, as the tracer shows it: Python that asks for operators runs there. */
static double *gaps_of(const struct evidence *e)
{
    const struct watched *w = e->watched;
    double *gaps_ns = mem_zalloc(e->run->lines.table.n + 1, sizeof *gaps_ns);
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        int64_t until_ns = t->n ? t->op[0].begin_ns : 0;
        int32_t last = -1, last_step = -1;
        for (size_t i = 0; i < t->n; i++) {
            const struct host_op *op = &t->op[i];
            int32_t call = w->call[k][i];
            int32_t step = e->run->spans.step[op->span];
            if (op->kind != SPAN_KIND_OP || op->begin_ns < until_ns)
                continue;
            if (step != last_step) { /* others may lie between them */
                until_ns = op->begin_ns;
                last = -1;
            }
            last_step = step;
            int32_t line = call == FLOW_NONE ? -1 : flow_line(&w->graph, (size_t)call);
            double gap_ns = (double)(op->begin_ns - until_ns);
            if (line >= 0)
                gaps_ns[line] += gap_ns / (double)e->steps;
            if (last >= 0 && last != line)
                gaps_ns[last] += gap_ns / (double)e->steps;
            last = line;
            until_ns = op->end_ns;
        }
    }
    return gaps_ns;
}

/* Of a traced step, in which the main thread runs no operator. */
static double idle_ns(const struct evidence *e)
{
    double ns = e->traced_step_ns * (double)e->steps;
    const struct host_thread *t =
        e->main_thread == SIZE_MAX ? NULL : &e->threads[e->main_thread];
    int64_t until_ns = INT64_MIN;
    for (size_t i = 0; t && i < t->n; i++)
        if (t->op[i].kind == SPAN_KIND_OP && t->op[i].begin_ns >= until_ns &&
            strstr(evidence_name(e, &t->op[i]), "::")) { /* others may run Python */
            ns -= (double)host_op_ns(&t->op[i]);
            until_ns = t->op[i].end_ns;
        }
    return fmax(0, ns / (double)e->steps);
}

double *host_time_in_python(const struct evidence *e)
{
    double *ns = host_time_of(e, SAMPLE_PART_CODE);
    struct line_ops ops = ops_of(e);
    double slow = slowness_of(e, ns, ops.ns), *gaps_ns = gaps_of(e);
    double most_ns = NOT_TRACED_RATIO * slow * idle_ns(e);
    for (size_t i = 0; i < e->run->lines.table.n; i++) {
        double python_ns = ns[i] - slow * ops.ns[i];
        if (ops.ns[i] > 0) /* operators may have been slower when it was looked at */
            python_ns = fmin(python_ns, slow * gaps_ns[i]);
        else if (python_ns > most_ns) /* in steps of another kind: what runs there? */
            python_ns = 0;
        bool needless = ops.needless_ns[i] > 0 && 2 * ops.needless_ns[i] > ops.ns[i];
        if (needless || ops.waits[i] || python_ns < MOSTLY_PYTHON_FRAC * ns[i])
            python_ns = 0;
        ns[i] = python_ns;
    }
    line_ops_release(&ops);
    mem_free(gaps_ns);
    return ns;
}
