#include "findings/fetches.h"

#include "run/name_sort.h"

#include <math.h>
#include <string.h>

static bool is_fetch(const struct evidence *e, const struct host_op *op)
{
    const char *name = evidence_name(e, op);
    return name_sort(name, strlen(name)) == NAME_SORT_INPUT;
}

static bool stands_in_fetch(const struct evidence *e, const struct host_thread *t,
                            const struct host_op *op)
{
    for (int32_t i = op->parent; i >= 0; i = t->op[i].parent)
        if (is_fetch(e, &t->op[i]))
            return true;
    return false;
}

bool fetches_is_inside(const struct evidence *e, const struct host_thread *t,
                       const struct host_op *op)
{
    return is_fetch(e, op) || stands_in_fetch(e, t, op);
}

static void add_timings(const struct evidence *e, struct fetches *f)
{
    double cpu_ns = evidence_timing_median(e, "loader_cpu");
    f->timed_ns = evidence_timing_median(e, "loader");
    f->share_frac = f->traced_ns / e->traced_step_ns;
    f->computing_frac = NAN;
    if (isnan(f->timed_ns))
        return;
    f->share_frac = f->timed_ns / e->step_ns;
    if (!isnan(cpu_ns) && f->timed_ns > 0)
        f->computing_frac = fmin(1, cpu_ns / f->timed_ns);
}

struct fetches fetches_find(const struct evidence *e)
{
    struct fetches f = {0};
    if (e->main_thread == SIZE_MAX)
        return f;
    const struct host_thread *t = &e->threads[e->main_thread];
    for (size_t i = 0; i < t->n; i++) {
        const struct host_op *op = &t->op[i];
        if (!is_fetch(e, op) || stands_in_fetch(e, t, op))
            continue;
        evidence_edit_range(e, &f.edits, t->lane, op->begin_ns, op->end_ns, 0);
        f.traced_ns += (double)host_op_ns(op) / (double)e->steps;
        f.workers = f.workers || strstr(evidence_name(e, op), "MultiProcessing");
        if (!f.longest || host_op_ns(op) > host_op_ns(f.longest))
            f.longest = op;
    }
    add_timings(e, &f);
    return f;
}
