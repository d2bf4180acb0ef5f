/* Numbers as people read them. Each call returns its own text by value: u.s is the
 * string. */
#ifndef GAIT_BASE_UNITS_H
#define GAIT_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

struct unit_text {
    char s[32];
};

struct unit_text unit_bytes(double bytes); /* 1.3 GB (powers of ten), as file sizes */
struct unit_text unit_mib(double bytes);   /* 12.5 MiB, 3.1 GiB: memory */
struct unit_text unit_ns(int64_t ns);      /* 12.3 ms, 4.56 s, 2m 05s */
/* The same of a computed time, whatever it came to. */
struct unit_text unit_ns_of(double ns);
struct unit_text unit_count(double n);      /* 1.2 M, 35.1 k, 812 */
struct unit_text unit_thousands(int64_t n); /* 1,234,567 */
/* 1,234.5 with the minus sign U+2212; "N/A" of what is not finite. */
struct unit_text unit_number(double x, int decimals);
/* A change: +3.0, −28.2 with the minus sign U+2212, 0.0 without a sign. */
struct unit_text unit_signed(double change, int decimals);

/* For sentences: what is little is not called nothing, and one is one. */
struct unit_text unit_mean(double n);       /* 3, 2.5, 1200; less than 0.1 */
struct unit_text unit_times(double n);      /* once, twice, 2.5 times */
struct unit_text unit_every(double n);      /* every step, every 25 steps */
struct unit_text unit_percent(double frac); /* 62 %, less than 1 % */
/* Does unit_mean() say 1? */
bool unit_is_one(double n);
/* 1 call, 2.5 calls; names of at most 17 letters. */
struct unit_text unit_plural(double n, const char *one, const char *many);

#endif
