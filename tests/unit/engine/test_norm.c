/* LayerNorm and RMSNorm against their definitions, and their gradients against central
 * differences of these definitions. */
#include "kernel_fixture.h"

static const double EPSILON = 1e-5;

static const struct norm_case {
    bool rms, beta;
    int64_t M, C;
} CASES[] = {
    {false, true, 1, 1},   {false, true, 3, 5},   {false, false, 7, 33},
    {false, true, 4, 70},  {false, true, 2, 768}, {true, false, 1, 1},
    {true, false, 3, 5},   {true, false, 7, 33},  {true, false, 2, 768},
    {false, true, 19, 33}, {true, false, 19, 40},
};

struct norm_data {
    struct norm n;
    bool has_beta;
    struct tensor x, gamma, beta, dout;
    struct tensor out, hat, rstd, dx, dgamma, dbeta;
};

static const real *beta_of(const struct norm_data *d)
{
    return d->has_beta ? d->beta.r : NULL;
}

static struct norm_data norm_data(struct pool *pool, const struct engine *e,
                                  const struct norm_case *c)
{
    int64_t MC = c->M * c->C;
    return (struct norm_data){
        .n = {.rms = c->rms, .epsilon = EPSILON, .M = c->M, .C = c->C},
        .has_beta = c->beta,
        .x = tensor_random(pool, false, MC, 1),
        .gamma = tensor_random(pool, false, c->C, 2),
        .beta = tensor_random(pool, false, c->C, 3),
        .dout = tensor_random(pool, e->bf16, MC, 4),
        .out = tensor_empty(pool, e->bf16, MC),
        .hat = tensor_empty(pool, e->bf16, MC),
        .rstd = tensor_empty(pool, false, c->M),
        .dx = tensor_random(pool, false, MC, 5),
        .dgamma = tensor_random(pool, false, c->C, 6),
        .dbeta = tensor_random(pool, false, c->C, 7),
    };
}

/* What the mean of a row adds up. */
static double mean_terms(const double *x, const struct norm *n)
{
    double terms = 0;
    for (int64_t c = 0; c < n->C && !n->rms; c++)
        terms += fabs(x[c]) / (double)n->C;
    return terms;
}

/* Mean and 1 / scale of a row. */
static void row_facts(double *mean, double *rstd, const double *x, const struct norm *n)
{
    double sum = 0, squares = 0;
    for (int64_t c = 0; c < n->C; c++)
        sum += x[c];
    *mean = n->rms ? 0 : sum / (double)n->C;
    for (int64_t c = 0; c < n->C; c++)
        squares += (x[c] - *mean) * (x[c] - *mean);
    *rstd = 1 / sqrt(squares / (double)n->C + n->epsilon);
}

static void check_forward(const struct engine *e, const struct norm_case *c)
{
    struct pool pool = {.n = 0};
    struct norm_data d = norm_data(&pool, e, c);
    int64_t C = c->C, MC = c->M * C;
    struct sums hat = sums_new(&pool, MC), out = sums_new(&pool, MC);
    struct sums rstds = sums_new(&pool, c->M), again = sums_new(&pool, MC);
    for (int64_t m = 0; m < c->M; m++) {
        double mean, rstd, terms = mean_terms(d.x.x + m * C, &d.n);
        row_facts(&mean, &rstd, d.x.x + m * C, &d.n);
        sums_add(rstds, m, rstd);
        for (int64_t i = m * C; i < (m + 1) * C; i++) {
            sums_add(hat, i, d.x.x[i] * rstd);
            sums_add_sized(hat, i, -mean * rstd, terms * rstd);
            sums_add(out, i, d.gamma.x[i % C] * d.x.x[i] * rstd);
            sums_add_sized(out, i, -d.gamma.x[i % C] * mean * rstd,
                           fabs(d.gamma.x[i % C]) * terms * rstd);
            sums_add(out, i, c->beta ? d.beta.x[i % C] : 0);
        }
    }
    op_norm_forward(e, &d.n, d.out.a, d.hat.a, d.rstd.r, d.x.r, d.gamma.r, beta_of(&d));
    assert_sums(&d.rstd, rstds);
    assert_sums(&d.hat, hat);
    assert_sums(&d.out, out);
    for (int64_t i = 0; i < MC; i++) {
        sums_add(again, i, d.gamma.x[i % C] * d.hat.x[i]);
        sums_add(again, i, c->beta ? d.beta.x[i % C] : 0);
    }
    tensor_poison(&d.out);
    op_norm_apply(e, &d.n, d.out.a, d.hat.a, d.gamma.r, beta_of(&d));
    assert_sums(&d.out, again);
    pool_release(&pool);
}

static void forward_is_the_definition(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        for (size_t i = 0; i < COUNT(CASES); i++)
            check_forward(&e, &CASES[i]);
    }
}

/* dout . out of a row, as a function of x, in double. */
static double objective(const struct norm_data *d, const double *x, const double *dout)
{
    double mean, rstd, sum = 0;
    row_facts(&mean, &rstd, x, &d->n);
    for (int64_t c = 0; c < d->n.C; c++)
        sum += dout[c] * (d->gamma.x[c] * (x[c] - mean) * rstd + d->beta.x[c]);
    return sum;
}

/* By central differences; h is chosen so that truncation and rounding are below 1e-7 of
 * the terms. */
