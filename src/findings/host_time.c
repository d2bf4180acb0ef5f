#include "findings/host_time.h"

#include "base/mem.h"
#include "base/stats.h"
#include "findings/outer_ops.h"
#include "findings/watched.h"
#include "run/record_facts.h"

#include <math.h>

static double sum_of(const struct evidence *e)
{
    const struct host_samples *s = &e->run->host_samples;
    double all = 0;
    for (size_t i = 0; i < s->table.n; i++)
        all += s->rank[i] == e->rank_row ? (double)s->count[i] : 0;
    return all;
}

bool host_time_known(const struct evidence *e)
{
    return sum_of(e) > 0 &&
           record_fact(e->run, e->rank_row, RECORD_FACT_SAMPLED_STEPS) > 0;
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

/* What a statement asks for itself, also of the backward pass: that which it runs in. */
static int32_t asking_line(const struct evidence *e, int32_t call)
{
    const struct watched_ops *w = &e->run->watched_ops;
    size_t row = flow_row(&e->watched->graph, (size_t)call);
    return w->line[row] >= 0 ? w->line[row] : w->inner[row];
}

double *host_time_in_python(const struct evidence *e)
{
    const struct watched *w = e->watched;
    double *ns = host_time_of(e, SAMPLE_PART_CODE);
    double *needless_ns = mem_zalloc(e->run->lines.table.n + 1, sizeof *needless_ns);
    double *ops_ns = mem_zalloc(e->run->lines.table.n + 1, sizeof *ops_ns);
    double gap_ns = usual_gap_ns(e), steps = (double)e->steps;
    /* of the step that is told over one of those that were looked at: each is held
     * against the operators as they were, and other programs may have come or gone since
     */
    double slower = e->step_ns *
                    record_fact(e->run, e->rank_row, RECORD_FACT_SAMPLED_STEPS) /
                    fmax(1, record_fact(e->run, e->rank_row, RECORD_FACT_SAMPLED_NS));
    for (size_t k = 0; k < e->n_threads; k++) {
        const struct host_thread *t = &e->threads[k];
        for (size_t i = 0; i < t->n; i++) {
            int32_t call = w->call[k][i];
            int32_t line = watched_begins(w, k, t, i) ? asking_line(e, call) : -1;
            if (line < 0)
                continue;
            double op_ns = (double)host_op_ns(&t->op[i]) + gap_ns;
            ops_ns[line] += op_ns;
            needless_ns[line] += flow_class_goes(w->classes[call]) ? op_ns : 0;
        }
    }
    for (size_t i = 0; i < e->run->lines.table.n; i++) {
        bool needless = needless_ns[i] > 0 && 2 * needless_ns[i] > ops_ns[i];
        double python_ns = ns[i] - slower * ops_ns[i] / steps;
        /* operators take longer at one time than at another: where they are most of it, a
         * difference says nothing */
        ns[i] = needless || 2 * python_ns < ns[i] ? 0 : python_ns;
    }
    mem_free(needless_ns);
    mem_free(ops_ns);
    return ns;
}
