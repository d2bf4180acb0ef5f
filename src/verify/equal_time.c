#ifdef GAIT_TRAIN
#include "verify/equal_time.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "verify/trainer_pair.h"

#include <math.h>

/* So that a drift of the machine meets both, while what a switch costs (caches, the
 * other's loader that fills up meanwhile) counts little. */
enum { BLOCKS = 40 };
static const double BLOCK_MIN_S = 0.04, BLOCK_MAX_S = 1;

/* Would another step end nearer to the limit than this one did? At least one is taken. */
static bool has_time(const struct equal_time_side *s, double limit_s)
{
    return !s->steps || s->took_s + 0.5 * s->took_s / (double)s->steps <= limit_s;
}

static enum status train_block(struct trainer *t, struct equal_time_side *side,
                               double block_s, double limit_s, struct err *err)
{
    struct step_report report;
    double end_s = fmin(side->took_s + block_s, limit_s);
    engine_set_threads(t->threads);
    while (side->took_s < end_s && has_time(side, limit_s)) {
        int64_t begin_ns = clock_now_ns();
        enum status s = trainer_step(t, side->steps, &report, err);
        if (s != STATUS_OK)
            return s;
        side->took_s += (double)(clock_now_ns() - begin_ns) / 1e9;
        side->steps++;
    }
    return STATUS_OK;
}

static enum status train_both(struct equal_time *out, struct trainer_pair *p,
                              struct err *err)
{
    static const int turns[] = {0, 1, 1, 0};
    double limit_s = out->seconds;
    double block_s = fmin(fmax(limit_s / BLOCKS, BLOCK_MIN_S), BLOCK_MAX_S);
    log_status("training both for %g s each", limit_s);
    for (int i = 0; has_time(&out->side[0], limit_s) || has_time(&out->side[1], limit_s);
         i++) {
        int k = turns[i % 4];
        enum status s = train_block(&p->t[k], &out->side[k], block_s, limit_s, err);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}

/* --- validation --- */

static enum status evaluate(struct equal_time_side *side, struct trainer *t,
                            struct err *err)
{
    struct err why = ERR_INIT;
    engine_set_threads(t->threads);
    enum status s = trainer_evaluate(t, &side->loss, &why);
    if (s == STATUS_FAILED) { /* not finite: a result */
        side->loss = (struct evaluation){.loss = NAN, .standard_error = NAN};
        return STATUS_OK;
    }
    if (s != STATUS_OK && err)
        *err = why;
    return s;
}

static bool same_targets(const struct trainer_pair *p)
{
    return trainer_pair_same_text(p) &&
           p->config[0].eval_min_context == p->config[1].eval_min_context;
}

/* Do both score the same tokens, batch by batch? */
static bool same_batches(const struct trainer_pair *p)
{
    const struct trainer *a = &p->t[0], *b = &p->t[1];
    return same_targets(p) && a->eval_batches == b->eval_batches && a->eval_batches > 1 &&
           a->model.B == b->model.B && a->model.T == b->model.T;
}

/* Over the batches' differences. What makes a batch hard makes it so for both and cancels
 * here; two standard errors that know nothing of each other would hide a small loss. */
static double paired_error(const struct trainer_pair *p, double difference)
{
    int64_t n = p->t[0].eval_batches;
    const double *a = p->t[0].eval_sum, *b = p->t[1].eval_sum, *scored = a + n;
    double tokens = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        double residual = b[i] - a[i] - difference * scored[i];
        tokens += scored[i];
        squares += residual * residual;
    }
    return sqrt(squares * (double)n / (double)(n - 1)) / tokens;
}

static enum status evaluate_both(struct equal_time *out, struct trainer_pair *p,
                                 struct err *err)
{
    log_status("validating both");
    for (int k = 0; k < 2; k++) {
        enum status s = evaluate(&out->side[k], &p->t[k], err);
        if (s != STATUS_OK)
            return s;
    }
    const struct evaluation *a = &out->side[0].loss, *b = &out->side[1].loss;
    out->same_text = same_targets(p);
    out->one_batch = p->t[0].eval_batches < 2 || p->t[1].eval_batches < 2;
    out->paired = same_batches(p);
    out->standard_error = out->paired ? paired_error(p, b->loss - a->loss)
                                      : hypot(a->standard_error, b->standard_error);
    return STATUS_OK;
}

enum status equal_time_measure(struct equal_time *out, const struct config *before,
                               const struct config *after, double seconds,
                               struct err *err)
{
    struct trainer_pair *p = mem_zalloc(1, sizeof *p);
    *out = (struct equal_time){.seconds = seconds};
    enum status s = trainer_pair_open(p, before, after, err);
    if (s == STATUS_OK)
        s = train_both(out, p, err);
    if (s == STATUS_OK)
        s = evaluate_both(out, p, err);
    log_status_clear();
    trainer_pair_close(p, s);
    mem_free(p);
    return s;
}

#endif
