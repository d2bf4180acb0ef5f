/* The graph of moments against a plain reference, and what must hold of any what-if. */
#include "cmocka_setup.h"

#include "replay/graph.h"

#include <stdbool.h>
#include <string.h>

enum { NODES_MAX = 40, EDGES_MAX = 120, GRAPHS = 3000 };

static uint64_t dice_state;

static int64_t dice(int64_t below)
{
    dice_state = dice_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((dice_state >> 33) % (uint64_t)below);
}

/* Edges lead from lower to higher nodes, added in any order; every node but the first
 * waits for something; some weights are negative. Node 0 stands at 0. */
static void random_graph(struct graph *g, uint64_t seed, bool negative)
{
    dice_state = seed * 2654435761u + 1;
    graph_init(g);
    uint32_t n = 2 + (uint32_t)dice(NODES_MAX - 2);
    for (uint32_t i = 0; i < n; i++)
        graph_node(g, 0);
    for (uint32_t i = n - 1; i > 0; i--)
        graph_edge(g, GRAPH_EDGE_HOST, (uint32_t)dice(i), i,
                   dice(1000) - (negative ? 200 : 0));
    for (int64_t i = dice(EDGES_MAX - NODES_MAX); i > 0; i--) {
        uint32_t dst = 1 + (uint32_t)dice(n - 1);
        graph_edge(g, GRAPH_EDGE_HOST, (uint32_t)dice(dst), dst,
                   dice(1000) - (negative ? 200 : 0));
    }
    graph_freeze(g);
}

/* Relax every edge until nothing moves. */
static void plain_replay(const struct graph *g, const int64_t *weight_ns, int64_t *at_ns)
{
    bool moved = true;
    for (size_t i = 0; i < g->nodes; i++)
        at_ns[i] = i ? INT64_MIN / 2 : 0;
    while (moved) {
        moved = false;
        for (size_t e = 0; e < g->edges; e++) {
            int64_t t = at_ns[g->src[e]] + weight_ns[e];
            if (t > at_ns[g->dst[e]]) {
                at_ns[g->dst[e]] = t;
                moved = true;
            }
        }
    }
}

static void replay_agrees_with_plain_relaxation(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct graph g;
        int64_t got[NODES_MAX], want[NODES_MAX];
        random_graph(&g, seed, true);
        graph_replay(&g, NULL, got);
        plain_replay(&g, g.weight_ns, want);
        assert_memory_equal(got, want, g.nodes * sizeof *got);
        assert_int_equal(g.circles, 0);
        graph_release(&g);
    }
}

static void shortening_never_lengthens_and_gains_no_more_than_it_takes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct graph g;
        int64_t before[NODES_MAX], after[NODES_MAX], weight_ns[EDGES_MAX], taken_ns = 0;
        random_graph(&g, seed, false);
        graph_replay(&g, NULL, before);
        for (size_t e = 0; e < g.edges; e++) {
            weight_ns[e] = dice(3) ? g.weight_ns[e] : g.weight_ns[e] * dice(100) / 100;
            taken_ns += g.weight_ns[e] - weight_ns[e];
        }
        graph_replay(&g, weight_ns, after);
        for (size_t i = 0; i < g.nodes; i++) {
            assert_true(after[i] <= before[i]);
            assert_true(before[i] - after[i] <= taken_ns);
        }
        graph_release(&g);
    }
}

static void two_shortenings_gain_at_least_what_either_gains(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct graph g;
        int64_t one[NODES_MAX], other[NODES_MAX], both[NODES_MAX];
        int64_t w1[EDGES_MAX], w2[EDGES_MAX], w12[EDGES_MAX];
        random_graph(&g, seed, false);
        for (size_t e = 0; e < g.edges; e++) {
            w1[e] = dice(2) ? g.weight_ns[e] : g.weight_ns[e] / 2;
            w2[e] = dice(2) ? g.weight_ns[e] : g.weight_ns[e] / 3;
            w12[e] = w1[e] < w2[e] ? w1[e] : w2[e];
        }
        graph_replay(&g, w1, one);
        graph_replay(&g, w2, other);
        graph_replay(&g, w12, both);
        for (size_t i = 0; i < g.nodes; i++)
            assert_true(both[i] <= one[i] && both[i] <= other[i]);
        graph_release(&g);
    }
}

