/*
 * One pass over a rank's operators and kernels, one over its steps and facts. Time of an
 * operator's work is that of the device work that it launched itself (ops.device_ns);
 * where a rank used no device, the time of its calls.
 */
#include "analyze/efficiency_parts.h"

#include "base/saturate.h"
#include "base/units.h"
#include "run/op_family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* --- operators and kernels --- */

struct gathering {
    struct efficiency *e;
    const struct analysis *a;
    const struct analysis_rank *rank;
    bool captured; /* operators went into a graph: what they ask for runs later */
    int64_t softmax_calls, batched_products;
    int64_t uncounted_calls; /* of products, by operators without any counted call */
    int64_t uncounted_ns;    /* that these launched */
};

static int64_t work_ns(const struct gathering *g, size_t row)
{
    const struct ops *o = &g->a->run->ops;
    if (g->rank->has_device)
        return o->device_ns[row];
    return g->rank->used_device ? 0 : o->total_ns[row];
}

static void add_dot(struct efficiency *e, struct roofline_dot dot)
{
    size_t at = e->dots;
    while (at && e->dot[at - 1].ns < dot.ns)
        at--;
    if (at == ROOFLINE_DOTS_MAX)
        return;
    e->dots += e->dots < ROOFLINE_DOTS_MAX;
    memmove(&e->dot[at + 1], &e->dot[at], (e->dots - at - 1) * sizeof *e->dot);
    e->dot[at] = dot;
}

static void gather_product(struct efficiency *e, double flop, int64_t ns)
{
    e->flop += flop;
    if (ns <= 0)
        return;
    e->timed_flop += flop;
    e->timed_ns = add(e->timed_ns, ns);
}

static bool is_trainer(const struct gathering *g)
{
    return g->a->run->ranks.source[g->rank->row] == RUN_SOURCE_TRAINER;
}

static void gather_op(struct gathering *g, size_t row)
{
    const struct ops *o = &g->a->run->ops;
    const char *name = run_name(g->a->run, o->name[row]);
    double flop = (double)o->flop[row];
    int64_t ns = work_ns(g, row);
    g->e->all_bytes += (double)o->bytes[row];
    int kind = op_attention_kind(name);
    if (kind >= 0)
        g->e->attention[kind].op_calls =
            add(g->e->attention[kind].op_calls, o->count[row]);
    if (!strcmp(name, "aten::_softmax"))
        g->softmax_calls += o->count[row];
    if (!strcmp(name, "aten::bmm") || !strcmp(name, "aten::baddbmm"))
        g->batched_products += o->count[row];
    bool product = op_family_is_product(is_trainer(g) ? trainer_op_family(name)
                                                      : op_family_of(name));
    if (product && flop <= 0) {
        g->uncounted_calls = add(g->uncounted_calls, o->count[row]);
        g->uncounted_ns = add(g->uncounted_ns, ns);
    }
    if (flop <= 0)
        return;
    g->e->all_flop += flop;
    if (product)
        gather_product(g->e, flop, ns);
    if (product && is_trainer(g))
        g->e->calls = add(g->e->calls, o->count[row]);
    if (ns > 0 && o->bytes[row] > 0)
        add_dot(g->e, (struct roofline_dot){.row = row,
                                            .ns = ns,
                                            .flop_per_byte = flop / (double)o->bytes[row],
                                            .flop_per_s = flop / (double)ns * 1e9});
}

static void gather_kernel(struct efficiency *e, const struct run *run, size_t row)
{
    const struct ops *o = &run->ops;
    const char *name = run_name(run, o->name[row]);
    int64_t count = o->count[row], ns = o->self_ns[row];
    enum kernel_units units = kernel_units_of(name);
    e->units_ns[units] = add(e->units_ns[units], ns);
    e->units_kernels[units] = add(e->units_kernels[units], count);
    enum precision p = kernel_precision_of(name);
    if (units != KERNEL_UNITS_NONE)
        e->precision_kernels[p] = add(e->precision_kernels[p], count);
    int kind = kernel_attention_kind(name);
    if (kind < 0)
        return;
    e->attention[kind].kernels = add(e->attention[kind].kernels, count);
    e->attention[kind].kernel_ns = add(e->attention[kind].kernel_ns, ns);
}

static void gather_copy(struct efficiency *e, const struct run *run, size_t row)
{
    const struct ops *o = &run->ops;
    struct copy_use *c = &e->copy[copy_kind_of(run_name(run, o->name[row]))];
    c->count = add(c->count, o->count[row]);
    c->bytes = add(c->bytes, o->bytes[row]);
    c->ns = add(c->ns, o->self_ns[row]);
}

