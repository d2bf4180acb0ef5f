/*
 * Every gradient against central differences, in double, to a relative error of 1e-6.
 *
 * Central differences at steps h and h/2 are combined to cancel the h^2 term
 * (Richardson): the error is then O(h^4) of truncation and about 1e-16 / h of rounding.
 */
#include "cmocka_setup.h"
#include "model/gpt2.h"
#include "model/weight_init.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TOLERANCE = 1e-6;
static const double STEP = 2e-3;

struct fixture {
    struct engine engine;
    struct memory_plan plan;
    struct gpt2 model;
    int32_t *tokens, *targets; /* (B, T) */
    real *direction, *saved;   /* (params.total) */
};

static void setup(struct fixture *f, struct gpt2_shape shape, int64_t B)
{
    struct err err = ERR_INIT;
    assert_int_equal(sizeof(real), 8);
    assert_int_equal(engine_init(&f->engine, "reference", &err), STATUS_OK);
    assert_int_equal(gpt2_init(&f->model, &f->engine, &shape, B, &err), STATUS_OK);
    memory_plan_init(&f->plan);
    gpt2_plan(&f->model, &f->plan);
    memory_plan_add(&f->plan, (void **)&f->tokens, TENSOR_CLASS_DATA, "tokens",
                    f->model.M, sizeof(int32_t));
    memory_plan_add(&f->plan, (void **)&f->targets, TENSOR_CLASS_DATA, "targets",
                    f->model.M, sizeof(int32_t));
    memory_plan_add(&f->plan, (void **)&f->direction, TENSOR_CLASS_DATA, "direction",
                    f->model.params.total, sizeof(real));
    memory_plan_add(&f->plan, (void **)&f->saved, TENSOR_CLASS_DATA, "saved",
                    f->model.params.total, sizeof(real));
    assert_int_equal(memory_plan_allocate(&f->plan, &err), STATUS_OK);
    gpt2_bind(&f->model);
}

/* Weights far from their initialisation: biases that are 0 and scales that are 1 would
 * hide mistakes, and small weights would make attention nearly uniform. */
static void scatter_weights(struct gpt2 *m)
{
    gpt2_init_weights(m, 1);
    for (size_t i = 0; i < m->params.n; i++) {
        const struct param *p = &m->params.param[i];
        double spread = p->dims == 2 ? 0.6 / sqrt((double)p->shape[1]) : 0.3;
        for (int64_t k = 0; k < p->n; k++)
            m->param[p->offset + k] +=
                spread * weight_normal(2, (uint32_t)i, (uint64_t)k);
    }
}

static void make_batch(struct fixture *f)
{
    int64_t V = f->model.shape.vocab;
    for (int64_t i = 0; i < f->model.M; i++) {
        f->tokens[i] = (int32_t)((i * i * 5 + 3 * i) % V);
        f->targets[i] = (int32_t)((i * 11 + 4) % V);
    }
    f->targets[1] = -1; /* one that is not scored */
}

static void release(struct fixture *f)
{
    gpt2_release(&f->model);
    memory_plan_release(&f->plan);
}

static double loss(struct fixture *f)
{
    double sum = 0;
    gpt2_forward(&f->model, f->tokens, f->targets);
    for (int64_t i = 0; i < f->model.M; i++)
        sum += f->model.loss[i];
    return sum / (double)f->model.M;
}

static double loss_at(struct fixture *f, const struct param *p, double step)
{
    real *x = f->model.param + p->offset;
    const real *d = f->direction + p->offset, *saved = f->saved + p->offset;
    for (int64_t k = 0; k < p->n; k++)
        x[k] = saved[k] + step * d[k];
    double l = loss(f);
    memcpy(x, saved, (size_t)p->n * sizeof *x);
    return l;
}

/* The derivative of the loss along f->direction within one tensor. */
static double derivative(struct fixture *f, const struct param *p, double h)
{
    double wide = (loss_at(f, p, h) - loss_at(f, p, -h)) / (2 * h);
    double narrow = (loss_at(f, p, h / 2) - loss_at(f, p, -h / 2)) / h;
    return (4 * narrow - wide) / 3;
}

static double gradient_along(const struct fixture *f, const struct param *p)
{
    double sum = 0;
    for (int64_t k = 0; k < p->n; k++)
        sum += f->model.grad[p->offset + k] * f->direction[p->offset + k];
    return sum;
}

/* Errors are relative to the tensor's gradient as such a direction sees it on average
 * (the norm for ±1 in all places, the root mean square for one element), so that a
 * direction that happens to be flat is not asked for more digits than differences have.
 */
