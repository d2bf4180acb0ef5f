#include "cli/path_list.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

void path_list_init(struct path_list *l)
{
    *l = (struct path_list){0};
}

void path_list_release(struct path_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        mem_free(l->path[i]);
    mem_free(l->path);
    path_list_init(l);
}

static bool ends_with(const char *s, const char *end)
{
    size_t ls = strlen(s), le = strlen(end);
    return ls > le && !strcmp(s + ls - le, end);
}

bool path_is_run_or_trace(const char *path)
{
    return ends_with(path, ".gait") || ends_with(path, ".json") ||
           ends_with(path, ".json.gz");
}

static void append(struct path_list *l, char *path)
{
    vec_grow(l->path, l->cap, l->n + 1);
    l->path[l->n++] = path;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum status add_folder(struct path_list *l, const char *folder, struct err *err)
{
    DIR *d = opendir(folder);
    if (!d)
        return file_err(err, "read", folder);
    size_t first = l->n, len = strlen(folder);
    const char *slash = len && folder[len - 1] == '/' ? "" : "/";
    struct strbuf path;
    strbuf_init(&path);
    for (struct dirent *e; (e = readdir(d)) && l->n - first < PATH_LIST_MAX;) {
        if (e->d_name[0] == '.' || !path_is_run_or_trace(e->d_name))
            continue;
        strbuf_printf(&path, "%s%s%s", folder, slash, e->d_name);
        append(l, strbuf_detach(&path));
    }
    strbuf_release(&path);
    closedir(d);
    if (l->n == first)
        return err_set(err, STATUS_INPUT,
                       "%s holds no run or trace (*.gait, *.json, *.json.gz); name the "
                       "files",
                       folder);
    qsort(l->path + first, l->n - first, sizeof *l->path, compare_paths);
    return STATUS_OK;
}

enum status path_list_add(struct path_list *l, const char *operand, struct err *err)
{
    if (file_is_dir(operand))
        return add_folder(l, operand, err);
    append(l, mem_strdup(strcmp(operand, "-") ? operand : "/dev/stdin"));
    return STATUS_OK;
}