static bool begins_capture(const char *call)
{
    return strstr(call, "StreamBeginCapture") != NULL;
}

/* The FLOPs of captured operators are counted when nothing of them runs, and not when the
 * graph runs: no rate is known. */
static void forget_counts(struct efficiency *e)
{
    e->flop = e->timed_flop = e->all_flop = e->all_bytes = 0;
    e->timed_ns = 0;
    e->dots = 0;
}

static void gather_rows(struct gathering *g)
{
    const struct ops *o = &g->a->run->ops;
    for (size_t i = 0; i < g->rank->n_ops; i++) {
        size_t row = g->rank->ops[i].row;
        if (o->kind[row] == SPAN_KIND_OP && o->place[row] == LANE_KIND_CPU)
            gather_op(g, row);
        else if (o->kind[row] == SPAN_KIND_RUNTIME)
            g->captured |= begins_capture(run_name(g->a->run, o->name[row]));
        else if (o->kind[row] == SPAN_KIND_KERNEL)
            gather_kernel(g->e, g->a->run, row);
        else if (o->kind[row] == SPAN_KIND_COPY && o->place[row] == LANE_KIND_DEVICE)
            gather_copy(g->e, g->a->run, row);
    }
    if (g->captured)
        forget_counts(g->e);
    /* Scores, softmax, and the product with the values: two products to a softmax. */
    struct attention_use *plain = &g->e->attention[ATTENTION_KIND_PLAIN];
    if (!plain->op_calls && g->softmax_calls &&
        g->batched_products >= 2 * g->softmax_calls)
        plain->op_calls = g->softmax_calls;
}

/* --- types of the factors --- */

/* The trainer computes all products in one. */
static void gather_trainer_type(struct efficiency *e, const struct run *run, int32_t rank)
{
    bool bf16 = !strcmp(run_fact_text(run, rank, "config.precision"), "bf16");
    e->flop_of[bf16 ? PRECISION_BF16 : PRECISION_F32] = e->flop;
}

static void gather_facts(struct efficiency *e, const struct run *run, int32_t rank)
{
    double counted = 0;
    if (run->ranks.source[rank] == RUN_SOURCE_TRAINER) {
        gather_trainer_type(e, run, rank);
        return;
    }
    for (int p = 0; p < PRECISION_UNKNOWN; p++) {
        char key[32];
        snprintf(key, sizeof key, "work.flop.%s", precision_text[p]);
        double flop = run_fact(run, rank, key);
        e->flop_of[p] = isfinite(flop) ? flop : 0;
        counted += e->flop_of[p];
    }
    e->flop_of[PRECISION_UNKNOWN] = fmax(e->flop - counted, 0);
    double calls = run_fact(run, rank, "work.calls");
    double unknown = run_fact(run, rank, "work.unknown_calls");
    e->calls = whole_saturated(calls);
    e->unknown_calls = whole_saturated(unknown);
    e->f32_is_tf32 = e->precision_kernels[PRECISION_TF32] > 0;
}

static enum precision counted_as(const struct efficiency *e, int p)
{
    return p == PRECISION_F32 && e->f32_is_tf32 ? PRECISION_TF32 : (enum precision)p;
}

static enum precision main_precision(const struct efficiency *e)
{
    int most = PRECISION_UNKNOWN;
    for (int p = 0; p < PRECISION_UNKNOWN; p++)
        if (e->flop_of[p] > e->flop_of[most])
            most = p;
    return counted_as(e, most);
}

/* --- ceilings --- */

static double positive_or_nan(double x)
{
    return x > 0 ? x : NAN;
}

static const char *why_no_peak(const struct analysis_rank *r)
{
    return r->has_device    ? "the device is not listed (--peak-tflops)"
           : r->used_device ? "the times of the device's work are not recorded"
                            : "nothing ran on a device";
}

/* What the machine was measured to do while nothing else ran. */
static void find_measured(struct ceiling *c, const struct run *run, int32_t rank)
{
    char key[48];
    snprintf(key, sizeof key, "ceiling.%s_flop_per_s", precision_text[c->precision]);
    double flop = run_fact(run, rank, key);
    const char *how = run_fact_text(run, rank, key);
    if (*how)
        c->source = how;
    if (!isfinite(flop))
        return;
    c->flop_per_s = positive_or_nan(flop);
    c->bytes_per_s = positive_or_nan(run_fact(run, rank, "ceiling.memory_bytes_per_s"));
    c->flop_origin = c->bytes_origin = ORIGIN_MEASURED;
}

