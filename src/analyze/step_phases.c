#include "analyze/step_phases.h"

#include "analyze/rank_rows.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { TIMED_DATA, TIMED_BACKWARD, TIMED_OPTIMIZER, TIMED_PHASES };
/* The phases that the recorder times. */
static const enum timing_kind timed_by[TIMED_PHASES] = {
    TIMING_KIND_LOADER, TIMING_KIND_BACKWARD, TIMING_KIND_OPTIMIZER};

static double sum_of(const double *ns)
{
    double sum = 0;
    for (int p = 0; p < PHASE_COUNT; p++)
        sum += ns[p];
    return sum;
}

/* --- as recorded --- */

static void add_recorded(struct step_phases *out, const struct run *run,
                         const bool *typical)
{
    const struct phases *p = &run->phases;
    for (size_t i = 0; i < p->table.n; i++) {
        if (p->rank[i] < 0)
            continue;
        struct step_phases *to = &out[p->rank[i]];
        to->known = true;
        if (p->step[i] < 0 || !typical[p->step[i]] || p->phase[i] == PHASE_UNATTRIBUTED)
            continue;
        to->ns[p->phase[i]] += (double)p->ns[i];
        to->ns[PHASE_UNATTRIBUTED] -= (double)p->ns[i];
    }
    /* also of runs whose rows leave some of a step out, the phases make up the step */
    for (size_t i = 0; i < run->steps.table.n; i++)
        if (typical[i])
            out[run->steps.rank[i]].ns[PHASE_UNATTRIBUTED] +=
                (double)(run->steps.end_ns[i] - run->steps.begin_ns[i]);
    for (size_t k = 0; k < run->ranks.table.n; k++)
        out[k].ns[PHASE_UNATTRIBUTED] = fmax(0, out[k].ns[PHASE_UNATTRIBUTED]);
}

static void scale(double *ns, double to_ns)
{
    double sum = sum_of(ns);
    for (int p = 0; p < PHASE_COUNT; p++)
        ns[p] *= sum > 0 && isfinite(to_ns) ? to_ns / sum : 0;
}

/* --- without the tracer --- */

struct timed_step {
    int64_t number;
    double ns, off_ns; /* its length, and how far that is from the plain step's */
    double phase_ns[TIMED_PHASES];
    bool whole; /* was timed with its parts: steps after the rounds were not */
};

static int compare_number(const void *a, const void *b)
{
    int64_t x = ((const struct timed_step *)a)->number;
    int64_t y = ((const struct timed_step *)b)->number;
    return (x > y) - (x < y);
}

static int compare_off(const void *a, const void *b)
{
    double x = ((const struct timed_step *)a)->off_ns;
    double y = ((const struct timed_step *)b)->off_ns;
    return (x > y) - (x < y);
}

static struct timed_step *find_step(struct timed_step *step, size_t n, int64_t number)
{
    struct timed_step key = {.number = number};
    return n ? bsearch(&key, step, n, sizeof *step, compare_number) : NULL;
}

static void add_timing(struct timed_step *s, enum timing_kind what, double ns)
{
    s->whole |= what == TIMING_KIND_OPTIMIZER;
    for (int k = 0; k < TIMED_PHASES; k++)
        if (timed_by[k] == what)
            s->phase_ns[k] += ns;
}

/* The untraced steps of a rank that were timed with their parts, nearest to the plain
 * step first. Returns how many; the caller frees *out. */
static size_t timed_steps(struct timed_step **out, const struct timings *t,
                          const uint32_t *row, size_t rows, double plain_ns)
{
    struct timed_step *step = mem_zalloc(rows + 1, sizeof *step);
    size_t n = 0, whole = 0;
    for (size_t i = 0; i < rows; i++)
        if (t->what[row[i]] == TIMING_KIND_STEP) {
            double ns = (double)t->dur_ns[row[i]];
            step[n++] = (struct timed_step){
                .number = t->number[row[i]], .ns = ns, .off_ns = fabs(ns - plain_ns)};
        }
    if (n)
        qsort(step, n, sizeof *step, compare_number);
    for (size_t i = 0; i < rows; i++) {
        struct timed_step *s = find_step(step, n, t->number[row[i]]);
        if (s)
            add_timing(s, t->what[row[i]], (double)t->dur_ns[row[i]]);
    }
    for (size_t i = 0; i < n; i++)
        if (step[i].whole)
            step[whole++] = step[i];
    if (whole)
        qsort(step, whole, sizeof *step, compare_off);
    *out = step;
    return whole;
}

