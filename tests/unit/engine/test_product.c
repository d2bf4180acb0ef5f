/* Every micro-kernel that this machine has, and AMX's on tiles in plain C, against plain
 * loops: odd sizes, all orders of the operands, one and more threads, pieces of depth. */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "engine/bf16.h"
#include "engine/own_product.h"
#include "engine/thin_product.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct product_kernel *const kernels[] = {
    &kernel_amx, &kernel_amx_stand_in, &kernel_avx512, &kernel_avx2, &kernel_plain};

static uint64_t random_state = 1;

static float random_number(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (float)(random_state >> 40) / (float)(1 << 24) - 0.5f;
}

static size_t number_bytes(struct matrix_layout m)
{
    return m.bf16 ? sizeof(bf16) : sizeof(float);
}

static int64_t extent(struct matrix_layout m, int64_t rows, int64_t columns)
{
    return (rows - 1) * m.row_stride + (columns - 1) * m.column_stride + 1;
}

static void *filled(struct matrix_layout m, int64_t rows, int64_t columns)
{
    int64_t n = extent(m, rows, columns);
    char *numbers = mem_alloc((size_t)n * number_bytes(m));
    for (int64_t i = 0; i < n; i++) {
        float x = random_number();
        bf16 half = bf16_from_float(x);
        memcpy(numbers + (size_t)i * number_bytes(m), m.bf16 ? (void *)&half : (void *)&x,
               number_bytes(m));
    }
    return numbers;
}

static double get(const void *numbers, struct matrix_layout m, int64_t row,
                  int64_t column)
{
    int64_t at = row * m.row_stride + column * m.column_stride;
    return m.bf16 ? (double)bf16_to_float(((const bf16 *)numbers)[at])
                  : (double)((const float *)numbers)[at];
}

struct operands {
    void *a, *b, *before, *c;
    float *bias;
    size_t c_bytes;
};

static struct operands make(const struct product_shape *s)
{
    struct operands o = {.a = filled(s->a, s->rows, s->depth),
                         .b = filled(s->b, s->depth, s->columns),
                         .before = filled(s->c, s->rows, s->columns)};
    struct matrix_layout one = {s->columns, 1, false};
    o.c_bytes = (size_t)extent(s->c, s->rows, s->columns) * number_bytes(s->c);
    o.c = mem_alloc(o.c_bytes);
    o.bias = filled(one, 1, s->columns);
    return o;
}

static void release(struct operands *o)
{
    mem_free(o->a);
    mem_free(o->b);
    mem_free(o->before);
    mem_free(o->c);
    mem_free(o->bias);
}

static double expected(const struct product_shape *s, const struct operands *o,
                       int64_t row, int64_t column)
{
    double sum = s->accumulate ? get(o->before, s->c, row, column) : 0;
    for (int64_t k = 0; k < s->depth; k++)
        sum += get(o->a, s->a, row, k) * get(o->b, s->b, k, column);
    return s->bias ? sum + (double)o->bias[column] : sum;
}

static void run(const struct product_shape *s, const struct product_kernel *k,
                struct operands *o, int threads)
{
    struct own_product p;
    omp_set_num_threads(threads);
    own_product_open(&p, s, k, threads);
    char *workspace = malloc(p.workspace_bytes + 64);
    assert_non_null(workspace);
    memset(workspace, 0xff, p.workspace_bytes); /* NaN: what is not written shows */
    memset(workspace + p.workspace_bytes, 0x5a, 64);
    memcpy(o->c, o->before, o->c_bytes);
    own_product_run(&p, workspace, o->c, o->a, o->b, s->bias ? o->bias : NULL);
    for (int i = 0; i < 64; i++)
        assert_int_equal(workspace[p.workspace_bytes + (size_t)i], 0x5a);
    free(workspace);
}

static void compare(const struct product_shape *s, const struct product_kernel *k,
                    const struct operands *o)
{
    double sure = (s->c.bf16 ? 1.0 / 128 : 0) + 1e-6 * sqrt((double)s->depth);
    for (int64_t i = 0; i < s->rows; i++)
        for (int64_t j = 0; j < s->columns; j++) {
            double right = expected(s, o, i, j), is = get(o->c, s->c, i, j);
            if (fabs(is - right) <= sure * (fabs(right) + 1))
                continue;
            fail_msg("%s %lldx%lldx%lld at %lld, %lld: %g instead of %g", k->name,
                     (long long)s->rows, (long long)s->columns, (long long)s->depth,
                     (long long)i, (long long)j, is, right);
        }
}

/* What lies between the rows of C is another's. */
static void check_untouched(const struct product_shape *s, const struct operands *o)
{
    const char *before = o->before, *c = o->c;
    size_t bytes = number_bytes(s->c);
    for (int64_t i = 0; i + 1 < s->rows; i++) {
        size_t from = (size_t)(i * s->c.row_stride + s->columns) * bytes;
        size_t to = (size_t)((i + 1) * s->c.row_stride) * bytes;
        assert_memory_equal(c + from, before + from, to - from);
    }
}

