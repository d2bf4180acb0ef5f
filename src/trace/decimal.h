/* Numbers as traces write them, to integers, without a double on the way. */
#ifndef GAIT_TRACE_DECIMAL_H
#define GAIT_TRACE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The decimal number s[0..len) (sign, fraction and exponent allowed) times 10^scale,
 * rounded half away from zero. False where it is no number or does not fit; *out is then
 * as before. Microseconds to nanoseconds: scale 3. */
bool decimal_to_int64(int64_t *out, const char *s, size_t len, int scale);

#endif