static void find_ceiling(struct efficiency *e, const struct device_peak *listed,
                         const struct analysis_rank *r, const struct run *run,
                         const struct given_peak *given)
{
    struct ceiling *c = &e->ceiling;
    *c = (struct ceiling){.precision = main_precision(e),
                          .flop_origin = ORIGIN_LISTED,
                          .bytes_origin = ORIGIN_LISTED,
                          .source = why_no_peak(r)};
    c->flop_per_s = c->bytes_per_s = NAN;
    if (listed) {
        c->source = listed->source;
        c->flop_per_s = positive_or_nan(device_peak_flop_per_s(listed, c->precision));
        c->bytes_per_s = positive_or_nan(device_peak_bytes_per_s(listed));
    }
    if (!r->used_device)
        find_measured(c, run, r->row);
    if (given && given->flop_per_s > 0) {
        c->source = "given";
        c->flop_per_s = given->flop_per_s;
        c->flop_origin = ORIGIN_GIVEN;
    }
    if (given && given->bytes_per_s > 0) {
        c->bytes_per_s = given->bytes_per_s;
        c->bytes_origin = ORIGIN_GIVEN;
    }
}

enum roofline_bound roofline_bound_of(const struct ceiling *c, double flop_per_byte)
{
    double ridge = c->flop_per_s / c->bytes_per_s;
    if (!isfinite(ridge) || !isfinite(flop_per_byte))
        return ROOFLINE_UNKNOWN;
    return flop_per_byte < ridge ? ROOFLINE_MEMORY : ROOFLINE_COMPUTE;
}

static void judge_dots(struct efficiency *e)
{
    for (size_t i = 0; i < e->dots; i++)
        e->dot[i].bound = roofline_bound_of(&e->ceiling, e->dot[i].flop_per_byte);
}

/* --- utilisation --- */

/* Work within the steps. Steps hold the work of all families; the products' share of it
 * is that of the recording. */
static void find_window(struct gathering *g)
{
    const struct steps *s = &g->a->run->steps;
    struct efficiency *e = g->e;
    const struct rank_rows *rows = &g->a->step_rows;
    double flop = 0;
    for (size_t i = rows->at[g->rank->row]; i < rows->at[g->rank->row + 1]; i++)
        flop += (double)s->flop[rows->row[i]];
    double inside = e->all_flop > 0 ? flop / e->all_flop : 0;
    e->window_flop = inside * e->flop;
    e->window_bytes = inside * e->all_bytes;
    e->window_ns = (double)g->rank->steps.count * g->rank->step.ns;
    if (g->rank->steps.count)
        return;
    e->window_flop = e->flop;
    e->window_bytes = e->all_bytes;
    e->window_ns = (double)g->rank->whole.ns[TIME_CLASS_SPAN];
}

/* The least time in which the device could have done the products; NAN with a reason
 * where it is not known how fast it does one of the types. */
static double least_s(struct efficiency *e, const struct device_peak *listed)
{
    double s = 0;
    if (e->ceiling.flop_origin != ORIGIN_LISTED)
        return e->window_flop / e->ceiling.flop_per_s;
    for (int p = 0; p < PRECISION_COUNT; p++) {
        if (e->flop_of[p] <= 0)
            continue;
        double peak = device_peak_flop_per_s(listed, counted_as(e, p));
        if (peak <= 0) {
            e->no_hardware_frac =
                p == PRECISION_UNKNOWN
                    ? "the types of the factors are not recorded (--peak-tflops gives a "
                      "peak)"
                    : "the peak is not listed for a type that was used (--peak-tflops)";
            return NAN;
        }
        s += e->flop_of[p] / peak;
    }
    return s * (e->window_flop / e->flop);
}

/* "only 1.4 % of the matmul time could be counted (318 calls without …)" */
static const char *low_coverage(struct efficiency *e)
{
    char why[80] = "the others are tied to no operator that is counted";
    if (e->unknown_calls)
        snprintf(why, sizeof why, "%s calls without usable shapes",
                 unit_thousands(e->unknown_calls).s);
    snprintf(e->low_coverage, sizeof e->low_coverage,
             "only %.1f %% of the matmul time could be counted (%s)",
             100 * e->coverage_frac, why);
    return e->low_coverage;
}

