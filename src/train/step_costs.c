#include "train/step_costs.h"

#include "base/clock.h"
#include "base/strbuf.h"

#include <malloc.h>

/* What malloc holds, from its heap and from maps of their own. */
static size_t heap_bytes(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

void step_costs_begin(struct step_costs *c)
{
    getrusage(RUSAGE_SELF, &c->before);
    c->heap_before_bytes = heap_bytes();
    counters_open(&c->counters);
    regions_start();
    c->begin_ns = clock_now_ns();
}

void step_costs_end(struct step_costs *c)
{
    struct rusage now;
    c->wall_ns = clock_now_ns() - c->begin_ns;
    regions_stop(&c->regions);
    counters_read(&c->counters);
    c->heap_grown_bytes = (double)heap_bytes() - (double)c->heap_before_bytes;
    getrusage(RUSAGE_SELF, &now);
    c->page_faults = (double)(now.ru_minflt - c->before.ru_minflt) +
                     (double)(now.ru_majflt - c->before.ru_majflt);
}

static void add(struct run *run, int32_t rank, const char *key, double value,
                const char *unit, const char *how)
{
    run_add_fact(run, rank, key, value, unit, ORIGIN_MEASURED, how);
}

static void record_regions(const struct regions *r, struct run *run, int32_t rank,
                           double steps)
{
    if (!r->count) {
        run_add_fact_text(run, rank, "train.regions_per_step",
                          "not available: no region of libgomp was seen",
                          ORIGIN_MEASURED);
        return;
    }
    add(run, rank, "train.regions_per_step", (double)r->count / steps, "",
        "parallel regions, those of the engine too");
    add(run, rank, "train.regions_ns_per_step", (double)r->wall_ns / steps, "ns",
        "in parallel regions, by the main thread's clock");
    add(run, rank, "train.wake_ns_per_step", (double)r->wake_ns / steps, "ns",
        "of all threads: from a region's begin to that of their part");
    add(run, rank, "train.barrier_ns_per_step", (double)r->barrier_ns / steps, "ns",
        "of all threads: waiting for the others at the end of a region");
}

static void record_counters(const struct counters *c, struct run *run, int32_t rank,
                            double steps)
{
    struct strbuf key, why;
    strbuf_init(&key);
    strbuf_init(&why);
    for (int k = 0; k < COUNTER_COUNT; k++) {
        strbuf_clear(&key);
        strbuf_printf(&key, "counter.%s_per_step", counter_key[k]);
        strbuf_clear(&why);
        strbuf_printf(&why, "not available: %s", c->why_not[k]);
        if (c->why_not[k][0])
            run_add_fact_text(run, rank, key.s, why.s, ORIGIN_MEASURED);
        else
            add(run, rank, key.s, c->value[k] / steps, "", counter_text[k]);
    }
    strbuf_release(&key);
    strbuf_release(&why);
}

void step_costs_record(const struct step_costs *c, struct run *run, int32_t rank,
                       int64_t steps)
{
    double n = (double)(steps > 0 ? steps : 1);
    add(run, rank, "train.recorded_ns_per_step", (double)c->wall_ns / n, "ns",
        "the recorded steps, on average: what regions and waits are parts of");
    record_regions(&c->regions, run, rank, n);
    record_counters(&c->counters, run, rank, n);
    add(run, rank, "train.heap_grown_per_step", c->heap_grown_bytes / n, "B",
        "what malloc held after the recorded steps, less before them");
    add(run, rank, "train.page_faults_per_step", c->page_faults / n, "",
        "pages that were touched for the first time");
}