static void check(const struct product_shape *s, const struct product_kernel *k)
{
    struct operands o = make(s);
    run(s, k, &o, 1);
    compare(s, k, &o);
    check_untouched(s, &o);
    void *one = mem_alloc(o.c_bytes);
    memcpy(one, o.c, o.c_bytes);
    run(s, k, &o, 3);
    assert_memory_equal(o.c, one, o.c_bytes);
    mem_free(one);
    release(&o);
}

/* The three products of a linear, as product_linear.c describes them; y has columns of
 * other parts beside it. */
static void check_linear(const struct product_kernel *k, int64_t M, int64_t N, int64_t K,
                         bool half)
{
    const int64_t wide = N + 5;
    const struct matrix_layout x = {K, 1, half}, y = {wide, 1, half};
    const struct matrix_layout w_transposed = {1, K, half},
                               y_transposed = {1, wide, half};
    const struct matrix_layout dw = {K, 1, false};
    const struct product_shape shape[] = {
        {M, N, K, x, w_transposed, y, true, false, 0},
        {M, N, K, x, w_transposed, y, false, false, 0},
        {M, K, N, y, x, x, false, false, 0},
        {M, K, N, y, x, x, false, true, 0},
        {N, K, M, y_transposed, x, dw, false, false, 0},
        {N, K, M, y_transposed, x, dw, false, true, 0},
    };
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        check(&shape[i], k);
}

static bool can(const struct product_kernel *k, bool half)
{
    return k->is_there() && (half || !k->only_bf16);
}

static void kernels_are_the_matrix_product(void **state)
{
    (void)state;
    static const int64_t size[][3] = {{1, 1, 1},     {16, 32, 32},  {17, 33, 31},
                                      {48, 64, 96},  {5, 67, 130},  {61, 7, 45},
                                      {33, 100, 64}, {33, 32, 1024}};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!kernels[k]->is_there())
            print_message("%s: this machine has none, not tested\n", kernels[k]->name);
        for (int half = 0; half < 2; half++)
            for (size_t i = 0; can(kernels[k], half) && i < sizeof size / sizeof *size;
                 i++)
                check_linear(kernels[k], size[i][0], size[i][1], size[i][2], half);
    }
}

/* Deeper than one sum, wider than one block of rows. */
static void pieces_add_up(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int half = 0; half < 2; half++)
            if (can(kernels[k], half)) {
                check_linear(kernels[k], 3, 2 * PRODUCT_DEPTH_MAX + 77, 9, half);
                check_linear(kernels[k], 5, 9, 2 * PRODUCT_DEPTH_MAX + 77, half);
                check_linear(kernels[k], 1100, 34, 40, half);
                check_linear(kernels[k], PRODUCT_DEPTH_MAX + 100, 18, 33, half);
            }
}

static void check_thin(int64_t rows, int64_t columns, int64_t depth, bool half, bool bias)
{
    static const struct product_kernel thin = {.name = "thin"};
    const struct matrix_layout a = {depth + 3, 1, half}, b = {1, depth, half};
    const struct matrix_layout c = {columns + 5, 1, half};
    const struct product_shape s = {rows, columns, depth, a, b, c, bias, false, 0};
    struct operands o = make(&s);
    void *one = mem_alloc(o.c_bytes);
    assert_true(thin_product_suits(&s));
    for (int threads = 1; threads <= 3; threads += 2) {
        omp_set_num_threads(threads);
        memcpy(o.c, o.before, o.c_bytes);
        thin_product_run(&s, o.c, o.a, o.b, bias ? o.bias : NULL);
        compare(&s, &thin, &o);
        check_untouched(&s, &o);
        if (threads == 1)
            memcpy(one, o.c, o.c_bytes);
        else
            assert_memory_equal(o.c, one, o.c_bytes);
    }
    mem_free(one);
    release(&o);
}

static void few_rows_are_the_matrix_product(void **state)
{
    (void)state;
    for (int64_t rows = 1; rows <= THIN_ROWS_MAX; rows++)
        for (int kind = 0; kind < 4; kind++) {
            check_thin(rows, 1, 1, kind & 1, kind & 2);
            check_thin(rows, 67, 45, kind & 1, kind & 2);
            check_thin(rows, 130, 768, kind & 1, kind & 2);
        }
}

static void an_instruction_set_can_be_forced(void **state)
{
    (void)state;
    setenv("GAIT_ISA", "plain", 1);
    assert_ptr_equal(product_kernel_for(true), &kernel_plain);
    setenv("GAIT_ISA", "avx2", 1);
    assert_true(product_kernel_for(false) == &kernel_avx2 || !kernel_avx2.is_there());
    setenv("GAIT_ISA", "avx-2", 1);
    assert_string_equal(product_isa_unknown(), "avx-2");
    unsetenv("GAIT_ISA");
    assert_null(product_isa_unknown());
    assert_false(product_kernel_for(false)->only_bf16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_are_the_matrix_product),
        cmocka_unit_test(pieces_add_up),
        cmocka_unit_test(few_rows_are_the_matrix_product),
        cmocka_unit_test(an_instruction_set_can_be_forced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
