/*
 * How far every parameter of two recordings of one job has moved after the same steps.
 * Compared are sizes: an optimizer that divides by the gradient's size (Adam) makes a
 * direction of what rounding left, so directions are compared of gradients alone.
 */
#include "base/mem.h"
#include "base/stats.h"
#include "base/units.h"
#include "verify/parameter_pairs.h"

#include <math.h>
#include <stdio.h>

/* Thresholds: docs/verify.md says why. */
#define MOVEMENT_MAX_FRAC 0.25
#define MOVEMENT_MEDIAN_MAX_FRAC 0.02 /* of all parameters */
#define MOVEMENT_MEDIAN_MAX_LOW_FRAC 0.05
/* A gradient below this part of the largest is rounding, and so is what it moves. */
#define NOISE_FRAC 1e-5
#define NOISE_LOW_FRAC 0.01

struct moved {
    struct parameter_worst worst;
    double allowed; /* of one parameter */
    double *by;     /* (n): of each parameter and step */
    size_t n, cap;
    bool *is_noise, *is_seen, *is_beyond; /* by name of the run before */
};

static void find_noise(struct moved *m, const struct parameter_pairs *x, double below)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct movement *b = &x->v[i].before, *a = &x->v[i].after;
        if (b->what == MOVED_KIND_GRADIENT && movement_rms(b) < below &&
            movement_rms(a) < below)
            m->is_noise[b->name] = true;
    }
}

static void compare(struct moved *m, const struct parameter_pair *x)
{
    double b = x->before.norm, a = x->after.norm;
    double by = parameter_frac(fabs(a - b), fmax(a, b));
    vec_grow(m->by, m->cap, m->n + 1);
    m->by[m->n++] = by;
    if (by > m->worst.by) {
        m->worst.by = by;
        m->worst.pair = x;
    }
    if (by > m->allowed && !m->is_beyond[x->before.name]) {
        m->is_beyond[x->before.name] = true;
        m->worst.beyond++;
    }
}

static void compare_all(struct moved *m, const struct parameter_pairs *x,
                        const struct pair *p)
{
    double noise = is_low_precision(p) ? NOISE_LOW_FRAC : NOISE_FRAC;
    find_noise(m, x, noise * x->largest_gradient);
    for (size_t i = 0; i < x->n; i++) {
        const struct movement *b = &x->v[i].before;
        if (b->what != MOVED_KIND_MOVEMENT || m->is_noise[b->name])
            continue;
        m->worst.compared += !m->is_seen[b->name];
        m->is_seen[b->name] = true;
        compare(m, &x->v[i]);
    }
}

static void say_worst(struct gate_result *g, const struct moved *m)
{
    const struct parameter_worst *w = &m->worst;
    if (!w->pair)
        snprintf(g->remark, sizeof g->remark, "as far after each step: %s",
                 unit_plural((double)w->compared, "parameter", "parameters").s);
    else
        snprintf(
            g->remark, sizeof g->remark,
            "%.80s differs most, by %.3g %% at step %lld; allowed %.3g %%, passed by "
            "%zu of %zu",
            g->at_parameter, w->by * 100, (long long)w->pair->before.step,
            m->allowed * 100, w->compared - w->beyond, w->compared);
}

static enum verdict judge(struct gate_result *g, const struct moved *m,
                          const struct pair *p)
{
    bool low = is_low_precision(p);
    double median = stats_median(m->by, m->n);
    double allowed = low ? MOVEMENT_MEDIAN_MAX_LOW_FRAC : MOVEMENT_MEDIAN_MAX_FRAC;
    parameter_worst_tell(g, &m->worst, m->allowed, p);
    say_worst(g, m);
    if (!m->worst.beyond && median <= allowed)
        return VERDICT_PASS;
    g->code = "movement_differs";
    if (!m->worst.beyond) {
        snprintf(g->remark, sizeof g->remark,
                 "half of the parameters differ by %.3g %% or more; allowed %.0f %%",
                 median * 100, allowed * 100);
        g->numbers.change = median;
        g->numbers.allowed = allowed;
    }
    return VERDICT_FAIL;
}

/* --- what only one of them trains --- */

/* Numbers that its optimizers have, of all ranks. */
static double trained(const struct run *run)
{
    double elements = 0;
    for (size_t i = 0; i < run->movements.table.n; i++)
        if (run->movements.what[i] == MOVED_KIND_WEIGHTS)
            elements += (double)run->movements.elements[i];
    return elements;
}

/* (names of the run) which of them are parameters that it trains; the caller frees it. */
static bool *trained_names(const struct run *run)
{
    const struct movements *m = &run->movements;
    bool *is_trained = mem_zalloc(run->names.n + 1, sizeof *is_trained);
    for (size_t i = 0; i < m->table.n; i++)
        if (m->what[i] == MOVED_KIND_WEIGHTS)
            is_trained[m->name[i]] = true;
    return is_trained;
}

/* The first parameter of the run that the other does not train, or -1. */
static int64_t missing(const struct run *run, const struct run *other)
{
    const struct movements *m = &run->movements;
    bool *others = trained_names(other);
    int64_t found = -1;
    for (size_t i = 0; i < m->table.n && found < 0; i++) {
        if (m->what[i] != MOVED_KIND_WEIGHTS)
            continue;
        int64_t id = names_find_z(&other->names, run_name(run, m->name[i]));
        if (id < 0 || !others[id])
            found = m->name[i];
    }
    mem_free(others);
    return found;
}

/* Parameters may have other names (three products in one); then both train equally many
 * numbers. */
static bool one_is_missing(struct gate_result *g, const struct pair *p)
{
    if (trained(p->before) == trained(p->after))
        return false;
    int64_t before = missing(p->before, p->after);
    int64_t after = missing(p->after, p->before);
    if (before < 0 && after < 0)
        return false;
    parameter_name(g->at_parameter, sizeof g->at_parameter,
                   before < 0 ? p->after : p->before,
                   (name_id)(before < 0 ? after : before));
    snprintf(g->remark, sizeof g->remark, "%.80s is trained only %s", g->at_parameter,
             before < 0 ? "after" : "before");
    g->code = "parameters_differ";
    return true;
}

enum verdict gate_movement(struct gate_result *g, const struct pair *p)
{
    struct parameter_pairs x;
    struct moved m = {.allowed =
                          target_or(p->targets.max_movement_error, MOVEMENT_MAX_FRAC),
                      .is_noise = mem_zalloc(p->before->names.n + 1, sizeof(bool)),
                      .is_seen = mem_zalloc(p->before->names.n + 1, sizeof(bool)),
                      .is_beyond = mem_zalloc(p->before->names.n + 1, sizeof(bool))};
    enum verdict v;
    parameter_pairs_find(&x, p);
    compare_all(&m, &x, p);
    if (!m.n)
        v = does_not_apply(g, "no_common_movement",
                           "the runs carry no movement of the same parameters "
                           "(recordings of PyTorch jobs do)");
    else if (starts_differ(g, p))
        v = VERDICT_NOT_APPLICABLE;
    else
        v = one_is_missing(g, p) ? VERDICT_FAIL : judge(g, &m, p);
    parameter_pairs_release(&x);
    mem_free(m.by);
    mem_free(m.is_noise);
    mem_free(m.is_seen);
    mem_free(m.is_beyond);
    return v;
}
