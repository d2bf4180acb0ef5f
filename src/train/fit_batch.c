/*
 * Each candidate is planned in full, as the run itself would plan it, and no memory is
 * taken; oneDNN's workspace is no simple function of the batch, so nothing is estimated.
 */
#include "train/fit_batch.h"

static bool rows_fit(const struct trainer *t, int64_t rows)
{
    struct model_options options = t->model.options;
    options.batch = rows;
    struct trainer other = {.config = t->config,
                            .comm = t->comm,
                            .engine = t->engine,
                            .eval_batches = t->eval_batches,
                            .optimizer = {.kind = t->optimizer.kind},
                            .plan.limit_bytes = memory_plan_limit_bytes(&t->plan)};
    if (model_init(&other.model, &t->engine, &t->model.shape, &options, NULL) !=
        STATUS_OK)
        return false;
    trainer_plan(&other);
    bool fits = memory_plan_fits(&other.plan);
    memory_plan_release(&other.plan);
    model_release(&other.model);
    return fits;
}

int64_t batch_that_fits(const struct trainer *t)
{
    int64_t fits = 0, too_many = t->model.B; /* rows of this rank */
    while (too_many - fits > 1) {
        int64_t rows = fits + (too_many - fits) / 2;
        if (rows_fit(t, rows))
            fits = rows;
        else
            too_many = rows;
    }
    return fits * t->comm.size;
}

void say_what_fits(const struct trainer *t, struct err *err)
{
    struct err refusal = err ? *err : (struct err)ERR_INIT;
    int64_t batch = batch_that_fits(t);
    if (batch)
        err_set(err, refusal.status, "%s; batch_size %lld would fit", refusal.text,
                (long long)batch);
    else
        err_set(err, refusal.status, "%s; no batch_size alone would do", refusal.text);
}
