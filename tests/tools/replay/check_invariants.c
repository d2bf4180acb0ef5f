/*
 * What must hold of every what-if, tried on traces with random edits:
 *
 *   check_invariants [--rounds N] TRACE…
 *
 *   - removing, shortening, unblocking never lengthens anything;
 *   - shortening gains no more than the time it takes out;
 *   - two changes together gain at least what either gains;
 *   - all weights times k is all times times k;
 *   - what grows by less than its slack changes nothing.
 *
 * Exit code 1 and a line for each that does not hold, and where nothing was checked.
 */
#include "base/mem.h"
#include "replay/whatif.h"
#include "trace/trace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNREAD_MAX = 1 }; /* one of the public files is no trace */

static uint64_t dice_state = 1;
static size_t failures, checks, unread;

static uint64_t dice(uint64_t below)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (dice_state >> 33) % below;
}

static void must_hold(bool holds, const char *trace, const char *what)
{
    checks++;
    failures += !holds;
    if (!holds)
        printf("%s: does not hold: %s\n", trace, what);
}

/* A random change of one span; what it takes out at most, where that can be told. */
static void change_span(const struct replay *r, struct edits *e, double keep)
{
    int64_t span = (int64_t)dice(r->run->spans.table.n);
    if (r->begin_node[span] != GRAPH_NONE && dice(4) == 0 &&
        r->run->lanes.kind[r->run->spans.lane[span]] != LANE_KIND_DEVICE)
        edits_unblock(e, span);
    else
        edits_span(e, span, keep);
}

struct question {
    struct edits edits;
    int64_t *weight_ns, *at_ns;
};

/* which: bits of the two sets of changes. */
static struct question question_new(const struct replay *r, uint64_t seed, int which)
{
    struct question q;
    double keep = (double)(seed % 5) / 5; /* 0: removed */
    edits_init(&q.edits, r);
    for (int set = 0; set < 2; set++) {
        dice_state = seed + (uint64_t)set * 77;
        for (uint64_t i = 0; (which & 1 << set) && i <= seed % 20; i++)
            change_span(r, &q.edits, set ? keep / 2 : keep);
    }
    q.weight_ns = mem_alloc((r->graph.edges + 1) * sizeof *q.weight_ns);
    q.at_ns = mem_alloc((r->graph.nodes + 1) * sizeof *q.at_ns);
    edits_weights(&q.edits, q.weight_ns);
    graph_replay(&r->graph, q.weight_ns, q.at_ns);
    return q;
}

static void question_free(struct question *q)
{
    edits_release(&q->edits);
    mem_free(q->weight_ns);
    mem_free(q->at_ns);
}

/* Time that the edits take out of edges; -1 where edges are turned off. */
static int64_t taken_ns(const struct graph *g, const int64_t *weight_ns)
{
    int64_t ns = 0;
    for (size_t e = 0; e < g->edges; e++) {
        if ((weight_ns[e] == GRAPH_OFF) != (g->weight_ns[e] == GRAPH_OFF))
            return -1;
        if (weight_ns[e] != GRAPH_OFF)
            ns += g->weight_ns[e] - weight_ns[e];
    }
    return ns;
}

static void check_shortening(const struct replay *r, const int64_t *base_ns,
                             uint64_t seed, const char *trace)
{
    const struct graph *g = &r->graph;
    struct question one = question_new(r, seed, 1);
    struct question other = question_new(r, seed, 2);
    struct question both = question_new(r, seed, 3);
    int64_t limit_ns = taken_ns(g, one.weight_ns);
    bool shorter = true, bounded = true, together = true;
    for (size_t i = 0; i < g->nodes; i++) {
        shorter = shorter && one.at_ns[i] <= base_ns[i];
        bounded = bounded && (limit_ns < 0 || base_ns[i] - one.at_ns[i] <= limit_ns);
        together =
            together && both.at_ns[i] <= one.at_ns[i] && both.at_ns[i] <= other.at_ns[i];
    }
    must_hold(shorter, trace, "removing or shortening never lengthens");
    must_hold(bounded, trace, "a gain is no more than what was taken out");
    must_hold(together, trace, "two together gain at least what either gains");
    question_free(&one);
    question_free(&other);
    question_free(&both);
}

