#include "analyze/step_time.h"

#include "analyze/rank_rows.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* docs/analyze.md, "The step": how much slower than the host the device must be to be the
 * one that tells, and how far apart two marks may be that follow each other. */
#define DEVICE_SLOWER_FRAC 0.01
#define NEXT_STEP_GAP_FRAC 0.1
/* of a mark: a device that ends a little later than the host only ends its step; and of
 * the time from a single step's first kernel to its last, what it must be at work */
#define BEHIND_FRAC 0.1
#define EXTENT_BUSY_FRAC 0.5

const struct step_time step_time_none = {.ns = NAN,
                                         .low_ns = NAN,
                                         .high_ns = NAN,
                                         .spread_frac = NAN,
                                         .median_ns = NAN,
                                         .plain_ns = NAN,
                                         .mark_ns = NAN,
                                         .host_ns = NAN};

#define STEP_BASIS_TEXT(v, text) text,
const char *const step_basis_text[STEP_BASIS_COUNT] = {STEP_BASIS_LIST(STEP_BASIS_TEXT)};

/* A rank's steps and timings, and room for as many numbers. */
struct rank_steps {
    const struct run *run;
    int32_t rank;
    const uint32_t *step, *timing; /* rows */
    size_t steps, timings;
    double *ns; /* (2 * steps + timings) */
};

/* Long steps recur if ordinary ones lie between them, and if they are not few. */
#define RECURRING_GROUPS 3
#define RECURRING_FRAC 0.1

struct long_steps {
    size_t lead;   /* at the beginning: warm-up */
    size_t n;      /* behind it */
    size_t groups; /* of these, with ordinary steps between them */
};

static struct long_steps find_long(const double *ns, size_t n, double median_ns)
{
    struct long_steps l = {0};
    double most_ns = (1 + STEP_LONG_FRAC) * median_ns;
    while (l.lead < n && ns[l.lead] > most_ns)
        l.lead++;
    for (size_t i = l.lead + 1; i < n; i++) {
        l.n += ns[i] > most_ns;
        l.groups += ns[i] > most_ns && ns[i - 1] <= most_ns;
    }
    return l;
}

/* The interval is that of a mean of so many, by their standard deviation. */
static void tell_mean(struct step_time *t, const double *ns, size_t n,
                      const struct long_steps *l)
{
    double half_ns = 2 * stats_stddev(ns, n) / sqrt((double)n);
    t->longer = l->n;
    t->ns = t->plain_ns = stats_mean(ns, n);
    t->low_ns = fmax(0, t->ns - half_ns);
    t->high_ns = t->ns + half_ns;
}

static bool is_near(double ns, double median_ns)
{
    return fabs(ns - median_ns) <= STEP_LONG_FRAC * median_ns;
}

bool step_time_is_typical(const struct step_time *recorded, double mark_ns)
{
    return is_near(mark_ns, recorded->mark_ns);
}

/* Are most of them of one length? */
static bool agree(const double *ns, size_t n)
{
    size_t near = 0;
    double median_ns = n ? stats_median(ns, n) : 0;
    for (size_t i = 0; i < n; i++)
        near += is_near(ns[i], median_ns);
    return 2 * near > n;
}

static void set_median(struct step_time *t, enum step_basis basis, const double *ns,
                       size_t n)
{
    struct median_interval m = stats_median_interval(ns, n);
    t->basis = basis;
    t->ns = t->plain_ns = t->median_ns = m.median;
    t->low_ns = m.low;
    t->high_ns = m.high;
    t->count = n;
    t->spread_frac = stats_spread_frac(ns, n);
    t->mean = false;
    t->left_out = t->longer = 0;
}

/* ns: one after another, as they ran. What warms up is left out where the others agree.
 */
static void set_time(struct step_time *t, enum step_basis basis, const double *ns,
                     size_t n)
{
    size_t lead = find_long(ns, n, stats_median(ns, n)).lead;
    if (!agree(ns + lead, n - lead))
        lead = 0;
    ns += lead;
    n -= lead;
    set_median(t, basis, ns, n);
    struct long_steps l = find_long(ns, n, t->median_ns);
    t->left_out = lead;
    t->mean = l.groups >= RECURRING_GROUPS && (double)l.n >= RECURRING_FRAC * (double)n;
    if (t->mean)
        tell_mean(t, ns, n, &l);
}

/* --- as recorded --- */

static double mark_ns(const struct steps *s, uint32_t row)
{
    return (double)(s->end_ns[row] - s->begin_ns[row]);
}

static bool has_kernels(const struct steps *s, uint32_t row)
{
    return s->device_end_ns[row] > s->device_begin_ns[row];
}

