#include "machine/cgroup.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT_FILE_MAX = 4096, SELF_FILE_MAX = 1 << 20 };

/* Version 1 states "no limit" as the largest page-aligned number. */
static const double memory_unlimited_bytes = 0x1p62;

/* The number that a file begins with; NAN where there is no file or no number. */
static double read_number(const char *folder, const char *name, double *second)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", folder, name);
    char *text = NULL;
    size_t len;
    double value = NAN;
    if (!file_read(&text, &len, path.s, LIMIT_FILE_MAX, NULL)) {
        char *end;
        double v = strtod(text, &end);
        if (end != text)
            value = v;
        if (second && end != text)
            *second = strtod(end, NULL);
        mem_free(text);
    }
    strbuf_release(&path);
    return value;
}

static struct cgroup_limit lesser(struct cgroup_limit a, struct cgroup_limit b)
{
    return b.value < a.value ? b : a;
}

static const struct cgroup_limit unlimited = {INFINITY, ""};

static struct cgroup_limit cores_of(double quota, double period, const char *file)
{
    return quota > 0 && period > 0 ? (struct cgroup_limit){quota / period, file}
                                   : unlimited;
}

static struct cgroup_limit cores_v2(const char *folder)
{
    double period = 0, quota = read_number(folder, "cpu.max", &period);
    return cores_of(quota, period, "cpu.max");
}

static struct cgroup_limit cores_v1(const char *folder)
{
    double quota = read_number(folder, "cpu.cfs_quota_us", NULL);
    double period = read_number(folder, "cpu.cfs_period_us", NULL);
    return cores_of(quota, period, "cpu.cfs_quota_us");
}

static struct cgroup_limit memory_of(const char *folder, const char *file)
{
    double bytes = read_number(folder, file, NULL);
    return bytes > 0 && bytes < memory_unlimited_bytes
               ? (struct cgroup_limit){bytes, file}
               : unlimited;
}

static struct cgroup_limit memory_v2(const char *folder)
{
    return lesser(memory_of(folder, "memory.max"), memory_of(folder, "memory.high"));
}

static struct cgroup_limit memory_v1(const char *folder)
{
    return memory_of(folder, "memory.limit_in_bytes");
}

typedef struct cgroup_limit limit_fn(const char *folder);

/* The least limit of root/group and of all folders above it, root included. A container
 * often does not see its own group's path: folders that are not there limit nothing. */
static struct cgroup_limit least_upward(const char *root, const char *group,
                                        limit_fn *limit)
{
    struct strbuf folder;
    strbuf_init(&folder);
    strbuf_printf(&folder, "%s%s", root, group);
    size_t root_len = strlen(root);
    struct cgroup_limit least = unlimited;
    for (;;) {
        least = lesser(least, limit(folder.s));
        char *slash = strrchr(folder.s, '/');
        if (folder.len <= root_len || !slash || (size_t)(slash - folder.s) < root_len)
            break;
        folder.len = (size_t)(slash - folder.s);
        *slash = '\0';
    }
    strbuf_release(&folder);
    return least;
}

static bool list_has(const char *list, const char *word)
{
    size_t len = strlen(word);
    for (const char *p = list;; p++) {
        size_t n = strcspn(p, ",");
        if (n == len && !memcmp(p, word, len))
            return true;
        p += n;
        if (!*p)
            return false;
    }
}

struct limit_kind {
    const char *controller; /* of version 1 */
    limit_fn *v1, *v2;
};

static struct cgroup_limit subfolder_least(const char *root, const char *sub,
                                           const char *group, limit_fn *limit)
{
    struct strbuf b;
    strbuf_init(&b);
    strbuf_printf(&b, "%s/%s", root, sub);
    struct cgroup_limit least = least_upward(b.s, group, limit);
    strbuf_release(&b);
    return least;
}

/* A line of /proc/self/cgroup, "number:controllers:group"; version 2 has no controllers.
 */
static struct cgroup_limit line_limit(const char *root, char *line,
                                      const struct limit_kind *kind)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return unlimited;
    *controllers++ = '\0';
    *group++ = '\0';
    if (!*controllers) /* alone, or beside version 1 in a folder of its own */
        return lesser(least_upward(root, group, kind->v2),
                      subfolder_least(root, "unified", group, kind->v2));
    if (list_has(controllers, kind->controller))
        return subfolder_least(root, kind->controller, group, kind->v1);
    return unlimited;
}

static struct cgroup_limit limit_find(const char *root, const char *of_self,
                                      const struct limit_kind *kind)
{
    char *text;
    size_t len;
    struct cgroup_limit least = unlimited;
    if (file_read(&text, &len, of_self, SELF_FILE_MAX, NULL))
        return least;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        least = lesser(least, line_limit(root, line, kind));
    mem_free(text);
    return least;
}

double cgroup_cpu_cores(const char *root, const char *of_self)
{
    static const struct limit_kind cpu = {"cpu", cores_v1, cores_v2};
    return limit_find(root, of_self, &cpu).value;
}

struct cgroup_limit cgroup_memory_limit(const char *root, const char *of_self)
{
    static const struct limit_kind memory = {"memory", memory_v1, memory_v2};
    return limit_find(root, of_self, &memory);
}

double cgroup_memory_bytes(const char *root, const char *of_self)
{
    return cgroup_memory_limit(root, of_self).value;
}
