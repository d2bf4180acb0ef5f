#include "findings/told.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void told_add(char *text, size_t size, const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}

void told_parts(char *text, size_t size, const struct told_part *parts, size_t n)
{
    size_t left = 0, told = 0;
    for (size_t i = 0; i < n; i++)
        left += parts[i].count > 0;
    for (size_t i = 0; i < n; i++) {
        const struct told_part *p = &parts[i];
        if (!(p->count > 0))
            continue;
        left--;
        const char *between = !told++ ? "" : left ? ", " : " and ";
        told_add(text, size, "%s%s %s", between, unit_mean(p->count).s,
                 unit_is_one(p->count) ? p->one : p->many);
    }
}
