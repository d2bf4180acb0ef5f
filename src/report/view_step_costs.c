/*
 * What a step of Gait's own trainer costs beside its operators: threads that wait, the
 * processor's counters, memory that is asked for. All measured, or said why not.
 */
#include "base/units.h"
#include "report/view_parts.h"

#include <math.h>

/* A measured fact of the shown rank, a step; NAN: there is none. */
static double step_fact(const struct view *v, const char *key)
{
    return run_fact(v->a->run, view_rank(v)->row, key);
}

/* "212 parallel regions a step; …" or why that is not known. */
static const char *threads_text(struct view *v)
{
    double step_ns = step_fact(v, "train.recorded_ns_per_step"),
           threads = step_fact(v, "train.threads");
    double regions = step_fact(v, "train.regions_per_step"), all_ns = step_ns * threads;
    double inside_ns = step_fact(v, "train.regions_ns_per_step");
    if (!isfinite(regions) || !(all_ns > 0))
        return view_clean(
            v, run_fact_text(v->a->run, view_rank(v)->row, "train.regions_per_step"));
    return view_printf(
        v,
        "%s parallel regions a step; of the time of %s %s is waiting at their ends and "
        "%s waking; %s of a step is outside of them",
        view_number(v, regions, 0), unit_plural((int64_t)threads, "thread", "threads").s,
        view_percent(v, step_fact(v, "train.barrier_ns_per_step") / all_ns),
        view_percent(v, step_fact(v, "train.wake_ns_per_step") / all_ns),
        view_percent(v, 1 - inside_ns / step_ns));
}

enum { CACHE_LINE_BYTES = 64 };

static const char *counters_text(struct view *v)
{
    double cycles = step_fact(v, "counter.cycles_per_step"),
           instructions = step_fact(v, "counter.instructions_per_step"),
           misses = step_fact(v, "counter.cache_misses_per_step");
    if (!isfinite(cycles))
        return view_clean(
            v, run_fact_text(v->a->run, view_rank(v)->row, "counter.cycles_per_step"));
    const char *moved =
        isfinite(misses)
            ? view_printf(
                  v, "; %sB/s by misses of the last cache",
                  unit_count(misses * CACHE_LINE_BYTES / (view_rank(v)->step.ns / 1e9)).s)
            : "";
    return view_printf(v, "%s instructions a cycle%s",
                       view_number(v, instructions / cycles, 2), moved);
}

static void named_line(struct view *v, struct block *b, const char *name,
                       const char *text)
{
    if (*text)
        view_line(v, b, view_printf(v, "%s: %s.", name, text), "");
}

void view_lines_of_step(struct view *v, struct block *b)
{
    double grown = step_fact(v, "train.heap_grown_per_step");
    named_line(v, b, "Threads", threads_text(v));
    named_line(v, b, "The processor's counters", counters_text(v));
    if (isfinite(grown))
        named_line(
            v, b, "Heap grown by a step",
            view_printf(v, "%s; %s pages touched for the first time", unit_bytes(grown).s,
                        view_number(v, step_fact(v, "train.page_faults_per_step"), 1)));
}

void view_add_threads(struct view *v)
{
    const char *text = threads_text(v);
    if (!*text)
        return;
    struct block *b = view_block(v, BLOCK_TEXT, "Threads");
    b->text = text;
    b->spare = SPARE_WORK;
}
