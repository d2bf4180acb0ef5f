#include "data/folder_list.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/mem.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool folder_name_ends(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && !strcmp(name + n - m, suffix);
}

static void list_add(struct folder_list *l, char *path)
{
    vec_grow(l->path, l->cap, l->n + 1);
    l->path[l->n++] = path;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum status folder_list_read(struct folder_list *l, const char *dir, const char *suffix,
                             struct err *err)
{
    struct folder_reader f;
    *l = (struct folder_list){0};
    folder_open(&f, dir);
    for (const char *name; (name = folder_next(&f));) {
        if (name[0] == '.' || !folder_name_ends(name, suffix))
            continue;
        struct stat s;
        char *path = path_join(dir, name);
        if (!stat(path, &s) && S_ISREG(s.st_mode))
            list_add(l, path);
        else
            mem_free(path);
    }
    if (l->n)
        qsort(l->path, l->n, sizeof *l->path, compare);
    enum status st = folder_close(&f, err);
    if (st)
        folder_list_release(l);
    return st;
}

void folder_list_one(struct folder_list *l, const char *path)
{
    *l = (struct folder_list){0};
    list_add(l, mem_strdup(path));
}

void folder_list_release(struct folder_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        mem_free(l->path[i]);
    mem_free(l->path);
    *l = (struct folder_list){0};
}
