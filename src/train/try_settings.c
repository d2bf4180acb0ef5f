#include "train/try_settings.h"

#include "base/clock.h"
#include "base/log.h"
#include "machine/cpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Pairs of blocks: until the time is over, but at least so many. A block is short, for
 * what another program does to a machine changes in some ten ms. */
enum { PAIRS_LEAST = 5, PAIRS_MAX = 15, BLOCK_STEPS_MAX = 64 };
static const int64_t BUDGET_NS = INT64_C(1000000000);
static const double BLOCK_NS = 20e6;

/* Where a step takes longer, minutes would be spent on trying. */
static const double STEP_MOST_NS = 5e9;

/* Fewer threads are tried where those that there are stand for so much of their time. */
static const double IDLE_LEAST_FRAC = 0.2;

struct setting {
    const char *key;
    char value[16];
};

enum { SETTINGS_MAX = 2, ATTEMPTS_MAX = 8 };

struct attempt {
    const char *rule;
    struct setting to[SETTINGS_MAX]; /* (n_to) */
    int n_to;
};

struct attempts {
    struct attempt of[ATTEMPTS_MAX];
    size_t n;
};

static void add_setting(struct attempt *a, const char *key, const char *value)
{
    struct setting *s = &a->to[a->n_to++];
    s->key = key;
    snprintf(s->value, sizeof s->value, "%s", value);
}

static struct attempt *add(struct attempts *all, const char *rule, const char *key,
                           const char *value)
{
    struct attempt *a = &all->of[all->n++];
    *a = (struct attempt){.rule = rule};
    add_setting(a, key, value);
    return a;
}

/* --- what is worth a try --- */

/* bf16 has nothing but its speed: where its products are not clearly faster, what converts
 * around them decides. */
static void add_precision(struct attempts *all, const struct trainer *t)
{
    const struct precision_timing *p = &t->precision;
    const bool bf16_is_faster = precision_f32_is_slower(p);
    if (p->rounds && t->engine.bf16 && !bf16_is_faster)
        add(all, "trainer-bf16", "precision", "f32");
    else if (!t->engine.bf16 && bf16_is_faster)
        add(all, "trainer-f32", "precision", "bf16");
}

/* Of the threads' time in the recorded steps: waking, and waiting for the others. */
static double idle_frac(const struct trainer *t, const struct step_costs *c)
{
    double all_ns = (double)c->wall_ns * t->threads;
    double idle_ns = (double)(c->regions.wake_ns + c->regions.barrier_ns);
    return c->regions.count && all_ns > 0 ? idle_ns / all_ns : 0;
}

static void add_threads(struct attempts *all, const struct trainer *t,
                        const struct step_costs *costs)
{
    char half[16];
    int cores = cpu_usable_cores();
    if (t->threads != cores)
        add(all, "trainer-threads", "threads", "0");
    if (t->threads > 1 && t->threads <= cores && idle_frac(t, costs) >= IDLE_LEAST_FRAC) {
        snprintf(half, sizeof half, "%d", t->threads / 2);
        add(all, "trainer-threads", "threads", half);
    }
}

static void add_kernels(struct attempts *all, const struct trainer *t)
{
    const struct config *c = t->config;
    struct attempt *fused = NULL;
    if (strcmp(c->engine, "auto"))
        add(all, "trainer-engine", "engine", "auto");
    if (!strcmp(c->attention, "plain"))
        add(all, "trainer-plain-attention", "attention", "tiled");
    if (!c->fused_qkv)
        fused = add(all, "trainer-unfused", "fused_qkv", "true");
    if (c->fused_gate_up || strcmp(c->model, "llama"))
        return;
    if (fused)
        add_setting(fused, "fused_gate_up", "true");
    else
        add(all, "trainer-unfused", "fused_gate_up", "true");
}

/* --- in turns --- */

struct side {
    struct trainer *t;
    int64_t next; /* its first step that is not done */
};

static enum status time_block(struct side *s, int64_t steps, double *step_ns,
                              struct err *err)
{
    struct step_report report;
    enum status st = STATUS_OK;
    /* threads that were not there are made by a step that does not count */
    bool wakes = engine_threads() != s->t->threads && steps > 1;
    engine_set_threads(s->t->threads);
    if (wakes)
        st = trainer_step(s->t, s->next++, &report, err);
    int64_t begin_ns = clock_now_ns();
    for (int64_t i = 0; i < steps && st == STATUS_OK; i++)
        st = trainer_step(s->t, s->next++, &report, err);
    *step_ns = (double)(clock_now_ns() - begin_ns) / (double)steps;
    return st;
}

/* The first step of a side touches its memory; by the second one a block's length is
 * found. */
