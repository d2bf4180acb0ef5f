#include "load/path_list.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/mem.h"
#include "base/strbuf.h"

#include <glob.h>
#include <stdio.h>
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
    static const char *const ends[] = {".gait", ".json", ".json.gz", ".zst"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(path, ends[i]))
            return true;
    return false;
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
    struct folder_reader f;
    size_t first = l->n, len = strlen(folder);
    const char *slash = len && folder[len - 1] == '/' ? "" : "/";
    struct strbuf path;
    strbuf_init(&path);
    folder_open(&f, folder);
    for (const char *name; l->n - first < PATH_LIST_MAX && (name = folder_next(&f));) {
        if (name[0] == '.' || !path_is_run_or_trace(name))
            continue;
        strbuf_printf(&path, "%s%s%s", folder, slash, name);
        append(l, strbuf_detach(&path));
    }
    strbuf_release(&path);
    enum status st = folder_close(&f, err);
    if (st)
        return st;
    if (l->n == first)
        return err_set(err, STATUS_INPUT,
                       "%s holds no run or trace (*.gait, *.json, *.json.gz, "
                       "*.zst); name the files",
                       folder);
    qsort(l->path + first, l->n - first, sizeof *l->path, compare_paths);
    return STATUS_OK;
}

static enum status add_matches(struct path_list *l, const char *pattern, struct err *err)
{
    glob_t found = {0};
    int rc = glob(pattern, 0, NULL, &found);
    for (size_t i = 0; !rc && i < found.gl_pathc; i++)
        append(l, mem_strdup(found.gl_pathv[i]));
    globfree(&found);
    if (!rc)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT, "no file matches %s; check the pattern", pattern);
}

static bool is_pattern(const char *operand)
{
    return strpbrk(operand, "*?[") && !file_exists(operand);
}

/* One line of a list: a path, without the blanks and carriage return around it. */
static enum status add_line(struct path_list *l, char *line, struct err *err)
{
    static const char blanks[] = " \t\r";
    line += strspn(line, blanks);
    size_t len = strlen(line);
    while (len && strchr(blanks, line[len - 1]))
        line[--len] = '\0';
    if (!len || *line == '#')
        return STATUS_OK;
    if (l->n >= PATH_LIST_MAX)
        return err_set(err, STATUS_INPUT, "more than %d files; give fewer",
                       (int)PATH_LIST_MAX);
    if (*line == '@' && !file_exists(line)) /* no lists of lists: they could go round */
        return err_set(err, STATUS_INPUT, "a list names another list, %s; join them",
                       line);
    return path_list_add(l, line, err);
}

static enum status add_lines(struct path_list *l, FILE *f, struct err *err)
{
    char *line = NULL;
    size_t cap = 0;
    enum status st = STATUS_OK;
    for (ssize_t len; !st && (len = getline(&line, &cap, f)) >= 0;) {
        if (len && line[len - 1] == '\n')
            line[len - 1] = '\0';
        st = add_line(l, line, err);
    }
    free(line); /* of getline */
    return st;
}

static enum status add_list(struct path_list *l, const char *list, struct err *err)
{
    const char *path = strcmp(list, "-") ? list : "/dev/stdin";
    FILE *f;
    enum status st = file_open_stream(&f, path, err);
    if (st)
        return st;
    size_t first = l->n;
    st = add_lines(l, f, err);
    fclose(f);
    if (!st && l->n == first)
        st = err_set(err, STATUS_INPUT, "%s names no file; write one path a line", path);
    return st;
}

enum status path_list_add(struct path_list *l, const char *operand, struct err *err)
{
    if (file_is_dir(operand))
        return add_folder(l, operand, err);
    if (*operand == '@' && !file_exists(operand))
        return add_list(l, operand + 1, err);
    if (is_pattern(operand))
        return add_matches(l, operand, err);
    append(l, mem_strdup(strcmp(operand, "-") ? operand : "/dev/stdin"));
    return STATUS_OK;
}

static bool reads_stdin(const char *operand)
{
    return !strcmp(operand, "-") || !strcmp(operand, "/dev/stdin") ||
           (!strcmp(operand, "@-") && !file_exists(operand));
}

enum status path_list_check_stdin(const char *const *operands, size_t n, struct err *err)
{
    size_t times = 0;
    for (size_t i = 0; i < n; i++)
        times += reads_stdin(operands[i]);
    if (times < 2)
        return STATUS_OK;
    return err_set(
        err, STATUS_USAGE,
        "standard input (-) is named %zu times and can be read once; write the "
        "others to files",
        times);
}
