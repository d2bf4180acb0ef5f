#ifdef GAIT_TRAIN
#include "verify/same_model.h"

#include "base/mem.h"
#include "engine/bf16.h"
#include "model/head.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number's gradient tells where it is this part of the typical gradient of the model:
 * below, it is the rest of sums that cancel, and AdamW makes steps of full length out of
 * its sign. */
static const double TELLING_GRADIENT = 1e-4;

/* All parameters, one after the other in the order of the first one's table. */
struct copy {
    double *value; /* (count) */
    int64_t count;
};

static const struct param_table *table_of(const struct trainer *t)
{
    return &t->model.params.table;
}

/* --- can they be compared? --- */

static bool same_parameters(const struct trainer *a, const struct trainer *b, char *why,
                            size_t room)
{
    const struct param_table *x = table_of(a), *y = table_of(b);
    for (size_t i = 0; i < x->n; i++) {
        const struct param *p = &x->param[i], *q = param_table_find(y, p->name);
        if (q && q->n == p->n)
            continue;
        snprintf(why, room, "the two are different models: %s %s", p->name,
                 q ? "has another size" : "is in the first alone");
        return false;
    }
    if (x->n != y->n)
        snprintf(why, room, "the two are different models: %zu parameters and %zu", x->n,
                 y->n);
    return x->n == y->n;
}

static bool same_data(const struct config *a, const struct config *b, char *why,
                      size_t room)
{
    if (a->batch_size != b->batch_size || a->context != b->context)
        snprintf(
            why, room,
            "a step of the first is %lld sequences of %lld tokens, of the second %lld "
            "of %lld",
            (long long)a->batch_size, (long long)a->context, (long long)b->batch_size,
            (long long)b->context);
    else if (strcmp(a->dataset, b->dataset) != 0 || a->seed != b->seed)
        snprintf(why, room, "they see other data: dataset or seed differ");
    else if (a->dropout != b->dropout)
        snprintf(why, room, "they drop out differently");
    return !*why;
}

/* --- copies of the numbers --- */

static void read_weights(struct copy *c, const struct trainer *t,
                         const struct param_table *order)
{
    int64_t at = 0;
    for (size_t i = 0; i < order->n; i++) {
        const struct param *p = param_table_find(table_of(t), order->param[i].name);
        real *value = mem_alloc((size_t)p->n * sizeof *value);
        param_store_get(&t->model.store, p, 0, p->n, value);
        for (int64_t k = 0; k < p->n; k++)
            c->value[at++] = (double)value[k];
        mem_free(value);
    }
}

static void read_gradients(struct copy *c, const struct trainer *t,
                           const struct param_table *order)
{
    int64_t at = 0;
    for (size_t i = 0; i < order->n; i++) {
        const struct param *p = param_table_find(table_of(t), order->param[i].name);
        for (int64_t k = 0; k < p->n; k++)
            c->value[at++] = (double)t->model.grad[p->offset + k];
    }
}

static struct copy copy_new(const struct param_table *order)
{
    return (struct copy){mem_alloc((size_t)order->count * sizeof(double)), order->count};
}

/* The second gets the first's weights; true where they differed. */
static bool give_weights(const struct trainer *from, struct trainer *to)
{
    bool differed = false;
    const struct param_table *order = table_of(from);
    for (size_t i = 0; i < order->n; i++) {
        const struct param *p = &order->param[i],
                           *q = param_table_find(table_of(to), p->name);
        size_t bytes = (size_t)p->n * sizeof(real);
        real *value = mem_alloc(bytes), *own = mem_alloc(bytes);
        param_store_get(&from->model.store, p, 0, p->n, value);
        param_store_get(&to->model.store, q, 0, q->n, own);
        differed |= memcmp(value, own, bytes) != 0;
        param_store_put(&to->model.store, q, 0, q->n, value);
        mem_free(value);
        mem_free(own);
    }
    return differed;
}

/* --- comparing --- */

static double relative(double difference_2, double size_2)
{
    if (!isfinite(difference_2) || !isfinite(size_2))
        return INFINITY;
    return difference_2 == 0 ? 0 : size_2 > 0 ? sqrt(difference_2 / size_2) : INFINITY;
}

static void keep_worst(struct same_worst *w, double error, const char *name)
{
    if (!(error > w->error) && *w->name)
        return;
    w->error = error;
    snprintf(w->name, sizeof w->name, "%s", name);
}

/* tells (count, or NULL): which numbers count. Returns how many parameters have none.
 * least: no number counts as smaller than this in the size. */
static size_t compare_all(struct same_worst *w, const struct copy *a,
                          const struct copy *b, const struct param_table *order,
                          const uint8_t *tells, double least)
{
    size_t untold = 0;
    int64_t at = 0;
    *w = (struct same_worst){0};
    for (size_t i = 0; i < order->n; i++) {
        double difference_2 = 0, size_2 = 0;
        bool any = false;
        for (int64_t k = 0; k < order->param[i].n; k++, at++) {
            if (tells && !tells[at])
                continue;
            double d = b->value[at] - a->value[at];
            difference_2 += d * d;
            size_2 += fmax(a->value[at] * a->value[at], least * least);
            any = true;
        }
        untold += !any;
        if (any)
            keep_worst(w, relative(difference_2, size_2), order->param[i].name);
    }
    return untold;
}

