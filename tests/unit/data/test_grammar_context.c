/*
 * How much of the built-in text's predictability do the last 32 characters hold? The
 * grammar is unrolled into an automaton that emits a character a state; filtering with it
 * gives the exact probability of the next character, given all of the past or only its
 * end. If the two differ, no model with that context can reach the stated entropy.
 */
#include "data/grammar.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "cmocka_setup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTEXT = 32,
    SHORT = 4,
    POSITIONS = 1500,
    STATES_MAX = 40000,
    START = 0,
    END = 1
};

struct arc {
    int from, to;
    double p;
    int emits; /* a character, or -1: none */
};

/* Arcs that emit nothing lead to higher states, but for END -> START. */
struct automaton {
    struct arc *arc; /* (arcs), ascending by from */
    size_t arcs, cap;
    int states;
    double *visits; /* (states) expected visits a sentence */
};

static int add_state(struct automaton *a)
{
    assert_true(a->states < STATES_MAX);
    return a->states++;
}

static void add_arc(struct automaton *a, int from, int to, double p, int emits)
{
    vec_grow(a->arc, a->cap, a->arcs + 1);
    a->arc[a->arcs++] = (struct arc){from, to, p, emits};
}

/* States that write the symbol and go on at `next`; returns the first of them. */
static int unroll(struct automaton *a, const struct grammar *g, int symbol, int next)
{
    int entry = add_state(a);
    const struct grammar_symbol *s = &g->symbol[symbol];
    for (size_t c = 0; c < s->choices; c++) {
        int at = next;
        assert_true(s->choice[c].parts > 0);
        for (size_t k = s->choice[c].parts; k-- > 0;) {
            const struct grammar_part *p = &s->choice[c].part[k];
            if (p->symbol >= 0) {
                at = unroll(a, g, p->symbol, at);
                continue;
            }
            for (size_t i = p->len; i-- > 0;) {
                int state = add_state(a);
                add_arc(a, state, at, 1, (unsigned char)p->literal[i]);
                at = state;
            }
        }
        add_arc(a, entry, at, s->choice[c].probability, -1);
    }
    return entry;
}

/* Let what stands in states that emit nothing flow on. */
static void settle(const struct automaton *a, double *v)
{
    for (size_t i = 0; i < a->arcs; i++)
        if (a->arc[i].emits < 0)
            v[a->arc[i].to] += v[a->arc[i].from] * a->arc[i].p;
}

static int compare_from(const void *x, const void *y)
{
    return ((const struct arc *)x)->from - ((const struct arc *)y)->from;
}

/* One character: c, or any where c < 0. Returns the probability of it. */
static double advance(const struct automaton *a, double *v, int c)
{
    double *to = mem_zalloc((size_t)a->states, sizeof *to), sum = 0;
    for (size_t i = 0; i < a->arcs; i++) {
        const struct arc *arc = &a->arc[i];
        if (arc->emits >= 0 && (c < 0 || arc->emits == c)) {
            to[arc->to] += v[arc->from];
            sum += v[arc->from];
        }
    }
    memcpy(v, to, (size_t)a->states * sizeof *v);
    mem_free(to);
    return sum;
}

/* The same, with the text going on after a sentence, and v made a distribution again. */
static double observe(const struct automaton *a, double *v, int c)
{
    double p = advance(a, v, c);
    for (int i = 0; i < a->states; i++)
        v[i] /= p;
    v[START] += v[END];
    settle(a, v);
    return p;
}

static struct automaton automaton_of(const struct grammar *g)
{
    struct automaton a = {.states = 2};
    int first = unroll(&a, g, 0, END);
    add_arc(&a, START, first, 1, -1);
    qsort(a.arc, a.arcs, sizeof *a.arc, compare_from);
    a.visits = mem_zalloc((size_t)a.states, sizeof *a.visits);
    double *v = mem_zalloc((size_t)a.states, sizeof *v);
    v[START] = 1;
    settle(&a, v);
    for (size_t t = 0; t < g->symbol[0].max_chars; t++) {
        for (int i = 0; i < a.states; i++)
            a.visits[i] += v[i];
        advance(&a, v, -1);
        settle(&a, v);
    }
    mem_free(v);
    return a;
}

static void automaton_release(struct automaton *a)
{
    mem_free(a->arc);
    mem_free(a->visits);
}

/* -log p of *at, given only the `context` characters before it. v is scratch. */
static double windowed_nats(const struct automaton *a, double mean_chars, const char *at,
                            int context, double *v)
{
    for (int i = 0; i < a->states; i++) /* anywhere in a sentence */
        v[i] = a->visits[i] / mean_chars;
    for (int i = context; i > 0; i--)
        observe(a, v, (unsigned char)at[-i]);
    return -log(observe(a, v, (unsigned char)*at));
}

static void context_of_32_characters_holds_all_but_a_few_millinats(void **state)
{
    (void)state;
    struct grammar *g = grammar_new(grammar_rules, grammar_rules_n);
    struct automaton a = automaton_of(g);
    struct strbuf s;
    strbuf_init(&s);
    struct grammar_text info = grammar_write(g, &s, 77, POSITIONS + CONTEXT + 100);
    double *full = mem_zalloc((size_t)a.states, sizeof *full);
    double *part = mem_zalloc((size_t)a.states, sizeof *part);
    full[START] = 1;
    settle(&a, full);
    double all_nats = 0, lost = 0, lost_short = 0, mean = g->symbol[0].mean_chars;
    for (size_t i = 0; i < s.len; i++) {
        double nats = -log(observe(&a, full, (unsigned char)s.s[i]));
        all_nats += nats;
        if (i < CONTEXT || i >= CONTEXT + POSITIONS)
            continue;
        lost += windowed_nats(&a, mean, s.s + i, CONTEXT, part) - nats;
        lost_short += windowed_nats(&a, mean, s.s + i, SHORT, part) - nats;
    }
    print_message("%d states; of the past, %d characters lose %.5f nats a character, %d "
                  "lose %.5f\n",
                  a.states, CONTEXT, lost / POSITIONS, SHORT, lost_short / POSITIONS);
    assert_float_equal(all_nats, info.information_nats, 1e-6);
    assert_true(lost / POSITIONS < 0.005);
    assert_true(lost_short / POSITIONS > 0.005);
    mem_free(full);
    mem_free(part);
    strbuf_release(&s);
    automaton_release(&a);
    grammar_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(context_of_32_characters_holds_all_but_a_few_millinats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
