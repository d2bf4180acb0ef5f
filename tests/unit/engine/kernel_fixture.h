/* Numbers, comparisons and thread counts for the tests of kernels. */
#ifndef GAIT_TESTS_KERNEL_FIXTURE_H
#define GAIT_TESTS_KERNEL_FIXTURE_H

#include "base/mem.h"
#include "cmocka_setup.h"
#include "engine/engine.h"

#include <math.h>
#include <string.h>

/* n numbers in [-1, 1), the same for the same seed; free with mem_free(). */
static inline real *random_reals(int64_t n, uint64_t seed)
{
    real *x = mem_alloc((size_t)n * sizeof *x);
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (real)((double)(state >> 11) * 0x1p-52 - 1);
    }
    return x;
}

static inline int32_t *random_tokens(int64_t n, int64_t vocab, uint64_t seed)
{
    int32_t *token = mem_alloc((size_t)n * sizeof *token);
    real *x = random_reals(n, seed);
    for (int64_t i = 0; i < n; i++)
        token[i] = (int32_t)((double)(x[i] + 1) / 2 * (double)vocab) % (int32_t)vocab;
    mem_free(x);
    return token;
}

/* |x - expected| / |expected| in the Euclidean norm. */
static inline double relative_error(const real *x, const double *expected, int64_t n)
{
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += ((double)x[i] - expected[i]) * ((double)x[i] - expected[i]);
        size += expected[i] * expected[i];
    }
    return sqrt(difference / (size > 0 ? size : 1));
}

#define assert_near(x, expected, n)                                                      \
    do {                                                                                 \
        double error_ = relative_error(x, expected, n);                                  \
        if (!(error_ <= 1e-5))                                                           \
            fail_msg("%s differs by %g", #x, error_);                                    \
    } while (0)

/* Run code with 1, 2, 3 and 5 threads; each time `out` must hold the same bits. */
#define assert_same_for_any_threads(out, n, code)                                        \
    do {                                                                                 \
        static const int threads_[] = {1, 2, 3, 5};                                      \
        size_t bytes_ = (size_t)(n) * sizeof *(out);                                     \
        void *first_ = mem_alloc(bytes_);                                                \
        for (size_t t_ = 0; t_ < sizeof threads_ / sizeof *threads_; t_++) {             \
            engine_set_threads(threads_[t_]);                                            \
            code;                                                                        \
            if (t_ == 0)                                                                 \
                memcpy(first_, out, bytes_);                                             \
            assert_memory_equal(first_, out, bytes_);                                    \
        }                                                                                \
        mem_free(first_);                                                                \
    } while (0)

#endif