/* A profiler that sleeps between two steps leaves a gap. */
static bool follow_each_other(const struct steps *s, uint32_t row, uint32_t next)
{
    double gap_ns = (double)(s->begin_ns[next] - s->end_ns[row]);
    return fabs(gap_ns) <= NEXT_STEP_GAP_FRAC * mark_ns(s, row);
}

/* From one step to the next, at its begin and its end: the mean of both. */
static double distance_ns(const int64_t *begin_ns, const int64_t *end_ns, uint32_t row,
                          uint32_t next)
{
    return ((double)(begin_ns[next] - begin_ns[row]) +
            (double)(end_ns[next] - end_ns[row])) /
           2;
}

/* How far the device's work of each step lies behind that of the step before, and how
 * much further than the marks do. Returns how many pairs there are. */
static size_t device_distances(const struct rank_steps *r, double *device_ns,
                               double *more_ns)
{
    const struct steps *s = &r->run->steps;
    size_t n = 0;
    for (size_t i = 0; i + 1 < r->steps; i++) {
        uint32_t row = r->step[i], next = r->step[i + 1];
        if (!has_kernels(s, row) || !has_kernels(s, next) ||
            !follow_each_other(s, row, next))
            continue;
        device_ns[n] = distance_ns(s->device_begin_ns, s->device_end_ns, row, next);
        more_ns[n] = device_ns[n] - distance_ns(s->begin_ns, s->end_ns, row, next);
        n++;
    }
    return n;
}

/* Did the device still work on most steps when the host had passed them? */
static bool lags(const struct rank_steps *r)
{
    const struct steps *s = &r->run->steps;
    size_t late = 0;
    for (size_t i = 0; i < r->steps; i++)
        late += has_kernels(s, r->step[i]) &&
                (double)(s->device_end_ns[r->step[i]] - s->end_ns[r->step[i]]) >
                    BEHIND_FRAC * mark_ns(s, r->step[i]);
    return 2 * late > r->steps;
}

/* A single step has no distance to another; but no step is done before its device work,
 * from the first kernel to the last. */
static size_t device_extent(const struct rank_steps *r, double *device_ns,
                            double *more_ns)
{
    const struct steps *s = &r->run->steps;
    if (r->steps != 1 || !has_kernels(s, r->step[0]))
        return 0;
    device_ns[0] =
        (double)(s->device_end_ns[r->step[0]] - s->device_begin_ns[r->step[0]]);
    if ((double)s->device_ns[r->step[0]] < EXTENT_BUSY_FRAC * device_ns[0])
        return 0;
    more_ns[0] = device_ns[0] - mark_ns(s, r->step[0]);
    return 1;
}

/* The device is slower by its median, and falls back from step to step beyond chance:
 * medians of two sorts of steps alone would differ where steps do. */
static void measure_device(struct step_time *t, const struct rank_steps *r)
{
    double *device_ns = r->ns, *more_ns = r->ns + r->steps;
    size_t n = device_distances(r, device_ns, more_ns);
    if (!n)
        n = device_extent(r, device_ns, more_ns);
    double slower_ns = DEVICE_SLOWER_FRAC * t->mark_ns;
    t->lags = lags(r);
    t->ahead = n && t->lags && stats_median(device_ns, n) > t->mark_ns + slower_ns &&
               stats_median_interval(more_ns, n).low > 0;
    if (t->ahead)
        set_time(t, STEP_BASIS_DEVICE, device_ns, n);
}

/* Of the median of the others: a last step that is shorter, and launches nothing where
 * the one before does, is what was left when the profiler was stopped. */
#define STUB_FRAC 0.05

static bool ends_with_stub(const struct rank_steps *r)
{
    const struct steps *s = &r->run->steps;
    if (r->steps < 2)
        return false;
    uint32_t last = r->step[r->steps - 1], before = r->step[r->steps - 2];
    for (size_t i = 0; i + 1 < r->steps; i++)
        r->ns[i] = mark_ns(s, r->step[i]);
    return !s->device_spans[last] && s->device_spans[before] &&
           mark_ns(s, last) < STUB_FRAC * stats_median(r->ns, r->steps - 1);
}

static void measure_recorded(struct step_time *t, struct rank_steps *r)
{
    enum step_method method = r->run->ranks.step_method[r->rank];
    r->steps -= ends_with_stub(r);
    if (!r->steps)
        return;
    for (size_t i = 0; i < r->steps; i++)
        r->ns[i] = mark_ns(&r->run->steps, r->step[i]);
    set_time(t,
             method == STEP_METHOD_TRAINER         ? STEP_BASIS_TRAINER
             : method == STEP_METHOD_KERNEL_PERIOD ? STEP_BASIS_DEVICE
             : method == STEP_METHOD_RECORDING     ? STEP_BASIS_RECORDING
                                                   : STEP_BASIS_HOST,
             r->ns, r->steps);
    t->mark_ns = t->median_ns;
    t->mark_mean = t->mean;
    t->mark_left_out = t->left_out;
    if (method == STEP_METHOD_KERNEL_PERIOD || method == STEP_METHOD_RECORDING)
        return; /* these are not the host's */
    t->host_ns = t->ns;
    measure_device(t, r);
}

