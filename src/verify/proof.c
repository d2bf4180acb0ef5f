#ifdef GAIT_TRAIN
#include "verify/proof.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "verify/gate_fill.h"
#include "verify/trainer_pair.h"

#include <math.h>
#include <string.h>

enum { SAME_STEPS = 5, BLOCK_STEPS_MAX = 50, THREADS_TRIED = 2 };
static const double BLOCK_NS = 40e6; /* long enough that a clock's tick is nothing */

/* The two while they train. */
struct bout {
    struct trainer_pair pair;
    int64_t next[2]; /* step */
    int64_t block;
    int64_t data_ns[2], wall_ns[2];
};

static enum status run_block(void *context, int side, double *step_ns, struct err *err)
{
    struct bout *b = context;
    struct trainer *t = &b->pair.t[side];
    struct step_report report;
    enum status s = STATUS_OK;
    engine_set_threads(t->threads);
    int64_t begin_ns = clock_now_ns(), waited_ns = t->data_wait_ns;
    for (int64_t i = 0; i < b->block && s == STATUS_OK; i++)
        s = trainer_step(t, b->next[side]++, &report, err);
    int64_t dur_ns = clock_now_ns() - begin_ns;
    b->wall_ns[side] += dur_ns;
    b->data_ns[side] += t->data_wait_ns - waited_ns;
    *step_ns = (double)dur_ns / (double)b->block;
    return s;
}

/* Two blocks of a step each, untimed; how many steps make one that can be timed. */
static enum status size_blocks(struct bout *b, struct err *err)
{
    double shortest = INFINITY;
    b->block = 1;
    for (int i = 0; i < 4; i++) {
        double ns;
        enum status s = run_block(b, i % 2, &ns, err);
        if (s != STATUS_OK)
            return s;
        shortest = i < 2 ? shortest : fmin(shortest, ns);
    }
    double steps = ceil(BLOCK_NS / shortest);
    b->block = steps > BLOCK_STEPS_MAX ? BLOCK_STEPS_MAX : (int64_t)steps;
    for (int side = 0; side < 2; side++)
        b->wall_ns[side] = b->data_ns[side] = 0;
    return STATUS_OK;
}

static struct content_hash_text hash_weights(const struct trainer *t)
{
    const struct param_table *order = &t->model.params.table;
    struct content_hash *hash = content_hash_new();
    for (size_t i = 0; i < order->n; i++) {
        const struct param *q = &order->param[i];
        real *value = mem_alloc((size_t)q->n * sizeof *value);
        param_store_get(&t->model.store, q, 0, q->n, value);
        content_hash_add(hash, value, (size_t)q->n * sizeof *value);
        mem_free(value);
    }
    struct content_hash_text text = content_hash_text(hash);
    content_hash_free(hash);
    return text;
}

static enum status time_both(struct proof *out, struct bout *b,
                             const struct proof_options *o, struct err *err)
{
    struct ab_subject subject = {run_block, b};
    struct ab_options options = {
        .budget_s = o->budget_s, .narrow = AB_NARROW, .decides = o->decides};
    enum status s = size_blocks(b, err);
    log_status("timing both in turns, up to %.0f s", o->budget_s);
    if (s == STATUS_OK)
        s = ab_time_run(&out->time, &subject, &options, err);
    out->block = b->block;
    for (int side = 0; side < 2; side++) {
        out->bytes[side] = (double)trainer_allocated_bytes(&b->pair.t[side]);
        out->wait_frac[side] =
            b->wall_ns[side] ? (double)b->data_ns[side] / (double)b->wall_ns[side] : NAN;
        out->rounded |= !strcmp(b->pair.t[side].config->precision, "bf16");
    }
    out->threads = b->pair.t[1].threads;
    return s;
}

static enum status measure(struct proof *out, struct bout *b,
                           const struct proof_options *o, struct err *err)
{
    log_status("the same model? %d steps of both", SAME_STEPS);
    enum status s =
        same_model_compare(&out->same, &b->pair.t[0], &b->pair.t[1], SAME_STEPS, err);
    if (s == STATUS_OK && !*out->same.not_comparable) {
        b->next[0] = b->next[1] = SAME_STEPS;
        out->weights = hash_weights(&b->pair.t[1]);
    }
    if (s == STATUS_OK)
        s = time_both(out, b, o, err);
    log_status_clear();
    return s;
}

enum status proof_measure(struct proof *out, const struct config *before,
                          const struct config *after, const struct proof_options *options,
                          struct err *err)
{
    struct bout *b = mem_zalloc(1, sizeof *b);
    *out = (struct proof){.rounded = false};
    enum status s = trainer_pair_open(&b->pair, before, after, err);
    if (s == STATUS_OK)
        s = measure(out, b, options, err);
    trainer_pair_close(&b->pair, s);
    mem_free(b);
    return s;
}

/* --- the same bits again --- */

static enum status train_again(struct content_hash_text *weights,
                               const struct config *config, int64_t threads,
                               struct err *err)
{
    struct config own;
    struct trainer *t = mem_zalloc(1, sizeof *t);
    struct step_report report;
    config_copy_for_trial(&own, config);
    own.threads = threads;
    enum status s = trainer_open(t, &own, err);
    if (s == STATUS_OK) {
        for (int64_t i = 0; i < SAME_STEPS && s == STATUS_OK; i++)
            s = trainer_step(t, i, &report, err);
        *weights = hash_weights(t);
        trainer_close(t, s);
    }
    config_release(&own);
    mem_free(t);
    return s;
}

enum status proof_gate_bits(struct verify_result *out, const struct proof *p,
                            const struct config *after, struct err *err)
{
    struct gate_result *g = gate_add(out, "deterministic");
    int64_t threads[THREADS_TRIED] = {p->threads, 1};
    if (*p->same.not_comparable || p->same.other_weights) {
        does_not_apply(g, "not_comparable",
                       "the second did not train from its own weights");
        return STATUS_OK;
    }
    bool equal[THREADS_TRIED];
    for (int i = 0; i < THREADS_TRIED; i++) {
        struct content_hash_text weights;
        log_status("the same bits with %lld threads?", (long long)threads[i]);
        enum status s = train_again(&weights, after, threads[i], err);
        log_status_clear();
        if (s != STATUS_OK)
            return s;
        equal[i] = !strcmp(weights.s, p->weights.s);
    }
    struct unit_text used = unit_plural(p->threads, "thread", "threads");
    if (!equal[0])
        gate_decide(out, g, VERDICT_FAIL, "other_bits",
                    "after %d steps the weights differ from those of another run with %s",
                    SAME_STEPS, used.s);
    else
        gate_decide(
            out, g, VERDICT_PASS, "",
            "the weights after %d steps are bitwise equal in 2 runs with %s; with "
            "1 thread they %s",
            SAME_STEPS, used.s, equal[1] ? "are, too" : "differ");
    return STATUS_OK;
}

#endif
