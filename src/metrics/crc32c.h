/* CRC-32C (Castagnoli) as TensorBoard's records use it. */
#ifndef GAIT_METRICS_CRC32C_H
#define GAIT_METRICS_CRC32C_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32c(const void *data, size_t len);
/* Turned and shifted, so that data which holds checksums is not its own checksum. */
uint32_t crc32c_masked(const void *data, size_t len);

#endif