static void check_scaling(const struct replay *r, const int64_t *base_ns,
                          const char *trace)
{
    const struct graph *g = &r->graph;
    enum { TIMES = 3 };
    int64_t *weight_ns = mem_alloc((g->edges + 1) * sizeof *weight_ns);
    int64_t *at_ns = mem_alloc((g->nodes + 1) * sizeof *at_ns);
    for (size_t e = 0; e < g->edges; e++)
        weight_ns[e] = g->weight_ns[e] == GRAPH_OFF ? GRAPH_OFF : TIMES * g->weight_ns[e];
    graph_replay(g, weight_ns, at_ns);
    bool scales = true;
    for (size_t i = 0; i < g->nodes; i++)
        scales = scales && at_ns[i] == TIMES * base_ns[i];
    must_hold(scales, trace, "all durations times k is all moments times k");
    mem_free(weight_ns);
    mem_free(at_ns);
}

static void check_slack(const struct replay *r, const int64_t *base_ns, uint64_t seed,
                        const char *trace)
{
    const struct graph *g = &r->graph;
    uint32_t last = 0;
    for (uint32_t i = 0; i < g->nodes; i++)
        last = base_ns[i] > base_ns[last] ? i : last;
    int64_t *latest_ns = mem_alloc((g->nodes + 1) * sizeof *latest_ns);
    int64_t *weight_ns = mem_alloc((g->edges + 1) * sizeof *weight_ns);
    int64_t *at_ns = mem_alloc((g->nodes + 1) * sizeof *at_ns);
    dice_state = seed;
    graph_latest(g, NULL, base_ns, last, latest_ns);
    memcpy(weight_ns, g->weight_ns, g->edges * sizeof *weight_ns);
    size_t e = dice(g->edges);
    int64_t late_ns = latest_ns[g->dst[e]];
    if (g->weight_ns[e] != GRAPH_OFF && late_ns != GRAPH_NEVER) {
        int64_t slack_ns = late_ns - (base_ns[g->src[e]] + g->weight_ns[e]);
        must_hold(slack_ns >= 0, trace, "no slack is negative");
        weight_ns[e] += slack_ns;
        graph_replay(g, weight_ns, at_ns);
        must_hold(at_ns[last] == base_ns[last], trace,
                  "growing within the slack changes nothing");
        weight_ns[e] += 1000;
        graph_replay(g, weight_ns, at_ns);
        must_hold(at_ns[last] == base_ns[last] + 1000, trace,
                  "growing beyond the slack moves the end by the rest");
    }
    mem_free(latest_ns);
    mem_free(weight_ns);
    mem_free(at_ns);
}

static void check_trace(const char *path, int rounds)
{
    struct run run;
    struct err err = ERR_INIT;
    struct trace_options options = {.threads = 1};
    run_init(&run);
    if (trace_read(&run, path, &options, &err) || !run.spans.table.n) {
        printf("%s: not looked at: %s\n", path, err.status ? err.text : "no spans");
        unread++;
        run_release(&run);
        return;
    }
    struct replay *r = replay_new(&run, NULL);
    int64_t *base_ns = mem_alloc((r->graph.nodes + 1) * sizeof *base_ns);
    graph_replay(&r->graph, NULL, base_ns);
    if (r->graph.edges) {
        for (int i = 0; i < rounds; i++) {
            check_shortening(r, base_ns, (uint64_t)i * 1000003 + 1, path);
            check_slack(r, base_ns, (uint64_t)i * 7919 + 5, path);
        }
        check_scaling(r, base_ns, path);
    }
    mem_free(base_ns);
    replay_free(r);
    run_release(&run);
}

int main(int argc, char **argv)
{
    int rounds = 20;
    size_t traces = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--rounds") && i + 1 < argc) {
            rounds = atoi(argv[++i]);
            continue;
        }
        check_trace(argv[i], rounds);
        traces++;
    }
    printf("%zu traces, %zu not looked at, %zu checks, %zu failed\n", traces, unread,
           checks, failures);
    return failures || unread > UNREAD_MAX || !checks ? 1 : 0;
}
