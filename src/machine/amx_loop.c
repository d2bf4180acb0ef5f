/*
 * bf16 products in AMX tiles: two sums of 16 x 16, one tile of A and one of B, all ones, in
 * registers: as many live tiles as the products' kernel has (engine/kernel_amx.h).
 */
#include "machine/amx_loop.h"

#include "machine/cpu.h"
#include "machine/tile_config.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

#include <immintrin.h>
#include <string.h>

enum { TILE_DEPTH = 32, SUMS = 2 };
enum { BF16_ONE = 0x3f80 };

__attribute__((target("amx-tile,amx-bf16"))) static float run_amx(int64_t iterations)
{
    struct tile_config config = tile_config_of(4);
    uint16_t ones[TILE_ROWS * TILE_DEPTH];
    float sum[TILE_ROWS * TILE_ROWS];
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++)
        ones[i] = BF16_ONE;
    tile_config_write(&config);
    _tile_loadconfig(&config);
    _tile_zero(0);
    _tile_zero(1);
    _tile_loadd(2, ones, TILE_BYTES_A_ROW);
    _tile_loadd(3, ones, TILE_BYTES_A_ROW);
    for (int64_t n = 0; n < iterations; n++) {
        _tile_dpbf16ps(0, 2, 3);
        _tile_dpbf16ps(1, 2, 3);
    }
    _tile_stored(0, sum, TILE_BYTES_A_ROW);
    _tile_release();
    return sum[17] / ((float)TILE_DEPTH * (float)iterations);
}

bool amx_loop(struct fma_loop *loop)
{
    if (!cpu_allows_amx())
        return false;
    *loop = (struct fma_loop){"AMX bf16 tiles",
                              SUMS * 2 * TILE_ROWS * TILE_ROWS * TILE_DEPTH, run_amx};
    return true;
}

#else

bool amx_loop(struct fma_loop *loop)
{
    (void)loop;
    return false;
}

#endif
