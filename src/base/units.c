#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Three significant digits: enough to compare, few enough to read. */
static struct unit_text unit_scaled(double v, double base, const char *const *unit,
                                    int units)
{
    struct unit_text t;
    int u = 0;
    double sign = v < 0 ? -1 : 1;
    v *= sign;
    while (v >= base && u < units - 1) {
        v /= base;
        u++;
    }
    int decimals = u == 0 || v >= 100 ? 0 : v >= 10 ? 1 : 2;
    snprintf(t.s, sizeof t.s, "%.*f%s%s", decimals, v * sign, *unit[u] ? " " : "",
             unit[u]);
    return t;
}

struct unit_text unit_bytes(double bytes)
{
    static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
    return unit_scaled(bytes, 1000, unit, 5);
}

struct unit_text unit_mib(double bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    return unit_scaled(bytes, 1024, unit, 5);
}

struct unit_text unit_count(double n)
{
    static const char *const unit[] = {"", "k", "M", "G", "T"};
    return unit_scaled(n, 1000, unit, 5);
}

struct unit_text unit_ns(int64_t ns)
{
    struct unit_text t;
    int64_t s = ns / 1000000000;
    if (s >= 3600)
        snprintf(t.s, sizeof t.s, "%lldh %02lldm", (long long)(s / 3600),
                 (long long)(s / 60 % 60));
    else if (s >= 100)
        snprintf(t.s, sizeof t.s, "%lldm %02llds", (long long)(s / 60),
                 (long long)(s % 60));
    else if (ns >= 1000000000)
        snprintf(t.s, sizeof t.s, "%.2f s", (double)ns / 1e9);
    else if (ns >= 1000000)
        snprintf(t.s, sizeof t.s, "%.1f ms", (double)ns / 1e6);
    else
        snprintf(t.s, sizeof t.s, "%.1f us", (double)ns / 1e3);
    return t;
}

/* What int64_t holds for sure: some 285 years. */
static const double NS_MOST = 9e18;

struct unit_text unit_ns_of(double ns)
{
    if (isnan(ns))
        return (struct unit_text){"not known"};
    return unit_ns((int64_t)fmax(fmin(ns, NS_MOST), -NS_MOST));
}

struct unit_text unit_thousands(int64_t n)
{
    char digits[24];
    struct unit_text t;
    int len = snprintf(digits, sizeof digits, "%lld", (long long)n);
    size_t o = 0;
    for (int i = 0; i < len; i++) {
        t.s[o++] = digits[i];
        int left = len - 1 - i;
        if (left && left % 3 == 0 && digits[i] != '-')
            t.s[o++] = ',';
    }
    t.s[o] = '\0';
    return t;
}

struct unit_text unit_number(double x, int decimals)
{
    struct unit_text t;
    char digits[64];
    /* Beyond 2^53 the digits would be invented ones. */
    if (!isfinite(x) || fabs(x) >= 9e15) {
        snprintf(t.s, sizeof t.s, isfinite(x) ? "%.3g" : "N/A", x);
        return t;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(x));
    char *point = strchr(digits, '.');
    int64_t whole = 0;
    for (const char *d = digits; *d && d != point; d++)
        whole = whole * 10 + (*d - '0');
    const char *sign = x < 0 && strpbrk(digits, "123456789") ? "−" : "";
    snprintf(t.s, sizeof t.s, "%s%.22s%.6s", sign, unit_thousands(whole).s,
             point ? point : "");
    return t;
}

struct unit_text unit_signed(double change, int decimals)
{
    struct unit_text t;
    char digits[24];
    snprintf(digits, sizeof digits, "%.*f", decimals, fabs(change));
    const char *sign = !strpbrk(digits, "123456789") ? "" : change < 0 ? "−" : "+";
    snprintf(t.s, sizeof t.s, "%s%s", sign, digits);
    return t;
}

/* Does "%.1f" show a whole number? */
static bool is_nearly_whole(double n)
{
    return fabs(n - round(n)) < 0.05;
}

struct unit_text unit_mean(double n)
{
    struct unit_text t;
    if (n > 0 && n < 0.05)
        snprintf(t.s, sizeof t.s, "less than 0.1");
    else
        snprintf(t.s, sizeof t.s, "%.*f", is_nearly_whole(n) || n >= 100 ? 0 : 1, n);
    return t;
}

bool unit_is_one(double n)
{
    return is_nearly_whole(n) && lround(n) == 1;
}

struct unit_text unit_plural(double n, const char *one, const char *many)
{
    struct unit_text t;
    snprintf(t.s, sizeof t.s, "%.13s %.17s", unit_mean(n).s, unit_is_one(n) ? one : many);
    return t;
}

struct unit_text unit_times(double n)
{
    static const char *const words[] = {"once", "twice"};
    struct unit_text t;
    long whole = is_nearly_whole(n) ? lround(n) : 0;
    if (whole == 1 || whole == 2)
        snprintf(t.s, sizeof t.s, "%s", words[whole - 1]);
    else
        snprintf(t.s, sizeof t.s, "%.16s times", unit_mean(n).s);
    return t;
}

struct unit_text unit_every(double n)
{
    struct unit_text t;
    if (n == 1)
        snprintf(t.s, sizeof t.s, "every step");
    else
        snprintf(t.s, sizeof t.s, "every %.3g steps", n);
    return t;
}

struct unit_text unit_percent(double frac)
{
    struct unit_text t;
    if (frac > 0 && frac < 0.005)
        snprintf(t.s, sizeof t.s, "less than 1 %%");
    else
        snprintf(t.s, sizeof t.s, "%.0f %%", 100 * frac);
    return t;
}
