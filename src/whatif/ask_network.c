/*
 * Other ranks, another network: each collective as a ring of n ranks,
 *
 *   T(n) = hops(n) · latency + share(n) · bytes / bandwidth
 *
 * with share 2(n − 1)/n and 2(n − 1) hops for all-reduce, (n − 1)/n and n − 1 for the
 * others. Bandwidth is the best that a collective of this run reached, latency what is
 * left of the shortest among its smallest ones; so a run that waits in all of them looks
 * like one of a slower network. A collective's time is scaled by T of what is asked over
 * T of what is. docs/whatif.md
 */
#include "whatif/ask.h"

#include "price/evidence_text.h"

#include <string.h>
#include <strings.h>

struct ring {
    double latency_ns, bytes_per_ns;
    bool one_size; /* then nothing is known of the latency */
};

static bool is_all_reduce(const char *name)
{
    return strcasestr(name, "allreduce") || strcasestr(name, "all_reduce");
}

static double ring_hops(const char *name, int n)
{
    return (is_all_reduce(name) ? 2.0 : 1.0) * (n - 1);
}

static double ring_share(const char *name, int n)
{
    return ring_hops(name, n) / n;
}

static double ring_ns(const struct ring *r, const char *name, int n, double bytes)
{
    return ring_hops(name, n) * r->latency_ns +
           ring_share(name, n) * bytes / r->bytes_per_ns;
}

/* Ranks that meet in it; 0: not known, or one alone. */
static int ranks_in(const struct run *run, size_t collective)
{
    const struct collectives *c = &run->collectives;
    int n = c->group_size[collective];
    if (n <= 0)
        n = run->ranks.world[c->rank[collective]];
    return n > 1 ? n : 0;
}

static bool can_scale(const struct run *run, size_t i)
{
    const struct collectives *c = &run->collectives;
    return ranks_in(run, i) && c->bytes[i] > 0 && c->dur_ns[i] > 0;
}

static bool ring_fit(struct ring *r, const struct run *run)
{
    const struct collectives *c = &run->collectives;
    int64_t least = INT64_MAX, most = 0;
    *r = (struct ring){0};
    for (size_t i = 0; i < c->table.n; i++) {
        if (!can_scale(run, i))
            continue;
        double moved =
            ring_share(run_name(run, c->name[i]), ranks_in(run, i)) * (double)c->bytes[i];
        double rate = moved / (double)c->dur_ns[i];
        r->bytes_per_ns = rate > r->bytes_per_ns ? rate : r->bytes_per_ns;
        least = c->bytes[i] < least ? c->bytes[i] : least;
        most = c->bytes[i] > most ? c->bytes[i] : most;
    }
    if (r->bytes_per_ns <= 0)
        return false;
    r->one_size = least == most;
    double shortest_ns = -1;
    for (size_t i = 0; i < c->table.n && !r->one_size; i++) {
        if (!can_scale(run, i) || c->bytes[i] != least)
            continue;
        const char *name = run_name(run, c->name[i]);
        int n = ranks_in(run, i);
        double rest_ns =
            (double)c->dur_ns[i] - ring_share(name, n) * (double)least / r->bytes_per_ns;
        double hop_ns = rest_ns > 0 ? rest_ns / ring_hops(name, n) : 0;
        if (shortest_ns < 0 || hop_ns < shortest_ns)
            shortest_ns = hop_ns;
    }
    r->latency_ns = shortest_ns > 0 ? shortest_ns : 0;
    return true;
}

static void scale_span(struct answer *a, const struct evidence *e, int64_t span,
                       double keep)
{
    const struct spans *s = &e->run->spans;
    int32_t lane = s->lane[span];
    if (e->run->lanes.kind[lane] == LANE_KIND_DEVICE)
        edit_list_work(&a->price.edits, span, keep);
    else
        edit_list_host(&a->price.edits, lane, s->begin_ns[span],
                       s->begin_ns[span] + s->dur_ns[span], keep);
    a->matched++;
}

/* A group that is a part of the job stays as large as it is. */
static int ranks_then(const struct answer *a, const struct run *run, size_t i, int now)
{
    int world = run->ranks.world[run->collectives.rank[i]];
    bool part = world > 0 && now < world;
    return a->question.ranks && !part ? a->question.ranks : now;
}

static void tell_model(struct answer *a, const struct ring *now)
{
    struct finding *x = &a->price;
    evidence_say(
        x,
        "collectives are rings of ranks: latency a hop, bytes through the slowest "
        "link. This run's best: {}, ",
        quantity_rate("best_bytes_per_s", 1e9 * now->bytes_per_ns));
    if (now->one_size)
        evidence_append(x, "no latency known, since all are of one size", NULL, 0);
    else
        evidence_say(x, "{} a hop", quantity_time("hop_ms", now->latency_ns));
    evidence_append(x, ". Waiting for late ranks is scaled along", NULL, 0);
}

enum status ask_network(struct answer *a, const struct evidence *e, struct err *err)
{
    const struct run *run = e->run;
    const struct collectives *c = &run->collectives;
    struct ring now, then;
    if (!ring_fit(&now, run))
        return err_set(
            err, STATUS_USAGE,
            "there is no collective of several ranks whose size is recorded, so "
            "\"%s\" cannot be answered",
            a->question.text);
    then = now;
    if (a->question.net_bytes_per_s > 0)
        then.bytes_per_ns = a->question.net_bytes_per_s / 1e9;
    for (size_t i = 0; i < c->table.n; i++) {
        int64_t span = can_scale(run, i) ? replay_collective_span(e->replay, i) : -1;
        if (span < 0)
            continue;
        const char *name = run_name(run, c->name[i]);
        int n = ranks_in(run, i), m = ranks_then(a, run, i, n);
        double bytes = (double)c->bytes[i], now_ns = ring_ns(&now, name, n, bytes);
        if (now_ns > 0)
            scale_span(a, e, span, ring_ns(&then, name, m, bytes) / now_ns);
    }
    a->price.price = PRICE_MODELLED;
    tell_model(a, &now);
    if (a->matched)
        return STATUS_OK;
    return err_set(err, STATUS_USAGE,
                   "none of the collectives whose size is recorded is kept, so \"%s\" "
                   "cannot be replayed",
                   a->question.text);
}
