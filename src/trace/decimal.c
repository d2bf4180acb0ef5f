/*
 * The value is held as mantissa * 10^exponent with up to 19 digits in the mantissa;
 * digits beyond are dropped, which can change the result by less than one unit in the
 * 19th digit and never carries a number over a rounding border: it is cut, not rounded.
 */
#include "trace/decimal.h"

enum { MANTISSA_DIGITS = 19, EXPONENT_LIMIT = 1000000 };

struct decimal {
    uint64_t mantissa;
    int64_t exponent;
    bool negative;
};

static bool is_digit(char ch)
{
    return ch >= '0' && ch <= '9';
}

/* Digits before and behind the point; returns how many characters were taken. */
static size_t decimal_digits(struct decimal *d, const char *s, size_t len)
{
    size_t i = 0;
    int kept = 0, seen = 0;
    bool behind = false;
    for (; i < len; i++) {
        if (s[i] == '.' && !behind) {
            behind = true;
            continue;
        }
        if (!is_digit(s[i]))
            break;
        seen = 1;
        if (kept < MANTISSA_DIGITS) {
            d->mantissa = d->mantissa * 10 + (uint64_t)(s[i] - '0');
            kept += d->mantissa != 0;
            d->exponent -= behind;
        } else {
            d->exponent += !behind;
        }
    }
    return seen ? i : 0;
}

/* "e-3" to its end; false where it is not an exponent. */
static bool decimal_exponent(struct decimal *d, const char *s, size_t len)
{
    if (len < 2 || (s[0] != 'e' && s[0] != 'E'))
        return false;
    bool negative = s[1] == '-';
    size_t i = s[1] == '-' || s[1] == '+' ? 2 : 1;
    int64_t e = 0;
    if (i == len)
        return false;
    for (; i < len; i++) {
        if (!is_digit(s[i]))
            return false;
        if (e < EXPONENT_LIMIT)
            e = e * 10 + (s[i] - '0');
    }
    d->exponent += negative ? -e : e;
    return true;
}

static bool decimal_parse(struct decimal *d, const char *s, size_t len)
{
    if (len && (s[0] == '-' || s[0] == '+')) {
        d->negative = s[0] == '-';
        s++;
        len--;
    }
    size_t taken = decimal_digits(d, s, len);
    return taken && (taken == len || decimal_exponent(d, s + taken, len - taken));
}

/* mantissa * 10^exponent as an unsigned number, rounded; false where it does not fit. */
static bool decimal_magnitude(uint64_t *out, const struct decimal *d)
{
    uint64_t m = d->mantissa;
    int64_t e = d->exponent;
    for (; m && e > 0; e--)
        if (__builtin_mul_overflow(m, 10u, &m))
            return false;
    bool half = false;
    for (; m && e < 0; e++) {
        half = m % 10 >= 5;
        m /= 10;
    }
    *out = m + (e == 0 && half);
    return true;
}

bool decimal_to_int64(int64_t *out, const char *s, size_t len, int scale)
{
    struct decimal d = {.exponent = scale};
    uint64_t magnitude;
    if (!decimal_parse(&d, s, len) || !decimal_magnitude(&magnitude, &d) ||
        magnitude > INT64_MAX)
        return false;
    *out = d.negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}
