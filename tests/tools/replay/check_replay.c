/*
 * Replays traces unchanged and prints how far the result is from what was measured:
 *
 *   check_replay [--together] [--without RULE] [--path] TRACE…
 *
 * A line a trace: error of the whole span, of the worst step, what could not be
 * explained, how much was inferred. --together: the traces are ranks of one job. The last
 * line is a JSON object of the whole.
 * --path: where the replayed times drift from the measured ones on the critical path.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "replay/replay.h"
#include "trace/trace_reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct totals {
    size_t traces, failed, steps, steps_over_1, steps_over_2, spans_over_1;
    double worst_span, worst_step;
};

static double error_percent(int64_t got_ns, int64_t want_ns)
{
    return want_ns > 0 ? 100 * ((double)got_ns - (double)want_ns) / (double)want_ns : 0;
}

static size_t inferred(const struct replay_tally *t)
{
    size_t n = 0;
    for (int k = 0; k < GRAPH_EDGE_COUNT; k++)
        n += graph_edge_inferred[k] ? t->edges[k] : 0;
    return n;
}

static void show_path(const struct replay *r, const int64_t *at_ns)
{
    const struct graph *g = &r->graph;
    uint32_t node = 0, e;
    for (uint32_t i = 0; i < g->nodes; i++)
        if (at_ns[i] > at_ns[node])
            node = i;
    while ((e = graph_cause(g, NULL, at_ns, node)) != GRAPH_NONE) {
        int64_t drift_ns = at_ns[node] - g->measured_ns[node];
        int64_t before_ns = at_ns[g->src[e]] - g->measured_ns[g->src[e]];
        if (llabs((long long)(drift_ns - before_ns)) > 10000)
            printf("  %12.3f ms  %+10.3f us by: %s (%.3f us)\n",
                   (double)g->measured_ns[node] / 1e6,
                   (double)(drift_ns - before_ns) / 1e3, graph_edge_text[g->kind[e]],
                   (double)g->weight_ns[e] / 1e3);
        node = g->src[e];
    }
}

static bool want_path;

static void check(const struct run *run, const char *name,
                  const struct replay_options *options, struct totals *t)
{
    int64_t begin_ns = clock_now_ns();
    struct replay *r = replay_new(run, options);
    int64_t *at_ns = mem_alloc((r->graph.nodes + 1) * sizeof *at_ns);
    graph_replay(&r->graph, NULL, at_ns);
    double span = error_percent(replay_span_ns(r, at_ns), replay_span_ns(r, NULL));
    double worst = 0;
    for (size_t i = 0; i < r->n_steps; i++) {
        double e = error_percent(replay_step_ns(r, i, at_ns), replay_step_ns(r, i, NULL));
        worst = fabs(e) > fabs(worst) ? e : worst;
        t->steps++;
        t->steps_over_1 += fabs(e) > 1;
        t->steps_over_2 += fabs(e) > 2;
    }
    t->traces++;
    t->spans_over_1 += fabs(span) > 1;
    t->worst_span = fabs(span) > fabs(t->worst_span) ? span : t->worst_span;
    t->worst_step = fabs(worst) > fabs(t->worst_step) ? worst : t->worst_step;
    printf(
        "%-62.62s span %9.3f ms %+8.3f %%  steps %3zu worst %+8.3f %%  unexplained %zu "
        "%.3f ms  inferred %zu  circles %zu  %.0f ms\n",
        name, (double)replay_span_ns(r, NULL) / 1e6, span, r->n_steps, worst,
        r->tally.unexplained, (double)r->tally.unexplained_ns / 1e6, inferred(&r->tally),
        r->graph.circles, (double)(clock_now_ns() - begin_ns) / 1e6);
    if (want_path)
        show_path(r, at_ns);
    mem_free(at_ns);
    replay_free(r);
}

static uint32_t rule_named(const char *name)
{
#define NAMED(v, text)                                                                   \
    if (!strcmp(name, #v))                                                               \
        return 1u << REPLAY_RULE_##v;
    REPLAY_RULE_LIST(NAMED)
    fprintf(stderr, "check_replay: no rule %s\n", name);
    exit(2);
}

static bool read_trace(struct run *run, const char *path, struct totals *t)
{
    struct err err = ERR_INIT;
    struct trace_options options = {.keep_spans = SIZE_MAX, .threads = 1};
    if (!trace_read(run, path, &options, &err))
        return true;
    printf("%-62.62s %s\n", path, err.text);
    t->failed++;
    return false;
}

int main(int argc, char **argv)
{
    struct replay_options options = {0};
    struct totals t = {0};
    struct run run;
    bool together = false;
    run_init(&run);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--together")) {
            together = true;
        } else if (!strcmp(argv[i], "--path")) {
            want_path = true;
        } else if (!strcmp(argv[i], "--without") && i + 1 < argc) {
            options.without |= rule_named(argv[++i]);
        } else if (read_trace(&run, argv[i], &t) && !together) {
            check(&run, argv[i] + (strlen(argv[i]) > 62 ? strlen(argv[i]) - 62 : 0),
                  &options, &t);
            run_release(&run);
            run_init(&run);
        }
    }
    if (together)
        check(&run, "together", &options, &t);
    run_release(&run);
    printf("{\"traces\": %zu, \"failed\": %zu, \"spans_over_1_percent\": %zu, "
           "\"worst_span_percent\": %.3f, \"steps\": %zu, \"steps_over_1_percent\": %zu, "
           "\"steps_over_2_percent\": %zu, \"worst_step_percent\": %.3f}\n",
           t.traces, t.failed, t.spans_over_1, t.worst_span, t.steps, t.steps_over_1,
           t.steps_over_2, t.worst_step);
    return 0;
}
