#include "machine/ceilings_facts.h"

#include "base/strbuf.h"

#include <math.h>
#include <string.h>

static const char *const absent = "not available: ";

/* C(member, "name") numbers beside the median. */
#define CEILING_NUMBERS(C)                                                               \
    C(low, "low")                                                                        \
    C(high, "high")                                                                      \
    C(best, "best")                                                                      \
    C(repetitions, "repetitions")                                                        \
    C(threads, "threads")                                                                \
    C(cpu_frac, "cpu_frac")                                                              \
    C(drift_frac, "drift_frac")

static void key_of(struct strbuf *b, const char *key, const char *name)
{
    strbuf_clear(b);
    strbuf_printf(b, "bench.%s%s%s", key, *name ? "." : "", name);
}

static void add_one(struct run *run, const struct named_ceiling *x, struct strbuf *b)
{
    if (!x->c.repetitions) {
        struct strbuf text;
        strbuf_init(&text);
        strbuf_printf(&text, "%s%s", absent, x->c.how);
        key_of(b, x->key, "");
        run_add_fact_text(run, -1, b->s, text.s, ORIGIN_MEASURED);
        strbuf_release(&text);
        return;
    }
    key_of(b, x->key, "");
    run_add_fact(run, -1, b->s, x->c.median, x->unit, ORIGIN_MEASURED, x->c.how);
#define ADD_NUMBER(member, name)                                                         \
    key_of(b, x->key, name);                                                             \
    run_add_fact(run, -1, b->s, (double)x->c.member, "", ORIGIN_MEASURED, "");
    CEILING_NUMBERS(ADD_NUMBER)
}

void ceilings_to_facts(struct run *run, const struct ceilings *all)
{
    struct strbuf b;
    strbuf_init(&b);
    for (size_t i = 0; i < all->n; i++)
        add_one(run, &all->of[i], &b);
    if (all->noise.known) {
        run_add_fact(run, -1, "bench.others_cpus", all->noise.others_cpus, "CPUs",
                     ORIGIN_MEASURED, "that other programs took, mean");
        run_add_fact(run, -1, "bench.steal_frac", all->noise.steal_frac, "",
                     ORIGIN_MEASURED, "of the CPUs' time, taken by the host");
    }
    strbuf_release(&b);
}

static bool read_one(struct named_ceiling *x, const struct run *run, struct strbuf *b)
{
    key_of(b, x->key, "");
    const char *how = run_fact_text(run, -1, b->s);
    x->c = (struct ceiling){.how = how ? how : ""};
    if (how && !strncmp(how, absent, strlen(absent))) {
        x->c.how = how + strlen(absent);
        return true;
    }
    x->c.median = run_fact(run, -1, b->s);
    bool whole = isfinite(x->c.median);
#define READ_NUMBER(member, name)                                                        \
    key_of(b, x->key, name);                                                             \
    double member = run_fact(run, -1, b->s);                                             \
    whole = whole && isfinite(member);
    CEILING_NUMBERS(READ_NUMBER)
    if (!whole || repetitions < 1 || repetitions > CEILING_REPETITIONS_MAX ||
        threads < 1 || threads > 1 << 16)
        return false;
    x->c.low = low;
    x->c.high = high;
    x->c.best = best;
    x->c.repetitions = (int)repetitions;
    x->c.threads = (int)threads;
    x->c.cpu_frac = cpu_frac;
    x->c.drift_frac = drift_frac;
    return true;
}

bool ceilings_from_facts(struct ceilings *all, const struct run *run)
{
    struct strbuf b;
    bool whole = true;
    strbuf_init(&b);
    ceilings_names(all);
    for (size_t i = 0; i < all->n && whole; i++)
        whole = read_one(&all->of[i], run, &b);
    all->noise.others_cpus = run_fact(run, -1, "bench.others_cpus");
    all->noise.steal_frac = run_fact(run, -1, "bench.steal_frac");
    all->noise.known =
        isfinite(all->noise.others_cpus) && isfinite(all->noise.steal_frac);
    strbuf_release(&b);
    return whole;
}
