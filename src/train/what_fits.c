/*
 * Each candidate is planned in full, as the run itself would plan it, and no memory is
 * taken; oneDNN's workspace is no simple function of the batch, so nothing is estimated.
 */
#include "train/what_fits.h"

#include <stdio.h>

/* Does the run fit with so many rows at a time? */
static bool fits(const struct trainer *t, int64_t rows, bool recompute)
{
    struct model_options options = t->model.options;
    struct trainer other = {.config = t->config,
                            .comm = t->comm,
                            .engine = t->engine,
                            .eval_batches = t->eval_batches,
                            .optimizer = {.kind = t->optimizer.kind},
                            .plan.limit_bytes = memory_plan_limit_bytes(&t->plan),
                            .plan.limit = t->plan.limit};
    options.batch = rows;
    options.recompute = recompute;
    if (model_init(&other.model, &t->engine, &t->model.shape, &options, NULL) !=
        STATUS_OK)
        return false;
    trainer_plan(&other);
    bool fit = memory_plan_fits(&other.plan);
    memory_plan_release(&other.plan);
    model_release(&other.model);
    return fit;
}

/* The largest number of rows below those of t that fits; 0: none. */
static int64_t rows_that_fit(const struct trainer *t)
{
    int64_t good = 0, bad = t->model.B;
    while (bad - good > 1) {
        int64_t rows = good + (bad - good) / 2;
        if (fits(t, rows, t->config->recompute))
            good = rows;
        else
            bad = rows;
    }
    return good;
}

/* The least gradient_accumulation whose parts have at most `rows` rows and share the
 * batch equally; 0: none. */
static int64_t parts_that_fit(const struct trainer *t, int64_t rows)
{
    int64_t all = t->config->batch_size / t->comm.size;
    for (int64_t each = rows; each > 0; each--)
        if (all % each == 0)
            return all / each;
    return 0;
}

struct what_fits what_fits(const struct trainer *t)
{
    int64_t rows = rows_that_fit(t), parts = parts_that_fit(t, rows);
    int64_t now = t->config->gradient_accumulation;
    return (struct what_fits){.batch_size = rows * t->comm.size * now,
                              .gradient_accumulation = parts > now ? parts : 0,
                              .recompute =
                                  !t->config->recompute && fits(t, t->model.B, true)};
}

void say_what_fits(const struct trainer *t, struct err *err)
{
    struct err refusal = err ? *err : (struct err)ERR_INIT;
    struct what_fits fit = what_fits(t);
    char same[96] = "", recompute[64] = "";
    if (fit.recompute)
        snprintf(recompute, sizeof recompute, "; recompute: true would fit");
    if (fit.gradient_accumulation)
        snprintf(same, sizeof same,
                 "; gradient_accumulation: %lld would fit and is the same training",
                 (long long)fit.gradient_accumulation);
    if (fit.batch_size)
        err_set(err, refusal.status, "%s%s%s; batch_size %lld would fit", refusal.text,
                same, recompute, (long long)fit.batch_size);
    else
        err_set(err, refusal.status, "%s%s; no batch_size alone would do", refusal.text,
                recompute);
}
