/* AMX's own tiles. */
#include "engine/product_kernel.h"
#include "machine/cpu.h"
#include "machine/tile_config.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("amx-tile,amx-bf16,avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,avx2")

#include <immintrin.h>

#define KERNEL kernel_amx
#define NAME "amx"
#define TILE_ZERO(t) _tile_zero(t)
#define TILE_LOAD(t, from, stride) _tile_loadd(t, from, stride)
#define TILE_LOAD_ONCE(t, from, stride) _tile_stream_loadd(t, from, stride)
#define TILE_STORE(t, to, stride) _tile_stored(t, to, stride)
#define TILE_PRODUCT(sum, a, b) _tile_dpbf16ps(sum, a, b)

#define ROUND(low, high) (__m512i) _mm512_cvtne2ps_pbh(high, low)

static bool is_there(void)
{
    return cpu_allows_amx() && cpu_isa().avx512_bf16;
}

static void thread_begin(void)
{
    struct tile_config config = tile_config_of(7);
    tile_config_write(&config);
    _tile_loadconfig(&config);
}

static void thread_end(void)
{
    _tile_release();
}

#include "engine/kernel_amx.h"

#else
static bool is_there(void)
{
    return false;
}

const struct product_kernel kernel_amx = {.name = "amx", .is_there = is_there};
#endif
