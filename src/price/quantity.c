#include "price/quantity.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT(v, text) text,
const char *const quantity_unit_text[QUANTITY_UNIT_COUNT] = {QUANTITY_UNIT_LIST(TEXT)};

static struct quantity quantity(const char *name, enum quantity_unit unit, double value,
                                struct unit_text text)
{
    return (struct quantity){.name = name, .unit = unit, .value = value, .text = text};
}

__attribute__((format(printf, 1, 2))) static struct unit_text text_of(const char *fmt,
                                                                      ...)
{
    struct unit_text text;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text.s, sizeof text.s, fmt, args);
    va_end(args);
    return text;
}

struct quantity quantity_number(const char *name, enum quantity_unit unit, double value,
                                int decimals)
{
    return quantity(name, unit, value, text_of("%.*f", decimals, value));
}

struct quantity quantity_digits(const char *name, enum quantity_unit unit, double value,
                                int digits)
{
    return quantity(name, unit, value, text_of("%.*g", digits, value));
}

struct quantity quantity_count(const char *name, double n)
{
    return quantity(name, QUANTITY_COUNT, n, unit_mean(n));
}

struct quantity quantity_whole(const char *name, double n)
{
    return quantity_number(name, QUANTITY_COUNT, n, 0);
}

struct quantity quantity_group(const char *name, double n)
{
    return quantity(name, QUANTITY_COUNT, n, unit_thousands((int64_t)n));
}

struct quantity quantity_times(const char *name, double n)
{
    return quantity(name, QUANTITY_COUNT, n, unit_times(n));
}

struct quantity quantity_every(const char *name, double n)
{
    return quantity(name, QUANTITY_COUNT, n, unit_every(n));
}

struct quantity quantity_plural(const char *name, double n, const char *one,
                                const char *many)
{
    return quantity(name, QUANTITY_COUNT, n, unit_plural(n, one, many));
}

struct quantity quantity_share(const char *name, double frac)
{
    return quantity(name, QUANTITY_FRAC, frac, unit_percent(frac));
}

struct quantity quantity_percent(const char *name, double frac, int decimals)
{
    return quantity(name, QUANTITY_FRAC, frac, text_of("%.*f %%", decimals, 100 * frac));
}

struct quantity quantity_time(const char *name, double ns)
{
    return quantity(name, QUANTITY_MS, ns / 1e6, unit_ns_of(ns));
}

struct quantity quantity_ms(const char *name, double ns)
{
    return quantity(name, QUANTITY_MS, ns / 1e6, text_of("%.1f ms", ns / 1e6));
}

struct quantity quantity_us(const char *name, double ns)
{
    return quantity(name, QUANTITY_MS, ns / 1e6, text_of("%.1f us", ns / 1e3));
}

struct quantity quantity_bytes(const char *name, double bytes)
{
    return quantity(name, QUANTITY_BYTES, bytes, unit_bytes(bytes));
}

struct quantity quantity_rate(const char *name, double bytes_per_s)
{
    return quantity(name, QUANTITY_BYTES_PER_S, bytes_per_s,
                    text_of("%.28s/s", unit_bytes(bytes_per_s).s));
}

struct quantity quantity_words(const char *words)
{
    return (struct quantity){.words = words};
}
