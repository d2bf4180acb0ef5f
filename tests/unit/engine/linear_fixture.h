/* A linear's four products by their definition, for any engine. */
#ifndef GAIT_TESTS_LINEAR_FIXTURE_H
#define GAIT_TESTS_LINEAR_FIXTURE_H

#include "kernel_fixture.h"

struct linear_case {
    int64_t M, N, K;
    int n_parts;
    int64_t part[LINEAR_PARTS_MAX];
};

/* Sizes that no block of a kernel divides, one row, one column, whole blocks; fused and
 * in parts. */
static const struct linear_case LINEAR_CASES[] = {
    {1, 1, 1, 1, {1}},
    {3, 5, 7, 1, {5}},
    {2, 1, 300, 1, {1}},
    {17, 33, 129, 1, {33}},
    {130, 65, 97, 1, {65}},
    {64, 96, 128, 1, {96}},
    {1, 3, 1, 3, {1, 1, 1}},
    {9, 30, 31, 2, {15, 15}},
    {13, 67, 17, 3, {33, 17, 17}},
    {64, 192, 64, 3, {64, 64, 64}},
    {3, 9001, 5, 1, {9001}}, /* the depth of dx is cut (onednn_product.c) */
};

/* The operands of all four products, and what they must be. */
struct linear_data {
    struct tensor x, w, b, dy; /* read */
    struct tensor y, dx, dw, db;
    struct sums want_y, want_dx, want_dw, want_db;
};

static inline struct linear_data linear_data(struct pool *pool, const struct engine *e,
                                             const struct linear *l)
{
    int64_t M = l->M, N = l->N, K = l->K;
    struct linear_data d = {
        .x = tensor_random(pool, e->bf16, M * K, 1),
        .w = tensor_random(pool, e->bf16, N * K, 2),
        .b = tensor_random(pool, false, N, 3),
        .dy = tensor_random(pool, e->bf16, M * N, 4),
        .y = tensor_empty(pool, e->bf16, M * N),
        .dx = tensor_empty(pool, e->bf16, M * K),
        .dw = tensor_empty(pool, false, N * K),
        .db = tensor_empty(pool, false, N),
        .want_y = sums_new(pool, M * N),
        .want_dx = sums_new(pool, M * K),
        .want_dw = sums_new(pool, N * K),
        .want_db = sums_new(pool, N),
    };
    for (int64_t m = 0; m < M; m++) {
        for (int64_t n = 0; n < N; n++) {
            double dy = d.dy.x[m * N + n];
            sums_add(d.want_y, m * N + n, l->has_bias ? d.b.x[n] : 0);
            sums_add(d.want_db, n, dy);
            for (int64_t k = 0; k < K; k++) {
                sums_add(d.want_y, m * N + n, d.x.x[m * K + k] * d.w.x[n * K + k]);
                sums_add(d.want_dx, m * K + k, dy * d.w.x[n * K + k]);
                sums_add(d.want_dw, n * K + k, dy * d.x.x[m * K + k]);
            }
        }
    }
    return d;
}

static inline struct linear linear_of(struct pool *pool, const struct engine *e,
                                      const struct linear_case *c, bool has_bias)
{
    struct err err = ERR_INIT;
    struct linear l = {.M = c->M,
                       .N = c->N,
                       .K = c->K,
                       .n_parts = c->n_parts,
                       .has_bias = has_bias,
                       .names = LINEAR_NAMES("test")};
    memcpy(l.part, c->part, sizeof l.part);
    assert_int_equal(linear_open(e, &l, &err), STATUS_OK);
    l.workspace = pool_take(pool, l.workspace_bytes);
    return l;
}

/* The weights' gradient once, then added to itself. */
static inline void check_weight_gradient(const struct engine *e, const struct linear *l,
                                         struct linear_data *d)
{
    op_linear_backward_weight(e, l, d->dw.r, d->db.r, d->dy.a, d->x.a, false);
    assert_sums(&d->dw, d->want_dw);
    assert_sums(&d->db, d->want_db);
    op_linear_backward_weight(e, l, d->dw.r, d->db.r, d->dy.a, d->x.a, true);
    for (int64_t i = 0; i < d->dw.n; i++)
        sums_add(d->want_dw, i, d->want_dw.value[i]);
    for (int64_t i = 0; i < d->db.n; i++)
        sums_add(d->want_db, i, d->want_db.value[i]);
    assert_sums(&d->dw, d->want_dw);
    assert_sums(&d->db, d->want_db);
}

/* dx of a linear in parts may be stored after each part: a rounding for each, of at most
 * three. */
static inline void check_linear(const struct engine *e, const struct linear_case *c,
                                bool has_bias)
{
    struct pool pool = {.n = 0};
    struct linear l = linear_of(&pool, e, c, has_bias);
    struct linear_data d = linear_data(&pool, e, &l);
    op_linear_forward(e, &l, d.y.a, d.x.a, d.w.a, has_bias ? d.b.r : NULL);
    assert_sums(&d.y, d.want_y);
    op_linear_backward_input(e, &l, d.dx.a, d.dy.a, d.w.a);
    if (c->n_parts == 1)
        assert_sums(&d.dx, d.want_dx);
    else
        assert_sums_of_acts(e, &d.dx, d.want_dx);
    check_weight_gradient(e, &l, &d);
    linear_close(e, &l);
    pool_release(&pool);
}

#endif
