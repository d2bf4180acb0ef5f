/* Numbers as people read them. Each call returns its own text by value: u.s is the
 * string. */
#ifndef GAIT_BASE_UNITS_H
#define GAIT_BASE_UNITS_H

#include <stdint.h>

struct unit_text {
    char s[32];
};

struct unit_text unit_bytes(double bytes);  /* 1.3 GB (powers of ten), as file sizes */
struct unit_text unit_mib(double bytes);    /* 12.5 MiB, 3.1 GiB: memory */
struct unit_text unit_ns(int64_t ns);       /* 12.3 ms, 4.56 s, 2m 05s */
struct unit_text unit_count(double n);      /* 1.2 M, 35.1 k, 812 */
struct unit_text unit_thousands(int64_t n); /* 1,234,567 */

#endif
