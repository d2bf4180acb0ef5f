/* The shapes of AMX's tile registers, as _tile_loadconfig() reads them. They belong to a
 * thread. */
#ifndef GAIT_MACHINE_TILE_CONFIG_H
#define GAIT_MACHINE_TILE_CONFIG_H

#include <stdint.h>

struct tile_config {
    uint8_t palette, start_row, reserved[14];
    uint16_t bytes_a_row[16];
    uint8_t rows[16];
};

enum { TILE_ROWS = 16, TILE_BYTES_A_ROW = 64 };

/* The first `tiles`, each as large as there are. */
static inline struct tile_config tile_config_of(int tiles)
{
    struct tile_config config = {.palette = 1};
    for (int i = 0; i < tiles; i++) {
        config.bytes_a_row[i] = TILE_BYTES_A_ROW;
        config.rows[i] = TILE_ROWS;
    }
    return config;
}

/* Before _tile_loadconfig(), whose declaration says that it reads 8 bytes only: gcc might
 * leave out the rest. */
static inline void tile_config_write(const struct tile_config *config)
{
    __asm__ volatile("" : : "r"(config) : "memory");
}

#endif
