/*
 * kernel_amx.h on tiles in plain C, for tests on machines without AMX: the packing and the
 * order of the products are the same, the sums differ in their last bits.
 */
#include "engine/product_kernel.h"
#include "machine/cpu.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2")

#include "engine/bf16.h"

#include <immintrin.h>

enum { TILES = 7, TILE_ROWS = 16, TILE_ROW_BYTES = 64, TILE_FLOATS = 16 };

static _Thread_local unsigned char registers[TILES][TILE_ROWS][TILE_ROW_BYTES];

static void tile_load(int t, const void *from, int64_t stride)
{
    for (int i = 0; i < TILE_ROWS; i++)
        memcpy(registers[t][i], (const char *)from + i * stride, TILE_ROW_BYTES);
}

static void tile_store(int t, void *to, int64_t stride)
{
    for (int i = 0; i < TILE_ROWS; i++)
        memcpy((char *)to + i * stride, registers[t][i], TILE_ROW_BYTES);
}

/* sum (i, j) += a (i, 2 k) b (k, 2 j) + a (i, 2 k + 1) b (k, 2 j + 1) */
static void tile_product(int sum, int a, int b)
{
    for (int i = 0; i < TILE_ROWS; i++) {
        float row[TILE_FLOATS];
        bf16 x[2 * TILE_FLOATS], y[2 * TILE_FLOATS];
        memcpy(row, registers[sum][i], sizeof row);
        memcpy(x, registers[a][i], sizeof x);
        for (int k = 0; k < TILE_ROWS; k++) {
            memcpy(y, registers[b][k], sizeof y);
            for (int j = 0; j < TILE_FLOATS; j++)
                row[j] += bf16_to_float(x[2 * k]) * bf16_to_float(y[2 * j]) +
                          bf16_to_float(x[2 * k + 1]) * bf16_to_float(y[2 * j + 1]);
        }
        memcpy(registers[sum][i], row, sizeof row);
    }
}

static __m512i round_both(__m512 low, __m512 high)
{
    float numbers[2 * TILE_FLOATS];
    bf16 half[2 * TILE_FLOATS];
    _mm512_storeu_ps(numbers, low);
    _mm512_storeu_ps(numbers + TILE_FLOATS, high);
    for (int i = 0; i < 2 * TILE_FLOATS; i++)
        half[i] = bf16_from_float(numbers[i]);
    return _mm512_loadu_si512(half);
}

#define KERNEL kernel_amx_stand_in
#define NAME "amx stand-in"
#define TILE_ZERO(t) memset(registers[t], 0, sizeof registers[t])
#define TILE_LOAD(t, from, stride) tile_load(t, from, stride)
#define TILE_LOAD_ONCE(t, from, stride) tile_load(t, from, stride)
#define TILE_STORE(t, to, stride) tile_store(t, to, stride)
#define TILE_PRODUCT(sum, a, b) tile_product(sum, a, b)
#define ROUND(low, high) round_both(low, high)

/* The packing is AVX-512's, all that kernel_avx512.c is compiled for. */
static bool is_there(void)
{
    return kernel_avx512.is_there();
}

static void thread_begin(void) {}

static void thread_end(void) {}

#include "engine/kernel_amx.h"

#else
static bool is_there(void)
{
    return false;
}

const struct product_kernel kernel_amx_stand_in = {.name = "amx stand-in",
                                                   .is_there = is_there};
#endif
