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

static double cores_v2(const char *folder)
{
    double period = 0, quota = read_number(folder, "cpu.max", &period);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double cores_v1(const char *folder)
{
    double quota = read_number(folder, "cpu.cfs_quota_us", NULL);
    double period = read_number(folder, "cpu.cfs_period_us", NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double memory_v2(const char *folder)
{
    double bytes = read_number(folder, "memory.max", NULL);
    return bytes > 0 ? bytes : INFINITY;
}

static double memory_v1(const char *folder)
{
    double bytes = read_number(folder, "memory.limit_in_bytes", NULL);
    return bytes > 0 && bytes < memory_unlimited_bytes ? bytes : INFINITY;
}

/* The least limit of root/group and of all folders above it, root included. A container
 * often does not see its own group's path: folders that are not there limit nothing. */
static double least_upward(const char *root, const char *group,
                           double (*limit)(const char *folder))
{
    struct strbuf folder;
    strbuf_init(&folder);
    strbuf_printf(&folder, "%s%s", root, group);
    size_t root_len = strlen(root);
    double least = INFINITY;
    for (;;) {
        least = fmin(least, limit(folder.s));
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
    double (*v1)(const char *folder);
    double (*v2)(const char *folder);
};

static double subfolder_least(const char *root, const char *sub, const char *group,
                              double (*limit)(const char *folder))
{
    struct strbuf b;
    strbuf_init(&b);
    strbuf_printf(&b, "%s/%s", root, sub);
    double least = least_upward(b.s, group, limit);
    strbuf_release(&b);
    return least;
}

/* A line of /proc/self/cgroup, "number:controllers:group"; version 2 has no controllers.
 */
static double line_limit(const char *root, char *line, const struct limit_kind *kind)
{
    char *controllers = strchr(line, ':');
    char *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return INFINITY;
    *controllers++ = '\0';
    *group++ = '\0';
    if (!*controllers) /* alone, or beside version 1 in a folder of its own */
        return fmin(least_upward(root, group, kind->v2),
                    subfolder_least(root, "unified", group, kind->v2));
    if (list_has(controllers, kind->controller))
        return subfolder_least(root, kind->controller, group, kind->v1);
    return INFINITY;
}

static double cgroup_limit(const char *root, const char *of_self,
                           const struct limit_kind *kind)
{
    char *text;
    size_t len;
    double least = INFINITY;
    if (file_read(&text, &len, of_self, SELF_FILE_MAX, NULL))
        return least;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));)
        least = fmin(least, line_limit(root, line, kind));
    mem_free(text);
    return least;
}

double cgroup_cpu_cores(const char *root, const char *of_self)
{
    static const struct limit_kind cpu = {"cpu", cores_v1, cores_v2};
    return cgroup_limit(root, of_self, &cpu);
}

double cgroup_memory_bytes(const char *root, const char *of_self)
{
    static const struct limit_kind memory = {"memory", memory_v1, memory_v2};
    return cgroup_limit(root, of_self, &memory);
}