/* --- without the tracer ---
 *
 * The recorder has warmed the job up, and says itself what comes every few steps. What
 * else makes a step long is, most often, another program: the median does not see it. */

bool step_time_is_interval(enum timing_kind what)
{
    return what == TIMING_KIND_EVALUATE || what == TIMING_KIND_SAVE ||
           what == TIMING_KIND_GARBAGE;
}

/* Is it in at most half of the steps? Else it is a part of the step: a model that acts
 * and learns in turns, a checkpoint after each. */
static bool comes_now_and_then(const struct rank_steps *r, enum timing_kind what)
{
    const struct timings *t = &r->run->timings;
    size_t hits = 0, steps = 0;
    for (size_t i = 0; i < r->timings; i++) {
        uint32_t row = r->timing[i];
        hits += t->what[row] == what && t->dur_ns[row] > 0;
        steps += t->what[row] == TIMING_KIND_STEP;
    }
    return 2 * hits <= steps;
}

/* Numbers of the steps that hold such, in order; the caller frees them. */
static int64_t *find_hits(const struct rank_steps *r, size_t *n)
{
    const struct timings *t = &r->run->timings;
    int64_t *hit = mem_alloc((r->timings + 1) * sizeof *hit);
    bool counts[TIMING_KIND_COUNT];
    *n = 0;
    for (int k = 0; k < TIMING_KIND_COUNT; k++)
        counts[k] = step_time_is_interval((enum timing_kind)k) &&
                    comes_now_and_then(r, (enum timing_kind)k);
    for (size_t i = 0; i < r->timings; i++) {
        uint32_t row = r->timing[i];
        if (t->dur_ns[row] > 0 && counts[t->what[row]])
            hit[(*n)++] = t->number[row];
    }
    if (*n)
        qsort(hit, *n, sizeof *hit, compare_int64);
    return hit;
}

static void add_share(struct step_time *t, double more_ns)
{
    if (more_ns <= 0)
        return;
    t->ns += more_ns;
    t->low_ns += more_ns;
    t->high_ns += more_ns;
}

/* The median of the steps that hold nothing which comes every few steps, and on top what
 * the others take more, shared by all; where all hold some, the median of all. */
static void measure_untraced(struct step_time *t, const struct rank_steps *r)
{
    const struct timings *rows = &r->run->timings;
    size_t plain = 0, holding = 0, hits;
    int64_t *hit = find_hits(r, &hits);
    double held_ns = 0, *other_ns = r->ns + r->timings; /* filled from its end */
    for (size_t i = 0; i < r->timings; i++) {
        uint32_t row = r->timing[i];
        if (rows->what[row] != TIMING_KIND_STEP)
            continue;
        double ns = (double)rows->dur_ns[row];
        if (hits && bsearch(&rows->number[row], hit, hits, sizeof *hit, compare_int64)) {
            held_ns += ns;
            *(other_ns - ++holding) = ns;
        } else {
            r->ns[plain++] = ns;
        }
    }
    mem_free(hit);
    if (plain) {
        set_median(t, STEP_BASIS_UNTRACED, r->ns, plain);
        add_share(t,
                  (held_ns - (double)holding * t->plain_ns) / (double)(plain + holding));
    } else if (holding) {
        memmove(r->ns, other_ns - holding, holding * sizeof *r->ns);
        set_median(t, STEP_BASIS_UNTRACED, r->ns, holding);
        t->plain_ns = NAN;
    }
}

/* --- all ranks --- */

void step_times(struct step_time *told, struct step_time *recorded, const struct run *run)
{
    size_t ranks = run->ranks.table.n;
    struct rank_rows steps, timings;
    rank_rows_init(&steps, run->steps.rank, run->steps.table.n, ranks);
    rank_rows_init(&timings, run->timings.rank, run->timings.table.n, ranks);
    double *ns =
        mem_alloc((2 * run->steps.table.n + run->timings.table.n + 1) * sizeof *ns);
    for (size_t i = 0; i < ranks; i++) {
        struct rank_steps r = {.run = run,
                               .rank = (int32_t)i,
                               .step = steps.row + steps.at[i],
                               .steps = steps.at[i + 1] - steps.at[i],
                               .timing = timings.row + timings.at[i],
                               .timings = timings.at[i + 1] - timings.at[i],
                               .ns = ns};
        recorded[i] = step_time_none;
        measure_recorded(&recorded[i], &r);
        told[i] = recorded[i];
        measure_untraced(&told[i], &r);
    }
    mem_free(ns);
    rank_rows_release(&steps);
    rank_rows_release(&timings);
}