static void check(const struct fixture *f, const struct param *p, double found,
                  double typical, const char *what)
{
    double expected = gradient_along(f, p);
    double size = fmax(fabs(expected), typical);
    if (!(fabs(found - expected) <= TOLERANCE * size))
        fail_msg("%s %s: the gradient says %.12g, differences say %.12g (%.2g)", p->name,
                 what, expected, found, fabs(found - expected) / size);
}

static double norm(const struct fixture *f, const struct param *p)
{
    double squares = 0;
    for (int64_t k = 0; k < p->n; k++)
        squares += f->model.grad[p->offset + k] * f->model.grad[p->offset + k];
    return sqrt(squares);
}

static void check_directions(struct fixture *f, size_t row, int directions)
{
    const struct param *p = &f->model.params.param[row];
    double size = sqrt((double)p->n); /* of a ±1 direction */
    for (int round = 0; round < directions; round++) {
        for (int64_t k = 0; k < p->n; k++)
            f->direction[p->offset + k] =
                weight_normal((uint64_t)round + 9, (uint32_t)row, (uint64_t)k) < 0 ? -1
                                                                                   : 1;
        check(f, p, derivative(f, p, STEP / fmax(1, size / 8)), norm(f, p),
              "in a random direction");
    }
}

static void check_elements(struct fixture *f, size_t row, int64_t stride)
{
    const struct param *p = &f->model.params.param[row];
    double typical = norm(f, p) / sqrt((double)p->n);
    memset(f->direction + p->offset, 0, (size_t)p->n * sizeof *f->direction);
    for (int64_t k = 0; k < p->n; k += stride) {
        char what[32];
        snprintf(what, sizeof what, "at %lld", (long long)k);
        f->direction[p->offset + k] = 1;
        check(f, p, derivative(f, p, 4 * STEP), typical, what);
        f->direction[p->offset + k] = 0;
    }
}

static void compute_gradient(struct fixture *f)
{
    scatter_weights(&f->model);
    make_batch(f);
    memcpy(f->saved, f->model.param, (size_t)f->model.params.total * sizeof *f->saved);
    gpt2_forward(&f->model, f->tokens, f->targets);
    gpt2_backward(&f->model, f->tokens, f->targets, 1 / (real)f->model.M, false);
}

static void every_element(struct gpt2_shape shape, int64_t B)
{
    struct fixture f;
    setup(&f, shape, B);
    compute_gradient(&f);
    for (size_t i = 0; i < f.model.params.n; i++)
        check_elements(&f, i, 1);
    release(&f);
}

static void every_element_of_a_small_model_is_right(void **state)
{
    (void)state;
    engine_set_threads(1); /* too small to share */
    every_element((struct gpt2_shape){2, 3, 12, 7, 11, true}, 2);
}

static void every_element_is_right_without_biases(void **state)
{
    (void)state;
    engine_set_threads(1);
    every_element((struct gpt2_shape){1, 1, 5, 3, 4, false}, 1);
}

static void every_tensor_of_the_tiny_model_is_right(void **state)
{
    (void)state;
    struct fixture f;
    engine_set_threads(0);
    setup(&f, (struct gpt2_shape){4, 4, 128, 64, 65, true}, 1);
    compute_gradient(&f);
    for (size_t i = 0; i < f.model.params.n; i++) {
        int64_t n = f.model.params.param[i].n;
        check_directions(&f, i, 3);
        check_elements(&f, i, n / 3 + 1);
    }
    release(&f);
}

/* A wrong gradient must be noticed: one in a thousand off is. */
static void differences_notice_an_error_of_a_thousandth(void **state)
{
    (void)state;
    struct fixture f;
    engine_set_threads(1);
    setup(&f, (struct gpt2_shape){1, 1, 5, 3, 4, true}, 1);
    compute_gradient(&f);
    for (size_t i = 0; i < f.model.params.n; i++) {
        const struct param *p = &f.model.params.param[i];
        for (int64_t k = 0; k < p->n; k++)
            f.direction[p->offset + k] = f.model.grad[p->offset + k] < 0 ? -1 : 1;
        double found = derivative(&f, p, STEP), expected = gradient_along(&f, p);
        assert_true(fabs(found - expected) <= TOLERANCE * expected);
        assert_false(fabs(found - expected * 1.001) <= TOLERANCE * expected);
    }
    release(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_of_a_small_model_is_right),
        cmocka_unit_test(every_element_is_right_without_biases),
        cmocka_unit_test(every_tensor_of_the_tiny_model_is_right),
        cmocka_unit_test(differences_notice_an_error_of_a_thousandth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
