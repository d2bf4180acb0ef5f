/*
 * AdamW and SGD against their formulas in double, over several steps with rates and
 * scales that change.
 *
 * How far a number may be off: each step rounds a number of f32 three times (2^-24 of
 * it), and its change, of some roundings, is as large as the rate times a few.
 */
#include "optimizer_fixture.h"

enum { STEPS = 25 };

static double rate_at(int64_t t)
{
    return 0.01 / (double)t;
}

static double scale_at(int64_t t)
{
    return t % 3 == 0 ? 0.25 : 1;
}

/* A number and its moments. */
struct exact {
    double p, m, v;
};

static void adamw_exactly(struct exact *x, const struct optimizer *o, double g,
                          bool decay, int64_t t)
{
    double rate = rate_at(t);
    g *= scale_at(t);
    x->m = o->beta1 * x->m + (1 - o->beta1) * g;
    x->v = o->beta2 * x->v + (1 - o->beta2) * g * g;
    double m = x->m / (1 - pow(o->beta1, (double)t));
    double v = x->v / (1 - pow(o->beta2, (double)t));
    x->p -= rate * (m / (sqrt(v) + o->epsilon) + (decay ? o->weight_decay * x->p : 0));
}

static void sgd_exactly(struct exact *x, const struct optimizer *o, double g, bool decay,
                        int64_t t)
{
    x->m = o->momentum * x->m + g * scale_at(t) + (decay ? o->weight_decay * x->p : 0);
    x->p -= rate_at(t) * x->m;
}

typedef void (*formula)(struct exact *x, const struct optimizer *o, double g, bool decay,
                        int64_t t);

static void check_number(const struct moved *m, const struct param *p, int64_t k,
                         formula step)
{
    int64_t at = p->offset + k;
    struct exact x = {.p = (double)(real)scatter(0, at)};
    double moved = 0;
    for (int64_t t = 1; t <= STEPS; t++) {
        double before = x.p;
        step(&x, &m->optimizer, (double)(real)scatter((uint64_t)t, at), p->dims == 2, t);
        moved += fabs(x.p - before);
    }
    double got = (double)moved_number(m, p, k);
    double allowed = 3 * STEPS * 0x1p-24 * (fabs(x.p) + moved) + 16 * 0x1p-24 * moved;
    if (!(fabs(got - x.p) <= allowed))
        fail_msg("%s[%lld] is %.9g after %d steps, the formula says %.9g", p->name,
                 (long long)k, got, STEPS, x.p);
    assert_true(fabs((double)m->optimizer.m[at] - x.m) <= 16 * 0x1p-24 * 10);
    if (m->optimizer.v)
        assert_true(fabs((double)m->optimizer.v[at] - x.v) <= 16 * 0x1p-24);
}

static void check_formula(struct optimizer o, bool split, formula step)
{
    struct moved m;
    moved_open(&m, o, split);
    for (int64_t t = 1; t <= STEPS; t++) {
        moved_set_grad(&m, t, 1);
        moved_step(&m, t, rate_at(t), scale_at(t));
    }
    for (size_t i = 0; i < m.table.n; i++)
        for (int64_t k = 0; k < m.table.param[i].n; k++)
            check_number(&m, &m.table.param[i], k, step);
    moved_close(&m);
}

static void adamw_takes_the_steps_of_its_formula(void **state)
{
    (void)state;
    struct optimizer without_decay = ADAMW;
    without_decay.weight_decay = 0;
    engine_set_threads(2);
    for (int split = 0; split < 2; split++) {
        check_formula(ADAMW, split, adamw_exactly);
        check_formula(without_decay, split, adamw_exactly);
    }
}

static void sgd_takes_the_steps_of_its_formula(void **state)
{
    (void)state;
    struct optimizer plain = SGD;
    plain.momentum = 0;
    engine_set_threads(2);
    for (int split = 0; split < 2; split++) {
        check_formula(SGD, split, sgd_exactly);
        check_formula(plain, split, sgd_exactly);
    }
}

/* Step 1 by hand: both moments, corrected, are g and g^2, so AdamW's change is the rate
 * times the gradient's sign; a matrix decays by rate * 0.1 of itself besides. */
static void the_first_step_of_adamw_is_the_rate(void **state)
{
    (void)state;
    struct moved m;
    moved_open(&m, ADAMW, false);
    moved_set_grad(&m, 1, 1);
    moved_step(&m, 1, 0.01, 1);
    for (size_t i = 0; i < m.table.n; i++) {
        const struct param *p = &m.table.param[i];
        for (int64_t k = 0; k < p->n; k++) {
            double x = scatter(0, p->offset + k), g = m.grad[p->offset + k];
            double want = x - (g > 0 ? 0.01 : -0.01) - (p->dims == 2 ? 0.001 * x : 0);
            if (fabs(g) > 1e-3) /* epsilon does not count */
                assert_true(fabs((double)moved_number(&m, p, k) - want) < 1e-6);
        }
    }
    moved_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adamw_takes_the_steps_of_its_formula),
        cmocka_unit_test(sgd_takes_the_steps_of_its_formula),
        cmocka_unit_test(the_first_step_of_adamw_is_the_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
