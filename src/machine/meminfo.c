#include "machine/meminfo.h"

#include "base/file.h"
#include "base/mem.h"
#include "machine/cgroup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MEMINFO_MAX = 1 << 20 };

double meminfo_value(const char *text, const char *key)
{
    size_t len = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) || line[len] != ':')
            continue;
        char *end;
        const char *digits = line + len + 1;
        double kib = strtod(digits, &end);
        if (end != digits && !strncmp(end, " kB", 3))
            return kib * 1024;
        return NAN;
    }
    return NAN;
}

static double meminfo_read(const char *key)
{
    char *text;
    size_t len;
    if (file_read(&text, &len, "/proc/meminfo", MEMINFO_MAX, NULL))
        return NAN;
    double bytes = meminfo_value(text, key);
    mem_free(text);
    return bytes;
}

double meminfo_total_bytes(void)
{
    return meminfo_read("MemTotal");
}

double meminfo_limit_bytes(const char *cgroup_root, const char *cgroup_of_self)
{
    double total = meminfo_total_bytes();
    double limit = cgroup_memory_bytes(cgroup_root, cgroup_of_self);
    return isnan(total) && isinf(limit) ? NAN : fmin(total, limit);
}

double meminfo_available_bytes(void)
{
    /* What the group already uses is not taken off: much of it is cache that it may drop.
     */
    double free_bytes = meminfo_read("MemAvailable");
    return isnan(free_bytes)
               ? free_bytes
               : fmin(free_bytes, cgroup_memory_bytes(CGROUP_ROOT, CGROUP_OF_SELF));
}
