/* The values of a header's JSON that are not strings: numbers that are used, and
 * everything that is skipped. */
#include "checkpoint/header_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(const struct header_json *j)
{
    return j->at < j->len && j->text[j->at] >= '0' && j->text[j->at] <= '9';
}

static bool take_one_of(struct header_json *j, const char *set)
{
    if (j->at == j->len || !j->text[j->at] || !strchr(set, j->text[j->at]))
        return false;
    j->at++;
    return true;
}

enum status header_json_uint(struct header_json *j, uint64_t *v, struct err *err)
{
    header_json_sees(j, '0');
    size_t begin = j->at;
    *v = 0;
    for (; is_digit(j); j->at++)
        if (__builtin_mul_overflow(*v, 10u, v) ||
            __builtin_add_overflow(*v, (uint64_t)(j->text[j->at] - '0'), v))
            return header_json_fail(begin, "a number over 64 bits", err);
    size_t digits = j->at - begin;
    if (!digits || (digits > 1 && j->text[begin] == '0') || take_one_of(j, ".eE"))
        return header_json_fail(begin, "not a whole number from 0 on", err);
    return STATUS_OK;
}

/* A number as significand * 10^exponent; digits beyond 64 bits are dropped. */
struct decimal {
    uint64_t significand;
    int64_t exponent;
};

/* Digits of the whole part (point = 0) or behind the point (point = 1); false: none. */
static bool take_digits(struct header_json *j, struct decimal *d, int point)
{
    size_t begin = j->at;
    bool full = false;
    for (; is_digit(j); j->at++) {
        uint64_t v;
        full = full || __builtin_mul_overflow(d->significand, 10u, &v) ||
               __builtin_add_overflow(v, (uint64_t)(j->text[j->at] - '0'), &v);
        if (!full)
            d->significand = v;
        d->exponent += full ? !point : -point;
    }
    return j->at > begin;
}

/* The digits of an exponent, held at more than any exponent that is in range. */
static bool take_exponent(struct header_json *j, int64_t *exponent)
{
    const int64_t huge = INT64_C(1) << 40;
    bool negative = take_one_of(j, "+-") && j->text[j->at - 1] == '-';
    size_t begin = j->at;
    for (*exponent = 0; is_digit(j); j->at++)
        if (*exponent < huge)
            *exponent = *exponent * 10 + (j->text[j->at] - '0');
    if (*exponent > INT32_MAX)
        *exponent = huge; /* whatever the digits before it */
    if (negative)
        *exponent = -*exponent;
    return j->at > begin;
}

static bool fits_double(const struct decimal *d)
{
    char power[16];
    if (!d->significand || d->exponent <= 0)
        return true;
    if (d->exponent > 308)
        return false;
    snprintf(power, sizeof power, "1e%d", (int)d->exponent);
    return isfinite((double)d->significand * strtod(power, NULL));
}

static enum status skip_number(struct header_json *j, struct err *err)
{
    struct decimal d = {0};
    size_t begin = j->at;
    int64_t exponent = 0;
    take_one_of(j, "-");
    size_t whole = j->at;
    bool good = take_digits(j, &d, 0) && (j->text[whole] != '0' || j->at == whole + 1);
    if (good && take_one_of(j, "."))
        good = take_digits(j, &d, 1);
    if (good && take_one_of(j, "eE"))
        good = take_exponent(j, &exponent);
    if (!good)
        return header_json_fail(begin, "not a value of JSON", err);
    d.exponent += exponent;
    if (!fits_double(&d))
        return header_json_fail(begin, "a number over 1.8e308", err);
    return STATUS_OK;
}

static bool take_word(struct header_json *j, const char *word)
{
    size_t n = strlen(word);
    if (j->len - j->at < n || memcmp(j->text + j->at, word, n) != 0)
        return false;
    j->at += n;
    return true;
}

enum status header_json_null(struct header_json *j, struct err *err)
{
    if (header_json_sees(j, 'n') && take_word(j, "null"))
        return STATUS_OK;
    return header_json_fail(j->at, "\"null\" is missing", err);
}

static enum status skip_members(struct header_json *j, char close, int depth,
                                struct err *err)
{
    if (depth > HEADER_JSON_DEPTH_MAX)
        return header_json_fail(j->at, "values nest too deep", err);
    if (header_json_take(j, close))
        return STATUS_OK;
    do {
        const char *key;
        size_t len;
        enum status st = close == '}' ? header_json_key(j, &key, &len, err) : STATUS_OK;
        if (!st)
            st = header_json_skip(j, depth, err);
        if (st)
            return st;
    } while (header_json_take(j, ','));
    return header_json_expect(j, close, err);
}

enum status header_json_skip(struct header_json *j, int depth, struct err *err)
{
    const char *s;
    size_t len;
    if (header_json_sees(j, '"'))
        return header_json_string(j, &s, &len, err);
    if (header_json_take(j, '{'))
        return skip_members(j, '}', depth + 1, err);
    if (header_json_take(j, '['))
        return skip_members(j, ']', depth + 1, err);
    if (take_word(j, "null") || take_word(j, "true") || take_word(j, "false"))
        return STATUS_OK;
    return skip_number(j, err);
}
