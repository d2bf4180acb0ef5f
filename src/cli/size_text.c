#include "cli/size_text.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

bool size_parse(uint64_t *out, const char *text)
{
    static const struct {
        const char *unit;
        uint64_t bytes;
    } units[] = {{"", 1},           {"B", 1},           {"KB", 1000},
                 {"MB", 1000000},   {"GB", 1000000000}, {"KiB", 1u << 10},
                 {"MiB", 1u << 20}, {"GiB", 1u << 30},  {"K", 1u << 10},
                 {"M", 1u << 20},   {"G", 1u << 30}};
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    for (size_t i = 0; !errno && i < sizeof units / sizeof *units; i++)
        if (!strcasecmp(end, units[i].unit))
            return n && !__builtin_mul_overflow((uint64_t)n, units[i].bytes, out);
    return false;
}
