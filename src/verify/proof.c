#ifdef GAIT_TRAIN
#include "verify/proof.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/units.h"
#include "verify/gate_fill.h"
#include "verify/timed_pair.h"
#include "verify/weights_hash.h"

#include <math.h>
#include <string.h>

enum { SAME_STEPS = 5, THREADS_TRIED = 2 };

static enum status time_both(struct proof *out, struct timed_pair *b,
                             const struct proof_options *o, struct err *err)
{
    struct ab_subject subject = {timed_pair_block, b};
    struct ab_options options = {
        .budget_s = o->budget_s, .narrow = AB_NARROW, .decides = o->decides};
    enum status s = timed_pair_size(b, err);
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

static enum status measure(struct proof *out, struct timed_pair *b,
                           const struct proof_options *o, struct err *err)
{
    log_status("the same model? %d steps of both", SAME_STEPS);
    enum status s =
        same_model_compare(&out->same, &b->pair.t[0], &b->pair.t[1], SAME_STEPS, err);
    if (s == STATUS_OK && !*out->same.not_comparable) {
        b->next[0] = b->next[1] = SAME_STEPS;
        out->weights = weights_hash(&b->pair.t[1]);
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
    struct timed_pair *b = mem_zalloc(1, sizeof *b);
    *out = (struct proof){.rounded = false};
    enum status s = timed_pair_open(b, before, after, err);
    if (s == STATUS_OK)
        s = measure(out, b, options, err);
    timed_pair_close(b, s);
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
        *weights = weights_hash(t);
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
