/*
 * The validation loss and how sure it is. Batches are spread evenly over the validation
 * text; the mean is over all scored tokens, its standard error over the batches' means.
 */
#include "train/trainer.h"

#include <math.h>

/* Score rows 0 … rows - 1 at t >= min_context: other targets become -1. */
static void mask_targets(struct trainer *t, int64_t rows)
{
    int64_t T = t->model.T, first = t->config->eval_min_context;
    for (int64_t b = 0; b < t->model.B; b++)
        for (int64_t i = 0; i < (b < rows ? first : T); i++)
            t->targets[b * T + i] = -1;
}

static enum status evaluate_batch(struct trainer *t, int64_t index, double *sum,
                                  double *scored, struct err *err)
{
    int64_t rows;
    enum status s =
        loader_validation(&t->validation_data, index, &rows, t->inputs, t->targets, err);
    if (s != STATUS_OK)
        return s;
    mask_targets(t, rows);
    model_forward(&t->model, &(struct model_batch){t->inputs, t->targets, -1});
    *sum = 0;
    for (int64_t i = 0; i < t->model.M; i++)
        *sum += (double)t->model.loss[i];
    *scored = (double)(rows * (t->model.T - t->config->eval_min_context));
    return STATUS_OK;
}

/* Batches count by their tokens: the last one may be short. */
static struct evaluation summarise(const double *sum, const double *scored, int64_t n)
{
    double total = 0, tokens = 0, squares = 0;
    for (int64_t i = 0; i < n; i++) {
        total += sum[i];
        tokens += scored[i];
    }
    double mean = total / tokens;
    for (int64_t i = 0; i < n; i++) {
        double residual = sum[i] - mean * scored[i];
        squares += residual * residual;
    }
    double variance = n > 1 ? squares * (double)n / (double)(n - 1) : 0;
    return (struct evaluation){mean, sqrt(variance) / tokens, (int64_t)tokens};
}

enum status trainer_evaluate(struct trainer *t, struct evaluation *e, struct err *err)
{
    int64_t n = t->eval_batches;
    int64_t all = loader_validation_batches(&t->validation_data);
    double *sum = t->eval_sum, *scored = t->eval_sum + n;
    enum status s = STATUS_OK;
    for (int64_t i = 0; i < n && s == STATUS_OK; i++)
        s = evaluate_batch(t, (int64_t)((double)i * (double)all / (double)n), &sum[i],
                           &scored[i], err);
    if (s == STATUS_OK && t->comm.size > 1)
        s = comm_allreduce_sum_f64(&t->comm, sum, (size_t)(2 * n), err);
    if (s != STATUS_OK)
        return s;
    *e = summarise(sum, scored, n);
    if (isfinite(e->loss))
        return STATUS_OK;
    return err_set(err, STATUS_FAILED,
                   "the validation loss is %g, training stops: use a smaller "
                   "learning_rate or more warmup_steps",
                   e->loss);
}
