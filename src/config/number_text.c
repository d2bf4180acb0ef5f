#include "config/number_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LEN_MAX = 64 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Copies digits with single _ between them from *p to *out; returns how many. */
static int take_digits(const char **p, char **out)
{
    int n = 0;
    for (;; n++) {
        if (**p == '_' && n && is_digit((*p)[1]))
            (*p)++;
        if (!is_digit(**p))
            return n;
        *(*out)++ = *(*p)++;
    }
}

/* Checks the form and copies it to plain without underscores, for strtod. */
static bool normalise(char plain[NUMBER_LEN_MAX], bool *only_digits, const char *text)
{
    if (strlen(text) >= NUMBER_LEN_MAX)
        return false;
    const char *p = text;
    char *out = plain;
    if (*p == '-' || *p == '+')
        *out++ = *p++;
    if (*p == '0' && (is_digit(p[1]) || p[1] == '_'))
        return false; /* octal to some readers */
    int digits = take_digits(&p, &out);
    *only_digits = digits && !*p;
    if (*p == '.') {
        *out++ = *p++;
        digits += take_digits(&p, &out);
    }
    if (!digits)
        return false;
    if (*p == 'e' || *p == 'E') {
        *out++ = *p++;
        if (*p == '-' || *p == '+')
            *out++ = *p++;
        if (!take_digits(&p, &out))
            return false;
    }
    *out = '\0';
    return !*p;
}

bool number_parse_real(double *out, const char *text)
{
    char plain[NUMBER_LEN_MAX];
    bool only_digits;
    if (!normalise(plain, &only_digits, text))
        return false;
    *out = strtod(plain, NULL);
    return isfinite(*out);
}

bool number_parse_int(int64_t *out, const char *text)
{
    const double exact_max = 9007199254740992.0; /* 2^53 */
    char plain[NUMBER_LEN_MAX];
    bool only_digits;
    if (!normalise(plain, &only_digits, text))
        return false;
    if (only_digits) {
        errno = 0;
        *out = strtoll(plain, NULL, 10);
        return !errno;
    }
    double v = strtod(plain, NULL);
    if (!(fabs(v) <= exact_max) || v != floor(v))
        return false;
    *out = (int64_t)v;
    return true;
}

struct number_text number_text(double v)
{
    struct number_text t;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(t.s, sizeof t.s, "%.*g", digits, v);
        if (strtod(t.s, NULL) == v)
            break;
    }
    return t;
}
