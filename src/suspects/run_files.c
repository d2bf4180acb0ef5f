#include "suspects/run_files.h"

#include "base/mem.h"
#include "base/path.h"
#include "run/name_sort.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool frame_name_read(struct frame_name *f, const char *name)
{
    const char *number = strstr(name, ".py(");
    if (!number || name_sort(name, strlen(name)) != NAME_SORT_LINE)
        return false;
    char *end;
    long line = strtol(number + strlen(".py("), &end, 10);
    if (strncmp(end, "): ", 3) != 0 || line < 0 || line > INT32_MAX)
        return false;
    *f = (struct frame_name){.path_len = (size_t)(number - name) + strlen(".py"),
                             .line = (int32_t)line,
                             .function = end + 3};
    return true;
}

/* --- ends of paths --- */

/* The last component of s[0..*len), and *len before it; "." is none. */
static const char *last_part(const char *s, size_t *len, size_t *part_len)
{
    for (;;) {
        while (*len && (s[*len - 1] == '/' || s[*len - 1] == '\\'))
            --*len;
        size_t end = *len;
        while (*len && s[*len - 1] != '/' && s[*len - 1] != '\\')
            --*len;
        *part_len = end - *len;
        if (*part_len != 1 || s[*len] != '.')
            return s + *len;
    }
}

/* How many components both end with; *all_of_a: a is all of them. */
static int32_t common_parts(const char *a, size_t a_len, const char *b, size_t b_len,
                            bool *all_of_a)
{
    for (int32_t n = 0;; n++) {
        size_t x_len, y_len;
        const char *x = last_part(a, &a_len, &x_len), *y = last_part(b, &b_len, &y_len);
        *all_of_a = !x_len;
        if (!x_len || x_len != y_len || memcmp(x, y, x_len) != 0)
            return n;
    }
}

/* --- paths of the run --- */

struct run_path {
    const char *path; /* (len) */
    size_t len;
    int32_t file;
    int32_t common; /* components that it shares with that file's path */
    int32_t whole;  /* of the two paths, which are nothing but these components */
    bool shortened; /* this one is: it may be any file that ends so */
};

static bool is_installed(const char *path, size_t len)
{
    static const char word[] = "-packages/";
    for (size_t i = 0; i + sizeof word - 1 <= len; i++)
        if (!memcmp(path + i, word, sizeof word - 1))
            return true;
    return false;
}

static struct run_path fit(struct run_path p, int32_t file, const char *given,
                           const char *absolute)
{
    bool all_of_given, all_of_run;
    if (is_installed(p.path, p.len) && !is_installed(absolute, strlen(absolute)))
        return p;
    p.file = file;
    p.common = common_parts(p.path, p.len, absolute, strlen(absolute), &all_of_run);
    common_parts(given, strlen(given), p.path, p.len, &all_of_given);
    p.whole = all_of_run + all_of_given;
    p.shortened = all_of_run && p.path[0] != '/';
    return p;
}

/* Common components count first; of equal ones what is wholly the other's end. */
static int compare_fit(const struct run_path *a, const struct run_path *b)
{
    return a->common != b->common ? a->common - b->common : a->whole - b->whole;
}

static void find_file(struct run_path *p, const struct lint_result *lint,
                      char *const *absolute)
{
    struct run_path none = *p;
    for (size_t i = 0; i < lint->n; i++) {
        struct run_path x = fit(none, (int32_t)i, lint->files[i].path, absolute[i]);
        int order = compare_fit(&x, p);
        if (x.common && order > 0)
            *p = x;
        else if (x.common && !order)
            p->file = NO_FILE;
    }
}

/* Of a file that several paths of the run end like: does b leave no room for a? Where
 * neither has more in common with it, both go. */
static bool is_displaced(const struct run_path *a, const struct run_path *b)
{
    return a->file == b->file && !a->shortened && !b->shortened && a->common <= b->common;
}

static void keep_best(struct run_path *paths, size_t n)
{
    uint8_t *goes = mem_zalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            goes[i] |= k != i && is_displaced(&paths[i], &paths[k]);
    for (size_t i = 0; i < n; i++)
        if (goes[i])
            paths[i].file = NO_FILE;
    mem_free(goes);
}

/* --- all of them --- */

/* The path that a name of the run is or begins with; its length, 0: none. */
static size_t path_in(const struct run *run, const uint8_t *is_file, name_id name)
{
    struct frame_name frame;
    const char *s = run_name(run, name);
    return is_file[name] ? strlen(s) : frame_name_read(&frame, s) ? frame.path_len : 0;
}

/* path_of: (names of the run) id in paths, or 0. */
static void collect_paths(struct names *paths, name_id *path_of, const struct run *run)
{
    uint8_t *is_file = mem_zalloc(run->names.n + 1, 1);
    for (size_t i = 0; i < run->lines.table.n; i++)
        is_file[run->lines.file[i]] = 1;
    for (size_t i = 0; i < run->names.n; i++) {
        size_t len = path_in(run, is_file, (name_id)i);
        path_of[i] = names_add(paths, run_name(run, (name_id)i), len);
    }
    mem_free(is_file);
}

static char *absolute_path(const char *path)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    char *absolute = here ? path_join(here, path) : mem_strdup(path);
    free(here);
    return absolute;
}

static struct run_path *match_paths(const struct names *paths,
                                    const struct lint_result *lint)
{
    char **absolute = mem_zalloc(lint->n + 1, sizeof *absolute);
    struct run_path *all = mem_zalloc(paths->n + 1, sizeof *all);
    for (size_t i = 0; i < lint->n; i++)
        absolute[i] = absolute_path(lint->files[i].path);
    for (size_t i = 0; i < paths->n; i++) {
        const char *path = names_str(paths, (name_id)i);
        all[i] = (struct run_path){.path = path, .len = strlen(path), .file = NO_FILE};
        find_file(&all[i], lint, absolute);
    }
    keep_best(all, paths->n);
    for (size_t i = 0; i < lint->n; i++)
        mem_free(absolute[i]);
    mem_free(absolute);
    return all;
}

void run_files_init(struct run_files *f, const struct run *run,
                    const struct lint_result *lint)
{
    struct names paths;
    name_id *path_of = mem_zalloc(run->names.n + 1, sizeof *path_of);
    names_init(&paths);
    collect_paths(&paths, path_of, run);
    struct run_path *matched = match_paths(&paths, lint);
    f->file = mem_alloc((run->names.n + 1) * sizeof *f->file);
    for (size_t i = 0; i < run->names.n; i++)
        f->file[i] = matched[path_of[i]].file;
    mem_free(matched);
    mem_free(path_of);
    names_release(&paths);
}

void run_files_release(struct run_files *f)
{
    mem_free(f->file);
}
