/*
 * Compiles rules, measures them, and writes sentences.
 *
 * Exactness: with independent choices, the entropy of a symbol is the mean over its ways
 * of (-log p of the way + the entropies of the symbols in it), and its mean length
 * likewise; both are finite sums, taken bottom-up since no symbol derives itself.
 */
#include "data/grammar.h"

#include "base/mem.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "data/counter_random.h"

#include <math.h>
#include <string.h>

static int symbol_find(const struct grammar *g, const char *name, size_t len)
{
    for (size_t i = 0; i < g->symbols; i++)
        if (!strncmp(g->symbol[i].name, name, len) && !g->symbol[i].name[len])
            return (int)i;
    return -1;
}

static size_t count_char(const char *s, char c)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == c;
    return n;
}

/* Room for each symbol's choices; the symbols' own order is that of the rules. */
static void grammar_collect(struct grammar *g, const struct grammar_rule *rule, size_t n)
{
    g->symbol = arena_alloc(&g->memory, n * sizeof *g->symbol);
    for (size_t i = 0; i < n; i++) {
        if (!rule[i].weight)
            BUG("a way of <%s> has no weight", rule[i].symbol);
        if (!i || strcmp(rule[i].symbol, rule[i - 1].symbol)) {
            if (symbol_find(g, rule[i].symbol, strlen(rule[i].symbol)) >= 0)
                BUG("the rules of <%s> do not stand together", rule[i].symbol);
            g->symbol[g->symbols++] = (struct grammar_symbol){.name = rule[i].symbol};
        }
        struct grammar_symbol *s = &g->symbol[g->symbols - 1];
        size_t ways = count_char(rule[i].ways, '|') + 1;
        s->choices += ways;
        s->weight += (uint32_t)ways * rule[i].weight;
    }
    for (size_t i = 0; i < g->symbols; i++) {
        struct grammar_symbol *s = &g->symbol[i];
        s->choice = arena_alloc(&g->memory, s->choices * sizeof *s->choice);
        s->choices = 0; /* counted again as they are filled in */
    }
}

/* The part at s, of at most len characters: <symbol>, or all up to the next one. */
static struct grammar_part part_read(const struct grammar *g, const char *s, size_t len)
{
    if (*s != '<') {
        const char *next = memchr(s, '<', len);
        return (struct grammar_part){-1, s, next ? (size_t)(next - s) : len};
    }
    const char *close = memchr(s, '>', len);
    size_t name_len = close ? (size_t)(close - s) - 1 : 0;
    int symbol = symbol_find(g, s + 1, name_len);
    if (!close || symbol < 0)
        BUG("no symbol for \"%.*s\"", (int)len, s);
    return (struct grammar_part){symbol, s, name_len + 2};
}

static void way_compile(struct grammar *g, struct grammar_symbol *s, uint32_t weight,
                        const char *way, size_t len)
{
    struct grammar_choice *c = &s->choice[s->choices++];
    *c = (struct grammar_choice){.probability = (double)weight / s->weight,
                                 .weight = weight};
    c->part = arena_alloc(&g->memory, (len + 1) * sizeof *c->part);
    while (len) {
        struct grammar_part p = part_read(g, way, len);
        way += p.len;
        len -= p.len;
        c->part[c->parts++] = p;
    }
}

static void rule_compile(struct grammar *g, const struct grammar_rule *rule)
{
    struct grammar_symbol *s =
        &g->symbol[symbol_find(g, rule->symbol, strlen(rule->symbol))];
    for (const char *way = rule->ways;;) {
        size_t len = strcspn(way, "|");
        way_compile(g, s, rule->weight, way, len);
        if (!way[len])
            return;
        way += len + 1;
    }
}

enum measure_state { MEASURE_TODO, MEASURE_DOING, MEASURE_DONE };

static void symbol_measure(struct grammar *g, size_t i, enum measure_state *state);

