#include "machine/memory_limit.h"

#include "base/address_space.h"
#include "base/file.h"
#include "base/mem.h"
#include "machine/cgroup.h"
#include "machine/meminfo.h"

#include <math.h>

enum { STATUS_FILE_MAX = 1 << 16 };

double memory_limit_resident_bytes(void)
{
    char *text;
    size_t len;
    if (file_read(&text, &len, "/proc/self/status", STATUS_FILE_MAX, NULL))
        return NAN;
    double bytes = meminfo_value(text, "RssAnon");
    mem_free(text);
    return bytes;
}

/* What is not known takes nothing off. */
static struct memory_limit limit_of(enum memory_limit_kind kind, const char *file,
                                    double bytes, double used, double keep)
{
    used = isfinite(used) ? used : 0;
    return (struct memory_limit){kind, bytes, used, keep, bytes - used - keep, file};
}

struct memory_limit memory_limit_find(const struct memory_limit_options *o)
{
    double share = o->processes > 1 ? o->processes : 1;
    double resident = memory_limit_resident_bytes();
    struct cgroup_limit group =
        cgroup_memory_limit(o->cgroup_root ? o->cgroup_root : CGROUP_ROOT,
                            o->cgroup_of_self ? o->cgroup_of_self : CGROUP_OF_SELF);
    const struct memory_limit all[] = {
        limit_of(MEMORY_LIMIT_MACHINE, "MemTotal", meminfo_total_bytes() / share,
                 resident, o->keep_bytes),
        limit_of(MEMORY_LIMIT_GROUP, group.file, group.value / share, resident,
                 o->keep_bytes),
        limit_of(MEMORY_LIMIT_ADDRESS_SPACE, "ulimit -v", address_space_limit_bytes(),
                 address_space_used_bytes(), o->keep_bytes + o->mapped_bytes),
    };
    struct memory_limit least = {.left_bytes = INFINITY, .bytes = INFINITY, .file = ""};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].left_bytes < least.left_bytes) /* false for NAN */
            least = all[i];
    return least;
}
