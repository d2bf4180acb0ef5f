/*
 * A number of a finding's evidence: under a name and in a unit for scripts, as text for
 * people. evidence_text.h puts the texts into a sentence. Names end in what they are of:
 * "calls_per_step", "idle_frac"; times are all in ms.
 */
#ifndef GAIT_PRICE_QUANTITY_H
#define GAIT_PRICE_QUANTITY_H

#include "base/units.h"

/* E(VALUE, "as JSON has it") */
#define QUANTITY_UNIT_LIST(E)                                                            \
    E(COUNT, "count")                                                                    \
    E(FRAC, "frac")                                                                      \
    E(RATIO, "ratio")                                                                    \
    E(MS, "ms")                                                                          \
    E(BYTES, "bytes")                                                                    \
    E(BYTES_PER_S, "bytes/s")                                                            \
    E(TFLOP_PER_S, "TFLOP/s")
#define QUANTITY_UNIT_VALUE(v, text) QUANTITY_##v,
enum quantity_unit { QUANTITY_UNIT_LIST(QUANTITY_UNIT_VALUE) QUANTITY_UNIT_COUNT };
extern const char *const quantity_unit_text[QUANTITY_UNIT_COUNT];

struct quantity {
    const char *name; /* NULL: words alone */
    enum quantity_unit unit;
    double value;
    struct unit_text text;
    const char *words; /* said instead of the text; NULL: the text is said */
};

/* 156, 19.5: the sentence itself says of what */
struct quantity quantity_number(const char *name, enum quantity_unit unit, double value,
                                int decimals);
/* The same with as many digits as the number needs, at most these: 2.5, 16 */
struct quantity quantity_digits(const char *name, enum quantity_unit unit, double value,
                                int digits);
struct quantity quantity_count(const char *name, double n);    /* 3, 2.5 */
struct quantity quantity_whole(const char *name, double n);    /* 1234 */
struct quantity quantity_group(const char *name, double n);    /* 1,234,567 */
struct quantity quantity_times(const char *name, double n);    /* once, 2.5 times */
struct quantity quantity_every(const char *name, double n);    /* every 25 steps */
struct quantity quantity_share(const char *name, double frac); /* 62 %, less than 1 % */
struct quantity quantity_percent(const char *name, double frac, int decimals);
struct quantity quantity_plural(const char *name, double n, const char *one,
                                const char *many);          /* 1 call, 2.5 calls */
struct quantity quantity_time(const char *name, double ns); /* 12.3 ms, 4.56 s */
struct quantity quantity_ms(const char *name, double ns);   /* 4560.0 ms */
struct quantity quantity_us(const char *name, double ns); /* 40.0 us; in ms for scripts */
struct quantity quantity_bytes(const char *name, double bytes);      /* 1.3 GB */
struct quantity quantity_rate(const char *name, double bytes_per_s); /* 1.3 GB/s */

/* What a sentence needs beside its numbers. The words must live until it is put together.
 */
struct quantity quantity_words(const char *words);

#endif