static void choice_measure(struct grammar *g, struct grammar_symbol *s,
                           const struct grammar_choice *c, enum measure_state *state)
{
    double nats = -log(c->probability), chars = 0;
    size_t max_chars = 0;
    for (size_t k = 0; k < c->parts; k++) {
        const struct grammar_part *p = &c->part[k];
        if (p->symbol < 0) {
            chars += (double)p->len;
            max_chars += p->len;
            continue;
        }
        symbol_measure(g, (size_t)p->symbol, state);
        const struct grammar_symbol *inner = &g->symbol[p->symbol];
        nats += inner->entropy_nats;
        chars += inner->mean_chars;
        max_chars += inner->max_chars;
    }
    s->entropy_nats += c->probability * nats;
    s->mean_chars += c->probability * chars;
    s->max_chars = max_chars > s->max_chars ? max_chars : s->max_chars;
}

static void symbol_measure(struct grammar *g, size_t i, enum measure_state *state)
{
    struct grammar_symbol *s = &g->symbol[i];
    if (state[i] == MEASURE_DONE)
        return;
    if (state[i] == MEASURE_DOING)
        BUG("<%s> derives itself", s->name);
    state[i] = MEASURE_DOING;
    for (size_t k = 0; k < s->choices; k++)
        choice_measure(g, s, &s->choice[k], state);
    state[i] = MEASURE_DONE;
}

struct grammar *grammar_new(const struct grammar_rule *rule, size_t n)
{
    if (!n)
        BUG("a grammar without rules");
    struct grammar *g = mem_zalloc(1, sizeof *g);
    arena_init(&g->memory);
    grammar_collect(g, rule, n);
    for (size_t i = 0; i < n; i++)
        rule_compile(g, &rule[i]);
    enum measure_state *state = mem_zalloc(g->symbols, sizeof *state);
    for (size_t i = 0; i < g->symbols; i++)
        symbol_measure(g, i, state);
    mem_free(state);
    g->nats_per_char = g->symbol[0].entropy_nats / g->symbol[0].mean_chars;
    return g;
}

void grammar_free(struct grammar *g)
{
    if (!g)
        return;
    arena_release(&g->memory);
    mem_free(g);
}

struct derivation {
    const struct grammar *grammar;
    struct strbuf *out;
    uint64_t seed, index;
    uint32_t draws;
    double nats;
};

static const struct grammar_choice *symbol_choose(const struct grammar_symbol *s,
                                                  uint64_t bits)
{
    uint64_t left = random_below(bits, s->weight);
    const struct grammar_choice *c = s->choice;
    while (left >= c->weight) {
        left -= c->weight;
        c++;
    }
    return c;
}

static void derivation_write(struct derivation *d, size_t symbol)
{
    uint64_t bits = random_at(d->seed, RANDOM_STREAM_GRAMMAR, d->index, d->draws++);
    const struct grammar_choice *c = symbol_choose(&d->grammar->symbol[symbol], bits);
    d->nats -= log(c->probability);
    for (size_t k = 0; k < c->parts; k++) {
        const struct grammar_part *p = &c->part[k];
        if (p->symbol < 0)
            strbuf_add(d->out, p->literal, p->len);
        else
            derivation_write(d, (size_t)p->symbol);
    }
}

double grammar_sentence(const struct grammar *g, struct strbuf *out, uint64_t seed,
                        uint64_t index)
{
    struct derivation d = {.grammar = g, .out = out, .seed = seed, .index = index};
    derivation_write(&d, 0);
    return d.nats;
}

struct grammar_text grammar_write(const struct grammar *g, struct strbuf *out,
                                  uint64_t seed, size_t max_chars)
{
    struct grammar_text text = {.seed = seed};
    size_t before = out->len;
    for (;; text.sentences++) {
        size_t end = out->len;
        double nats = grammar_sentence(g, out, seed, text.sentences);
        if (out->len - before > max_chars) {
            out->len = end;
            out->s[end] = '\0';
            break;
        }
        text.information_nats += nats;
    }
    text.chars = out->len - before;
    return text;
}