static void scaling_every_weight_scales_every_moment(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct graph g;
        int64_t one[NODES_MAX], scaled[NODES_MAX], weight_ns[EDGES_MAX];
        int64_t k = 2 + (int64_t)(seed % 7);
        random_graph(&g, seed, true);
        for (size_t e = 0; e < g.edges; e++)
            weight_ns[e] = k * g.weight_ns[e];
        graph_replay(&g, NULL, one);
        graph_replay(&g, weight_ns, scaled);
        for (size_t i = 0; i < g.nodes; i++)
            assert_int_equal(scaled[i], k * one[i]);
        graph_release(&g);
    }
}

static void growing_within_the_slack_changes_nothing_and_beyond_it_the_rest(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct graph g;
        int64_t at[NODES_MAX], latest[NODES_MAX], grown[NODES_MAX], w[EDGES_MAX];
        random_graph(&g, seed, true);
        uint32_t last = (uint32_t)g.nodes - 1;
        graph_replay(&g, NULL, at);
        graph_latest(&g, NULL, at, last, latest);
        size_t e = (size_t)dice((int64_t)g.edges);
        memcpy(w, g.weight_ns, g.edges * sizeof *w);
        if (latest[g.dst[e]] == GRAPH_NEVER) {
            w[e] += 1000000;
            graph_replay(&g, w, grown);
            assert_int_equal(grown[last], at[last]);
        } else {
            int64_t slack_ns = latest[g.dst[e]] - (at[g.src[e]] + g.weight_ns[e]);
            assert_true(slack_ns >= 0);
            w[e] = g.weight_ns[e] + slack_ns;
            graph_replay(&g, w, grown);
            assert_int_equal(grown[last], at[last]);
            w[e] = g.weight_ns[e] + slack_ns + 17;
            graph_replay(&g, w, grown);
            assert_int_equal(grown[last], at[last] + 17);
        }
        graph_release(&g);
    }
}

static void causes_lead_back_to_the_root_and_have_no_slack(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < GRAPHS; seed++) {
        struct graph g;
        int64_t at[NODES_MAX], latest[NODES_MAX];
        random_graph(&g, seed, true);
        uint32_t node = (uint32_t)g.nodes - 1, e;
        size_t steps = 0;
        graph_replay(&g, NULL, at);
        graph_latest(&g, NULL, at, node, latest);
        while ((e = graph_cause(&g, NULL, at, node)) != GRAPH_NONE) {
            assert_int_equal(latest[node], at[node]);
            assert_int_equal(at[node], at[g.src[e]] + g.weight_ns[e]);
            node = g.src[e];
            assert_true(++steps <= g.nodes);
        }
        assert_int_equal(node, 0);
        graph_release(&g);
    }
}

static void circles_are_cut_where_they_were_measured_first(void **state)
{
    (void)state;
    struct graph g;
    int64_t at[4];
    graph_init(&g);
    uint32_t root = graph_node(&g, 0), a = graph_node(&g, 10), b = graph_node(&g, 20);
    uint32_t c = graph_node(&g, 30);
    graph_edge(&g, GRAPH_EDGE_HOST, root, a, 10);
    graph_edge(&g, GRAPH_EDGE_HOST, a, b, 10);
    graph_edge(&g, GRAPH_EDGE_HOST, b, c, 10);
    uint32_t back = graph_edge(&g, GRAPH_EDGE_WAIT, c, a, -15);
    graph_freeze(&g);
    assert_int_equal(g.circles, 1);
    assert_true(g.weight_ns[back] == GRAPH_OFF);
    graph_replay(&g, NULL, at);
    assert_int_equal(at[c], 30);
    graph_release(&g);
}

static void weights_beyond_any_clock_stop_at_its_end(void **state)
{
    (void)state;
    struct graph g;
    int64_t at[3];
    graph_init(&g);
    uint32_t a = graph_node(&g, 0), b = graph_node(&g, 1), c = graph_node(&g, 2);
    graph_edge(&g, GRAPH_EDGE_HOST, a, b, INT64_MAX - 5);
    graph_edge(&g, GRAPH_EDGE_HOST, b, c, INT64_MAX - 5);
    graph_freeze(&g);
    graph_replay(&g, NULL, at);
    assert_true(at[c] == INT64_MAX);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replay_agrees_with_plain_relaxation),
        cmocka_unit_test(shortening_never_lengthens_and_gains_no_more_than_it_takes),
        cmocka_unit_test(two_shortenings_gain_at_least_what_either_gains),
        cmocka_unit_test(scaling_every_weight_scales_every_moment),
        cmocka_unit_test(growing_within_the_slack_changes_nothing_and_beyond_it_the_rest),
        cmocka_unit_test(causes_lead_back_to_the_root_and_have_no_slack),
        cmocka_unit_test(circles_are_cut_where_they_were_measured_first),
        cmocka_unit_test(weights_beyond_any_clock_stop_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