/* Of the typical gradient: the root of the mean square over all numbers. */
static double least_telling(const struct copy *gradient)
{
    double square = 0;
    for (int64_t i = 0; i < gradient->count; i++)
        square += gradient->value[i] * gradient->value[i];
    return TELLING_GRADIENT * sqrt(square / (double)gradient->count);
}

static uint8_t *telling(const struct copy *gradient)
{
    double least = least_telling(gradient);
    uint8_t *tells = mem_alloc((size_t)gradient->count + 1);
    for (int64_t i = 0; i < gradient->count; i++)
        tells[i] = fabs(gradient->value[i]) > least;
    return tells;
}

/* What each moved by, in place of where it is. */
static void subtract(struct copy *c, const struct copy *from)
{
    for (int64_t i = 0; i < c->count; i++)
        c->value[i] -= from->value[i];
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static double logit(const struct trainer *t, int64_t i)
{
    if (t->engine.act_bytes == sizeof(bf16))
        return (double)bf16_to_float(((const bf16 *)(const void *)t->model.logits)[i]);
    return (double)((const real *)(const void *)t->model.logits)[i];
}

static enum status forward_validation(struct trainer *t, struct err *err)
{
    int64_t rows;
    engine_set_threads(t->threads);
    enum status s =
        loader_validation(&t->validation_data, 0, &rows, t->inputs, t->targets, err);
    if (s == STATUS_OK)
        body_forward(&t->model, &(struct model_batch){t->inputs, t->targets, -1});
    return s;
}

static void head_of(struct trainer *t, int64_t piece)
{
    engine_set_threads(t->threads);
    head_forward(&t->model, &(struct model_batch){t->inputs, t->targets, -1}, piece);
}

/* Micro-batches of both may have other sizes, and heads other pieces: rows that both have,
 * piece by piece where pieces are alike, else those of the first piece. */
static enum status compare_logits(struct same_model *out, struct trainer *a,
                                  struct trainer *b, struct err *err)
{
    enum status s = forward_validation(a, err);
    if (s == STATUS_OK)
        s = forward_validation(b, err);
    int64_t rows = least(a->model.head_rows, b->model.head_rows);
    bool alike = a->model.head_rows == b->model.head_rows;
    int64_t pieces = alike ? least(a->model.head_pieces, b->model.head_pieces) : 1;
    double difference_2 = 0, size_2 = 0;
    for (int64_t piece = 0; s == STATUS_OK && piece < pieces; piece++) {
        head_of(a, piece);
        head_of(b, piece);
        for (int64_t i = 0; i < rows * a->model.shape.vocab; i++) {
            double x = logit(a, i), d = logit(b, i) - x;
            difference_2 += d * d;
            size_2 += x * x;
        }
    }
    out->logits = relative(difference_2, size_2);
    return s;
}

static void keep_loss(struct same_model *out, const struct step_report r[2], int64_t step)
{
    double difference = fabs(r[1].loss - r[0].loss);
    if (isnan(difference))
        difference = INFINITY;
    if (difference <= out->loss)
        return;
    out->loss = difference;
    out->loss_step = step;
}

static enum status step_both(struct same_model *out, struct trainer *t[2], int64_t step,
                             struct err *err)
{
    struct step_report r[2];
    for (int side = 0; side < 2; side++) {
        engine_set_threads(t[side]->threads);
        enum status s = trainer_step(t[side], step, &r[side], err);
        if (s != STATUS_OK)
            return s;
    }
    keep_loss(out, r, step);
    return STATUS_OK;
}

static enum status compare_steps(struct same_model *out, struct trainer *t[2],
                                 int64_t steps, struct err *err)
{
    const struct param_table *order = table_of(t[0]);
    struct copy start = copy_new(order), a = copy_new(order), b = copy_new(order);
    uint8_t *tells = NULL;
    read_weights(&start, t[0], order);
    enum status s = step_both(out, t, 0, err);
    if (s == STATUS_OK) {
        read_gradients(&a, t[0], order);
        read_gradients(&b, t[1], order);
        compare_all(&out->gradient, &a, &b, order, NULL, least_telling(&a));
        tells = telling(&a);
    }
    for (int64_t i = 1; i < steps && s == STATUS_OK; i++)
        s = step_both(out, t, i, err);
    if (s == STATUS_OK) {
        read_weights(&a, t[0], order);
        read_weights(&b, t[1], order);
        subtract(&a, &start);
        subtract(&b, &start);
        out->untold = compare_all(&out->movement, &a, &b, order, tells, 0);
    }
    mem_free(tells);
    mem_free(start.value);
    mem_free(a.value);
    mem_free(b.value);
    return s;
}

enum status same_model_compare(struct same_model *out, struct trainer *before,
                               struct trainer *after, int64_t steps, struct err *err)
{
    struct trainer *t[2] = {before, after};
    *out = (struct same_model){.steps = steps, .parameters = table_of(before)->n};
    if (!same_parameters(before, after, out->not_comparable,
                         sizeof out->not_comparable) ||
        !same_data(before->config, after->config, out->not_comparable,
                   sizeof out->not_comparable))
        return STATUS_OK;
    out->other_weights = give_weights(before, after);
    enum status s = compare_logits(out, before, after, err);
    return s == STATUS_OK ? compare_steps(out, t, steps, err) : s;
}

#endif
