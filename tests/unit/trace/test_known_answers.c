/*
 * Real traces whose figures another tool (HolisticTraceAnalysis 0.6.1) published:
 * reproduced to the microsecond by applying that tool's window rules to our run. The
 * rules are its own, not ours:
 *   - with two or more ProfilerSteps the last one is dropped: only device work launched
 * before the last step began stays, so work without a launch goes too;
 *   - begins are rounded up and ends down to whole microseconds, after passing through a
 * double;
 *   - communication is a kernel whose name matches ^nccl|^hip|^hccl|.*ncclKernel.
 * Skips where the traces are absent.
 */
#include "cmocka_setup.h"
#include "cover.h"

#include "base/file.h"
#include "base/mem.h"
#include "run/run.h"
#include "trace/trace_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    const char *path;
    int64_t idle_us, compute_us, non_compute_us, span_us;
};

#define DLRM "param/dlrm_kineto/worker"
static const struct answer answers[] = {
    {DLRM "0_step_12.1694128201545.pt.trace.json", 6419, 1034, 5556, 13009},
    {DLRM "1_step_12.1694128201556.pt.trace.json", 6428, 1246, 11075, 18749},
    {DLRM "2_step_12.1694128201554.pt.trace.json", 7046, 1068, 3236, 11350},
    {DLRM "3_step_12.1694128201557.pt.trace.json", 8145, 1240, 9468, 18853},
    {DLRM "4_step_12.1694128201547.pt.trace.json", 8887, 1126, 6576, 16589},
    {DLRM "5_step_12.1694128201549.pt.trace.json", 9121, 1041, 6230, 16392},
    {DLRM "6_step_12.1694128201553.pt.trace.json", 7051, 1051, 3308, 11410},
    {DLRM "7_step_12.1694128201553.pt.trace.json", 8308, 1059, 1600, 10967},
    {"hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz", 10113,
     372150, 2371, 384634},
    {"hta/negative_queue_length_values_check/rank0.json.gz", 705853, 143836, 166865,
     1016554},
    {"hta/trace_diff/control/control.json.gz", 62119, 234760, 86525, 383404},
    {"hta/df_index_resolver/df_index_resolver.json.gz", 643612, 496485, 256572, 1396669},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

/* That tool holds microseconds in a double, which has steps of 0.25 for microseconds
 * since 1970; its rounding works on those. Our nanoseconds are exact, so the test has to
 * lose them in the same way. */
static double as_double_us(int64_t ns)
{
    return (double)((long double)ns / 1000);
}

static int64_t begin_in_us(const struct run *r, size_t i)
{
    return (int64_t)ceil(as_double_us(r->spans.begin_ns[i]));
}

static int64_t end_in_us(const struct run *r, size_t i)
{
    return (int64_t)floor(as_double_us(r->spans.begin_ns[i]) +
                          as_double_us(r->spans.dur_ns[i]));
}

static bool is_communication(const char *name)
{
    return !strncmp(name, "nccl", 4) || !strncmp(name, "hip", 3) ||
           !strncmp(name, "hccl", 4) || strstr(name, "ncclKernel");
}

static bool is_compute(const struct run *r, size_t i)
{
    bool copy = r->spans.kind[i] == SPAN_KIND_COPY || r->spans.kind[i] == SPAN_KIND_SET;
    return !copy && !is_communication(run_name(r, r->spans.name[i]));
}

static bool is_device_work(const struct run *r, size_t i)
{
    enum span_kind kind = r->spans.kind[i];
    return r->lanes.kind[r->spans.lane[i]] == LANE_KIND_DEVICE &&
           (kind == SPAN_KIND_KERNEL || kind == SPAN_KIND_COLLECTIVE ||
            kind == SPAN_KIND_COPY || kind == SPAN_KIND_SET);
}

/* Which spans that tool looks at. The caller frees it. */
static bool *in_window(const struct run *r)
{
    bool *in = mem_zalloc(r->spans.table.n, sizeof *in);
    int64_t last_begin_ns = INT64_MIN;
    for (size_t i = 0; i < r->steps.table.n; i++)
        if (r->steps.begin_ns[i] > last_begin_ns)
            last_begin_ns = r->steps.begin_ns[i];
    bool drop_last = r->steps.table.n > 1;
    for (size_t i = 0; i < r->spans.table.n; i++)
        in[i] = !drop_last && is_device_work(r, i);
    for (size_t e = 0; drop_last && e < r->edges.table.n; e++)
        if (r->edges.kind[e] == EDGE_KIND_LAUNCH &&
            r->spans.begin_ns[r->edges.src[e]] < last_begin_ns)
            in[r->edges.dst[e]] = true;
    return in;
}

static void measure(const struct run *r, struct answer *out)
{
    bool *in = in_window(r);
    struct cover all = {0}, compute = {0};
    int64_t first_us = INT64_MAX, last_us = INT64_MIN;
    for (size_t i = 0; i < r->spans.table.n; i++) {
        if (!in[i])
            continue;
        int64_t begin_us = begin_in_us(r, i), end_us = end_in_us(r, i);
        first_us = begin_us < first_us ? begin_us : first_us;
        last_us = end_us > last_us ? end_us : last_us;
        cover_add(&all, begin_us, end_us);
        if (is_compute(r, i))
            cover_add(&compute, begin_us, end_us);
    }
    cover_finish(&all);
    cover_finish(&compute);
    out->span_us = last_us - first_us;
    out->compute_us = cover_total_ns(&compute);
    out->idle_us = out->span_us - cover_total_ns(&all);
    out->non_compute_us = out->span_us - out->idle_us - out->compute_us;
    cover_release(&all);
    cover_release(&compute);
    mem_free(in);
}

static void published_figures_are_met_to_the_microsecond(void **state)
{
    (void)state;
    for (size_t k = 0; k < ANSWERS; k++) {
        const struct answer *want = &answers[k];
        struct answer got = {.path = want->path};
        char path[512];
        struct run run;
        struct err err = ERR_INIT;
        snprintf(path, sizeof path, "%s/%s", TRACES_DIR, want->path);
        run_init(&run);
        struct trace_options options = {.keep_spans = SIZE_MAX};
        if (trace_read(&run, path, &options, &err) != STATUS_OK)
            fail_msg("%s: %s", want->path, err.text);
        measure(&run, &got);
        print_message("%-64s idle %lld compute %lld other %lld span %lld\n", want->path,
                      (long long)got.idle_us, (long long)got.compute_us,
                      (long long)got.non_compute_us, (long long)got.span_us);
        assert_int_equal(got.span_us, want->span_us);
        assert_int_equal(got.idle_us, want->idle_us);
        assert_int_equal(got.compute_us, want->compute_us);
        assert_int_equal(got.non_compute_us, want->non_compute_us);
        run_release(&run);
    }
}

/* --- what overlaps, of the eight ranks of DLRM --- */

enum { RANKS = 8 };

/* Of a rank's communication, in hundredths of a percent: under compute. */
static const int overlap_of[RANKS] = {450, 247, 788, 331, 56, 64, 756, 951};

/* Time of each alone, and of compute and communication together; all ranks, us. */
struct alone {
    int64_t communication, compute, both, memory;
};
static const struct alone alone_of_all = {46880, 7213, 1652, 159};

enum work { WORK_COMPUTE = 1, WORK_COMMUNICATION = 2, WORK_MEMORY = 4 };

static enum work work_of(const struct run *r, size_t i)
{
    bool copy = r->spans.kind[i] == SPAN_KIND_COPY || r->spans.kind[i] == SPAN_KIND_SET;
    return copy ? WORK_MEMORY : is_compute(r, i) ? WORK_COMPUTE : WORK_COMMUNICATION;
}

/* Time in which any of these sorts of work ran. */
static int64_t covered_us(const struct run *r, const bool *in, unsigned sorts)
{
    struct cover c = {0};
    for (size_t i = 0; i < r->spans.table.n; i++)
        if (in[i] && (work_of(r, i) & sorts))
            cover_add(&c, begin_in_us(r, i), end_in_us(r, i));
    cover_finish(&c);
    int64_t us = cover_total_ns(&c);
    cover_release(&c);
    return us;
}

static void published_overlaps_are_met(void **state)
{
    (void)state;
    const unsigned all = WORK_COMPUTE | WORK_COMMUNICATION | WORK_MEMORY;
    struct alone sum = {0};
    for (size_t k = 0; k < RANKS; k++) {
        char path[512];
        struct run run;
        struct err err = ERR_INIT;
        struct trace_options options = {.keep_spans = SIZE_MAX};
        snprintf(path, sizeof path, "%s/%s", TRACES_DIR, answers[k].path);
        run_init(&run);
        if (trace_read(&run, path, &options, &err) != STATUS_OK)
            fail_msg("%s: %s", path, err.text);
        bool *in = in_window(&run);
        int64_t any = covered_us(&run, in, all);
        int64_t communication = covered_us(&run, in, WORK_COMMUNICATION);
        int64_t both = communication + covered_us(&run, in, WORK_COMPUTE) -
                       covered_us(&run, in, WORK_COMPUTE | WORK_COMMUNICATION);
        assert_int_equal(lround(10000.0 * (double)both / (double)communication),
                         overlap_of[k]);
        sum.both += both;
        sum.communication += any - covered_us(&run, in, all & ~WORK_COMMUNICATION);
        sum.compute += any - covered_us(&run, in, all & ~WORK_COMPUTE);
        sum.memory += any - covered_us(&run, in, all & ~WORK_MEMORY);
        mem_free(in);
        run_release(&run);
    }
    assert_int_equal(sum.communication, alone_of_all.communication);
    assert_int_equal(sum.compute, alone_of_all.compute);
    assert_int_equal(sum.both, alone_of_all.both);
    assert_int_equal(sum.memory, alone_of_all.memory);
}

int main(void)
{
    if (!file_exists(TRACES_DIR)) {
        puts("skipped: the real traces are not here (" TRACES_DIR ")");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_figures_are_met_to_the_microsecond),
        cmocka_unit_test(published_overlaps_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