/* Means of a step, of the half of them nearest to the plain one, as parts of that. */
static void timed_means(double ns[TIMED_PHASES], const struct timed_step *step, size_t n,
                        double plain_ns)
{
    double all_ns = 0;
    for (size_t i = 0; i < n / 2 + 1 && i < n; i++) {
        all_ns += step[i].ns;
        for (int k = 0; k < TIMED_PHASES; k++)
            ns[k] += step[i].phase_ns[k];
    }
    for (int k = 0; k < TIMED_PHASES; k++)
        ns[k] *= all_ns > 0 ? plain_ns / all_ns : 0;
}

/* An optimizer's step that calls a closure is timed with the passes in it. Which of both
 * it is, the recorded phases tell: there they are apart. What the backward pass leaves is
 * then divided as it was recorded. */
static void set_optimizer(double *ns, double timed_ns)
{
    double *forward = &ns[PHASE_FORWARD], *own = &ns[PHASE_OPTIMIZER];
    double both_ns = *forward + *own, backward_ns = ns[PHASE_BACKWARD];
    if (timed_ns <= *own + (*forward + backward_ns) / 2) {
        *own = timed_ns;
        return;
    }
    double by = both_ns > 0 ? fmax(0, timed_ns - backward_ns) / both_ns : 0;
    *forward *= by;
    *own *= by;
}

/* From recorded phases to those without the tracer, of a plain step: what was timed as it
 * was, the forward pass as much faster as the backward pass. The rest lies between; there
 * the tracer itself does its work at the end of a step. False: the backward pass is not
 * known both ways. */
static bool without_tracer(double *ns, const double timed_ns[TIMED_PHASES],
                           double plain_ns)
{
    double recorded_ns = ns[PHASE_BACKWARD], sum_ns = 0;
    if (!(recorded_ns > 0) || !(timed_ns[TIMED_BACKWARD] > 0))
        return false;
    for (int p = 0; p < PHASE_COUNT; p++)
        ns[p] *= timed_ns[TIMED_BACKWARD] / recorded_ns;
    if (timed_ns[TIMED_DATA] > 0)
        ns[PHASE_DATA] = timed_ns[TIMED_DATA];
    if (timed_ns[TIMED_OPTIMIZER] > 0)
        set_optimizer(ns, timed_ns[TIMED_OPTIMIZER]);
    for (int p = 0; p < PHASE_UNATTRIBUTED; p++)
        sum_ns += ns[p];
    ns[PHASE_UNATTRIBUTED] = fmax(0, plain_ns - sum_ns);
    scale(ns, plain_ns);
    return true;
}

static void use_timings(struct step_phases *out, const struct step_time *told,
                        const struct timings *t, const uint32_t *row, size_t rows)
{
    double plain_ns = isnan(told->plain_ns) ? told->ns : told->plain_ns;
    double timed_ns[TIMED_PHASES] = {0};
    struct timed_step *step;
    size_t n = timed_steps(&step, t, row, rows, plain_ns);
    timed_means(timed_ns, step, n, plain_ns);
    mem_free(step);
    out->timed = without_tracer(out->ns, timed_ns, plain_ns);
    if (out->timed)
        out->ns[PHASE_OTHER] += told->ns - plain_ns;
}

void step_phases(struct step_phases *out, const struct run *run,
                 const struct step_time *told, const bool *typical)
{
    size_t ranks = run->ranks.table.n;
    struct rank_rows timings;
    for (size_t k = 0; k < ranks; k++)
        out[k] = (struct step_phases){0};
    add_recorded(out, run, typical);
    rank_rows_init(&timings, run->timings.rank, run->timings.table.n, ranks);
    for (size_t k = 0; k < ranks; k++) {
        if (out[k].known && told[k].basis == STEP_BASIS_UNTRACED)
            use_timings(&out[k], &told[k], &run->timings, timings.row + timings.at[k],
                        timings.at[k + 1] - timings.at[k]);
        if (!out[k].timed)
            scale(out[k].ns, told[k].ns);
    }
    rank_rows_release(&timings);
}