/* MFU of which too much is not known is none; of which some is not known, a bound. */
static void judge_coverage(struct efficiency *e)
{
    if (!isfinite(e->hardware_frac))
        return;
    e->hardware_is_least = e->rate_is_least;
    if (isfinite(e->coverage_frac) && e->coverage_frac >= COVERAGE_LEAST) {
        e->hardware_is_least |= e->coverage_frac < COVERAGE_FULL;
        return;
    }
    e->hardware_frac = NAN;
    e->hardware_is_least = false;
    e->no_hardware_frac = e->no_coverage;
    if (isfinite(e->coverage_frac))
        e->no_hardware_frac = low_coverage(e);
}

static void find_hardware_frac(struct efficiency *e, const struct device_peak *listed,
                               int32_t devices)
{
    e->hardware_frac = NAN;
    e->no_hardware_frac = "";
    if (e->flop <= 0)
        e->no_hardware_frac = e->no_flop;
    else if (!listed && !isfinite(e->ceiling.flop_per_s))
        e->no_hardware_frac = e->ceiling.source;
    else if (e->window_flop <= 0 || e->window_ns <= 0)
        e->no_hardware_frac = "no counted work lies in a step";
    else
        e->hardware_frac =
            least_s(e, listed) / (e->window_ns / 1e9) / (devices > 1 ? devices : 1);
    judge_coverage(e);
}

static const char *why_no_flop(const struct efficiency *e, bool captured)
{
    if (e->flop > 0)
        return "";
    if (captured)
        return "operators were captured into a graph: what they count is not what ran";
    if (e->unknown_calls)
        return "the trace has no shapes (record_shapes=True)";
    return "no matmul of known size was recorded";
}

static const char *why_no_time(const struct analysis_rank *r)
{
    return r->has_device    ? "no GPU work could be tied to a matmul operator"
           : r->used_device ? "the times of the device's work are not recorded"
                            : "the matmuls took no measurable time";
}

static void find_rate(struct efficiency *e, const struct analysis_rank *r)
{
    e->flop_per_s = NAN;
    e->no_rate = "";
    if (e->flop <= 0)
        e->no_rate = e->no_flop;
    else if (e->timed_ns <= 0)
        e->no_rate = why_no_time(r);
    else
        e->flop_per_s = e->timed_flop / ((double)e->timed_ns / 1e9);
}

static int64_t product_kernels_ns(const struct efficiency *e)
{
    int64_t ns = 0;
    for (int u = KERNEL_UNITS_NONE + 1; u < KERNEL_UNITS_COUNT; u++)
        ns = add(ns, e->units_ns[u]);
    return ns;
}

/* Products show up twice: as operators, with all that they launched, and as kernels.
 * What is not counted is at least the time of product kernels beyond that of counted
 * operators, and at least what uncounted operators launched; the two overlap, so the
 * larger one is taken. */
static void find_coverage(struct gathering *g)
{
    struct efficiency *e = g->e;
    e->coverage_frac = NAN;
    e->no_coverage = e->no_rate;
    e->uncounted_ns = g->uncounted_ns;
    int64_t beyond_ns = product_kernels_ns(e) - e->timed_ns;
    if (beyond_ns > e->uncounted_ns)
        e->uncounted_ns = beyond_ns;
    /* Where an operator has calls of both kinds, its time is of both. */
    e->rate_is_least = e->unknown_calls > g->uncounted_calls && isfinite(e->flop_per_s);
    if (isfinite(e->flop_per_s))
        e->coverage_frac =
            (double)e->timed_ns / ((double)e->timed_ns + (double)e->uncounted_ns);
}

static void find_matrix_units(struct efficiency *e)
{
    double all = (double)product_kernels_ns(e);
    e->matrix_units_frac = all > 0 ? (double)e->units_ns[KERNEL_UNITS_MATRIX] / all : NAN;
}

void efficiency_of(struct efficiency *e, const struct analysis *a, size_t rank_index,
                   const struct given_peak *given)
{
    const struct analysis_rank *rank = &a->ranks[rank_index];
    const struct run *run = a->run;
    const struct device_peak *listed =
        rank->has_device ? device_peak_find(run_name(run, run->ranks.device[rank->row]))
                         : NULL;
    *e = (struct efficiency){0};
    struct gathering g = {.e = e, .a = a, .rank = rank};
    gather_rows(&g);
    gather_facts(e, run, rank->row);
    e->no_flop = why_no_flop(e, g.captured);
    find_rate(e, rank);
    find_coverage(&g);
    find_ceiling(e, listed, rank, run, given);
    find_window(&g);
    find_hardware_frac(e, listed, run->ranks.devices[rank->row]);
    efficiency_of_model(e, run, rank);
    efficiency_of_bytes(e);
    find_matrix_units(e);
    judge_dots(e);
}
