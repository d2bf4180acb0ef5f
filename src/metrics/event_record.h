/*
 * Records of TensorBoard's event files, byte for byte:
 *   u64 length · u32 masked CRC-32C of these 8 bytes · data · u32 masked CRC-32C of data
 * all little-endian; data is one Event, a protobuf message of
 *   1 double wall_time   2 int64 step   3 string file_version
 *   5 Summary { 1 Value { 1 string tag   2 float simple_value } }
 *   7 SessionLog { 1 status }
 * where a field that is 0 is left out, as protobuf's own writers do, except simple_value.
 *
 * Each function writes one record to out and returns its length, at most
 * EVENT_RECORD_BYTES_MAX.
 */
#ifndef GAIT_METRICS_EVENT_RECORD_H
#define GAIT_METRICS_EVENT_RECORD_H

#include <stddef.h>
#include <stdint.h>

enum {
    EVENT_TAG_BYTES_MAX = 1024, /* a longer tag is a bug */
    EVENT_RECORD_BYTES_MAX = EVENT_TAG_BYTES_MAX + 96,
};

/* The first record of every file. */
size_t event_record_version(uint8_t *out, double wall_s);
/* "From here on, what was recorded at this step or later is void." */
size_t event_record_restart(uint8_t *out, double wall_s, int64_t step);
size_t event_record_scalar(uint8_t *out, double wall_s, int64_t step, const char *tag,
                           float value);

#endif