static enum status find_block(struct side side[2], int64_t *steps, struct err *err)
{
    double ns = 0, longest_ns = 1;
    for (int i = 0; i < 4; i++) {
        enum status s = time_block(&side[i % 2], 1, &ns, err);
        if (s != STATUS_OK)
            return s;
        bool is_long = ns > (double)BUDGET_NS / PAIRS_LEAST;
        longest_ns = i < 2 && !is_long ? longest_ns : fmax(longest_ns, ns);
        if (i == 1 && is_long)
            break;
    }
    *steps = (int64_t)fmin(BLOCK_STEPS_MAX, ceil(BLOCK_NS / longest_ns));
    return STATUS_OK;
}

static enum status time_pairs(struct side side[2], struct replacement *pair, size_t *n,
                              struct err *err)
{
    int64_t steps = 1;
    enum status s = find_block(side, &steps, err);
    const int64_t first_ns = clock_now_ns();
    for (*n = 0; s == STATUS_OK && *n < PAIRS_MAX &&
                 (*n < PAIRS_LEAST || clock_now_ns() < first_ns + BUDGET_NS);) {
        double ns[2];
        for (size_t i = 0; i < 2 && s == STATUS_OK; i++) {
            size_t which = (i + *n) % 2;
            s = time_block(&side[which], steps, &ns[which], err);
        }
        if (s == STATUS_OK)
            pair[(*n)++] = (struct replacement){.now_ns = (int64_t)ns[0],
                                                .instead_ns = (int64_t)ns[1]};
    }
    return s;
}

/* --- one attempt --- */

/* Its lines as they stand in a config; after: as they would, else as they are. */
static void say_settings(struct strbuf *out, const struct attempt *a,
                         const struct config *c, bool after)
{
    for (int i = 0; i < a->n_to; i++) {
        strbuf_printf(out, "%s%s: ", i ? ", " : "", a->to[i].key);
        if (after)
            strbuf_puts(out, a->to[i].value);
        else
            config_value_of(out, c, a->to[i].key);
    }
}

static enum status change(struct config *c, const struct attempt *a, struct err *err)
{
    enum status s = STATUS_OK;
    for (int i = 0; i < a->n_to && s == STATUS_OK; i++)
        s = config_set(c, a->to[i].key, a->to[i].value, err);
    return s;
}

static enum status run_both(struct trainer *t, const struct config *other, int64_t *next,
                            struct replacement *pair, size_t *n, struct err *err)
{
    struct trainer instead;
    log_mute(true); /* what it says was said */
    enum status s = trainer_try(&instead, other, &t->dataset, err);
    log_mute(false);
    if (s != STATUS_OK && instead.part == TRAINER_MEMORY)
        s = err_set(err, s, "there is no memory for a second training");
    struct side side[2] = {{t, *next}, {&instead, 0}};
    if (s == STATUS_OK)
        s = time_pairs(side, pair, n, err);
    *next = side[0].next;
    trainer_close(&instead, s);
    engine_set_threads(t->threads);
    return s;
}

static void note_untried(struct run *out, int32_t rank, const struct attempt *a,
                         const struct config *c, const char *why)
{
    struct strbuf instead;
    strbuf_init(&instead);
    say_settings(&instead, a, c, true);
    run_add_note(out, rank, -1, "%s: not tried: %s", instead.s, why);
    strbuf_release(&instead);
}

static void attempt(struct run *out, int32_t rank, struct trainer *t, int64_t *next,
                    const struct attempt *a)
{
    struct replacement pair[PAIRS_MAX];
    struct config other;
    struct strbuf now, instead;
    struct err err = ERR_INIT;
    size_t n = 0;
    strbuf_init(&now);
    strbuf_init(&instead);
    say_settings(&now, a, t->config, false);
    say_settings(&instead, a, t->config, true);
    config_copy_for_trial(&other, t->config);
    log_status("measuring a step with %s", instead.s);
    enum status s = change(&other, a, &err);
    if (s == STATUS_OK)
        s = run_both(t, &other, next, pair, &n, &err);
    log_status_clear();
    if (s != STATUS_OK)
        note_untried(out, rank, a, t->config, err.text);
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        pair[i].rank = rank;
        pair[i].rule = names_add_z(&out->names, a->rule);
        pair[i].subject = names_add_z(&out->names, now.s);
        pair[i].how = names_add_z(&out->names, instead.s);
        pair[i].round = (int32_t)i;
        replacements_add(&out->replacements, pair[i]);
    }
    config_release(&other);
    strbuf_release(&instead);
    strbuf_release(&now);
}

void try_settings(struct run *out, int32_t rank, struct trainer *t, int64_t next,
                  const struct step_costs *costs, int64_t steps)
{
    struct attempts all = {.n = 0};
    const char *why_not = comm_launched() ? "it is not tried in a job of processes"
                          : (double)costs->wall_ns > STEP_MOST_NS * (double)steps
                              ? "a step takes too long"
                              : NULL;
    add_precision(&all, t);
    add_threads(&all, t, costs);
    add_kernels(&all, t);
    for (size_t i = 0; i < all.n; i++)
        if (why_not)
            note_untried(out, rank, &all.of[i], t->config, why_not);
        else
            attempt(out, rank, t, &next, &all.of[i]);
}