static void gradient_of_x(struct sums dx, struct norm_data *d)
{
    const double h = 1e-4;
    for (int64_t i = 0; i < d->x.n; i++) {
        int64_t row = i / d->n.C * d->n.C;
        double *x = d->x.x + row, mean, rstd, saved = d->x.x[i];
        const double *dout = d->dout.x + row;
        row_facts(&mean, &rstd, x, &d->n);
        d->x.x[i] = saved + h;
        double above = objective(d, x, dout);
        d->x.x[i] = saved - h;
        double below = objective(d, x, dout);
        d->x.x[i] = saved;
        dx.value[i] += (above - below) / (2 * h);
        for (int64_t c = 0; c < d->n.C; c++)
            dx.size[i] += fabs(rstd * d->gamma.x[c] * dout[c]) * (c == i - row ? 2 : 1);
    }
}

static void check_backward(const struct engine *e, const struct norm_case *c,
                           bool accumulate_dx, bool accumulate)
{
    struct pool pool = {.n = 0};
    struct norm_data d = norm_data(&pool, e, c);
    int64_t C = c->C;
    struct sums dx = sums_new(&pool, d.x.n);
    struct sums dgamma = sums_new(&pool, C), dbeta = sums_new(&pool, C);
    for (int64_t i = 0; i < d.x.n && accumulate_dx; i++)
        sums_add(dx, i, d.dx.x[i]);
    for (int64_t i = 0; i < C && accumulate; i++) {
        sums_add(dgamma, i, d.dgamma.x[i]);
        sums_add(dbeta, i, d.dbeta.x[i]);
    }
    if (!accumulate_dx)
        tensor_poison(&d.dx);
    if (!accumulate)
        tensor_poison(&d.dgamma);
    op_norm_forward(e, &d.n, d.out.a, d.hat.a, d.rstd.r, d.x.r, d.gamma.r, beta_of(&d));
    tensor_read(&d.hat);
    for (int64_t i = 0; i < d.x.n; i++) {
        sums_add(dgamma, i % C, d.dout.x[i] * d.hat.x[i]);
        sums_add(dbeta, i % C, d.dout.x[i]);
    }
    gradient_of_x(dx, &d);
    op_norm_backward(e, &d.n, d.dx.r, d.dgamma.r, c->beta ? d.dbeta.r : NULL, d.dout.a,
                     d.hat.a, d.gamma.r, d.rstd.r, accumulate_dx, accumulate);
    assert_sums_of_acts(e, &d.dx, dx); /* hat was stored */
    assert_sums(&d.dgamma, dgamma);
    if (c->beta)
        assert_sums(&d.dbeta, dbeta);
    pool_release(&pool);
}

static void gradients_are_what_differences_say(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        for (size_t i = 0; i < COUNT(CASES); i++)
            if (CASES[i].C > 1) /* a single number has no gradient, and a steep scale */
                for (int accumulate = 0; accumulate < 4; accumulate++)
                    check_backward(&e, &CASES[i], accumulate & 1, accumulate & 2);
    }
}

static void no_bit_depends_on_the_number_of_threads(void **state)
{
    (void)state;
    struct engine e;
    for (size_t kind = 0; loops_engine(&e, &kind);) {
        for (size_t i = 0; i < COUNT(CASES); i++) {
            struct pool pool = {.n = 0};
            struct norm_data d = norm_data(&pool, &e, &CASES[i]);
            struct norm *n = &d.n;
#define RUN()                                                                            \
    op_norm_forward(&e, n, d.out.a, d.hat.a, d.rstd.r, d.x.r, d.gamma.r, beta_of(&d)),   \
        op_norm_backward(&e, n, d.dx.r, d.dgamma.r, d.dbeta.r, d.dout.a, d.hat.a,        \
                         d.gamma.r, d.rstd.r, false, false)
            assert_same_for_any_threads(&d.out, RUN());
            assert_same_for_any_threads(&d.hat, RUN());
            assert_same_for_any_threads(&d.dx, RUN());
            assert_same_for_any_threads(&d.dgamma, RUN());
            assert_same_for_any_threads(&d.dbeta, RUN());
            pool_release(&pool);
        }
    }
}

/* Rows far from 0 and rows of one number repeated: the mean goes first, so nothing is
 * lost; and the scale stays finite. */
static void a_constant_row_is_normalised_to_zero(void **state)
{
    (void)state;
    struct pool pool = {.n = 0};
    struct engine e = engine_of("reference", "f32", "plain");
    struct norm_data d = norm_data(&pool, &e, &(struct norm_case){false, true, 2, 8});
    for (int64_t i = 0; i < 16; i++)
        d.x.r[i] = i < 8 ? 4096 : 0;
    op_norm_forward(&e, &d.n, d.out.a, d.hat.a, d.rstd.r, d.x.r, d.gamma.r, d.beta.r);
    for (int64_t i = 0; i < 16; i++) {
        assert_true(d.hat.r[i] == 0);
        assert_true(d.out.r[i] == d.beta.r[i % 8]);
    }
    pool_release(&pool);
}

static void a_nan_spoils_its_row_and_no_other(void **state)
{
    (void)state;
    struct pool pool = {.n = 0};
    struct engine e = engine_of("reference", "bf16", "plain");
    struct norm_data d = norm_data(&pool, &e, &(struct norm_case){true, false, 3, 5});
    d.x.r[7] = NAN;
    op_norm_forward(&e, &d.n, d.out.a, d.hat.a, d.rstd.r, d.x.r, d.gamma.r, NULL);
    tensor_read(&d.out);
    for (int64_t i = 0; i < 15; i++)
        assert_int_equal(isnan(d.out.x[i]) != 0, i / 5 == 1);
    pool_release(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_is_the_definition),
        cmocka_unit_test(gradients_are_what_differences_say),
        cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
        cmocka_unit_test(a_constant_row_is_normalised_to_zero),
        cmocka_unit_test(a_nan_spoils_its_row_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
