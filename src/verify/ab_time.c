#include "verify/ab_time.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/stats.h"

#include <math.h>
#include <stdbool.h>

/* The same bound at each of nine looks (Pocock), for 3.5 % in all: his own figures are for
 * looks at equal distances, these grow, and each sees more that is new. Found by
 * simulation (60,000 walks); tests/unit/verify/test_ab_time.c counts six of them. */
static const double LOOK_Z = 2.763;
enum { FEWEST = 8 }; /* signed ranks of less tell nothing */
enum { TURNS = 4 };  /* pairs that begin with the same side */
enum { FIRST_LOOK = 16, LOOKS = 9 };

struct gathered {
    double log_ratio[AB_PAIRS_MAX];
    double step_ns[2][2 * AB_PAIRS_MAX];
    size_t n;
    bool ended; /* there are no more blocks */
};

/* A B B A, later B A A B: what drifts evenly takes as much of both, and what being first
 * does falls on both. */
static enum status measure_pair(struct gathered *g, const struct ab_subject *subject,
                                struct err *err)
{
    static const int order[] = {0, 1, 1, 0};
    int first = (int)(g->n / TURNS % 2);
    double sum[2] = {0, 0};
    size_t done[2] = {2 * g->n, 2 * g->n};
    for (size_t i = 0; i < 4; i++) {
        int side = order[i] ^ first;
        double ns;
        enum status s = subject->block(subject->context, side, &ns, err);
        if (s != STATUS_OK)
            return s;
        if (isnan(ns)) {
            g->ended = true;
            return STATUS_OK;
        }
        g->step_ns[side][done[side]++] = ns;
        sum[side] += ns;
    }
    g->log_ratio[g->n++] = log(sum[1] / sum[0]);
    return STATUS_OK;
}

static void look(struct ab_time *out, const struct gathered *g)
{
    struct centre_interval c = stats_centre_interval(g->log_ratio, g->n, LOOK_Z);
    bool few = g->n < FEWEST;
    out->change = expm1(c.centre);
    out->low = few ? -1 : expm1(c.low);
    out->high = few ? INFINITY : expm1(c.high);
    out->pairs = g->n;
    for (int side = 0; side < 2; side++)
        out->step_ns[side] = stats_median(g->step_ns[side], 2 * g->n);
}

static bool is_on_one_side(const struct ab_time *t, double of)
{
    return t->low > of || t->high < of;
}

static bool is_enough(const struct ab_time *t, const struct ab_options *o)
{
    if (!is_on_one_side(t, o->decides))
        return false;
    return is_on_one_side(t, 0) || (t->high - t->low) / 2 <= o->narrow;
}

/* 16, 32, 56, 96 … 1000: nine looks, each after as many pairs that began with the one side
 * as with the other. */
static size_t next_look(size_t n)
{
    size_t even = (size_t)2 * TURNS;
    size_t next = ((size_t)ceil(1.71 * (double)n) + even - 1) / even * even;
    return next < AB_PAIRS_MAX ? next : AB_PAIRS_MAX;
}

enum status ab_time_run(struct ab_time *out, const struct ab_subject *subject,
                        const struct ab_options *options, struct err *err)
{
    struct gathered *g = mem_zalloc(1, sizeof *g);
    int64_t begin_ns = clock_now_ns();
    size_t look_at = FIRST_LOOK;
    enum status s = STATUS_OK;
    *out = (struct ab_time){.change = NAN, .low = -INFINITY, .high = INFINITY};
    for (int looks = 0; looks < LOOKS && s == STATUS_OK && g->n < AB_PAIRS_MAX;) {
        s = measure_pair(g, subject, err);
        out->took_s = (double)(clock_now_ns() - begin_ns) / 1e9;
        bool over = g->ended || out->took_s >= options->budget_s;
        if (s != STATUS_OK || (g->n < look_at && !over))
            continue;
        if (g->n)
            look(out, g);
        looks++;
        look_at = next_look(g->n);
        if (over || is_enough(out, options))
            break;
    }
    mem_free(g);
    return s;
}
