/*
 * Folders that are still to be read wait in a list, so that neither depth nor width takes
 * stack or open descriptors. Names are compared by their real path at the end: a file
 * that is reached by several ways is linted, and fixed, once.
 */
#include "lint/lint_paths.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "lint/git_ignore.h"
#include "lint/lint_rule.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char standard_input[] = "-";

struct found_file {
    const char *path, *real;
    bool is_link;
};

struct waiting_folder {
    const char *path;                /* ends with a slash; "": the working folder */
    bool only_matches;               /* of the pattern; else all */
    const struct git_folder *around; /* where it was found; NULL: not known */
};

struct search {
    struct lint_paths *to;
    struct lint_settings *settings;
    struct git_ignore *git;
    struct err *err;
    struct found_file *file;
    size_t n, cap;
    struct waiting_folder *waiting;
    size_t n_waiting, cap_waiting;
    const char *pattern; /* of the operand at hand */
    bool deep;           /* it holds "**" */
    size_t slashes;      /* in it */
};

void lint_paths_release(struct lint_paths *p)
{
    mem_free(p->path);
    mem_free(p->failure);
    arena_release(&p->text);
}

static enum status add_file(struct search *s, const char *path)
{
    if (s->n == LINT_PATHS_MAX)
        return err_set(s->err, STATUS_INPUT,
                       "more than %d files; name fewer folders, or exclude some",
                       LINT_PATHS_MAX);
    struct stat here;
    char *real = realpath(path, NULL);
    vec_grow(s->file, s->cap, s->n + 1);
    s->file[s->n++] = (struct found_file){
        .path = arena_strdup(&s->to->text, path),
        .real = arena_strdup(&s->to->text, real ? real : path),
        .is_link = !lstat(path, &here) && S_ISLNK(here.st_mode),
    };
    free(real); /* of realpath */
    return STATUS_OK;
}

/* errno says why. */
static void add_failure(struct search *s, const char *path)
{
    struct lint_paths *p = s->to;
    struct err why = ERR_INIT;
    file_err(&why, "read", *path ? path : ".");
    vec_grow(p->failure, p->cap_failures, p->n_failures + 1);
    p->failure[p->n_failures].path = arena_strdup(&p->text, path);
    p->failure[p->n_failures++].why = arena_strdup(&p->text, why.text);
}

static void add_folder(struct search *s, const char *path, bool only_matches,
                       const struct git_folder *around)
{
    size_t len = strlen(path);
    bool slash = len && path[len - 1] != '/';
    char *with_slash = slash ? path_join(path, "") : mem_strdup(path);
    vec_grow(s->waiting, s->cap_waiting, s->n_waiting + 1);
    s->waiting[s->n_waiting++] = (struct waiting_folder){
        arena_strdup(&s->to->text, with_slash), only_matches, around};
    mem_free(with_slash);
}

static bool is_python(const char *name)
{
    size_t len = strlen(name);
    return len > 3 && !strcmp(name + len - 3, ".py");
}

static size_t slashes_in(const char *s)
{
    size_t n = 0;
    for (; *s; s++)
        n += *s == '/';
    return n;
}

/* May the pattern match something below this folder? */
static bool leads_on(const struct search *s, const char *folder)
{
    return s->deep || slashes_in(folder) < s->slashes;
}

/* A folder within a folder; one that the pattern matches is taken whole. */
static void take_folder(struct search *s, const char *path, bool only_matches,
                        const struct git_folder *around)
{
    bool whole = !only_matches || glob_match(s->pattern, path, GLOB_STAR_IN_NAME);
    if (whole || leads_on(s, path))
        add_folder(s, path, !whole, around);
}

static bool is_wanted_file(const struct search *s, const struct waiting_folder *in,
                           const char *path)
{
    return is_python(path_name(path)) &&
           (!in->only_matches || glob_match(s->pattern, path, GLOB_STAR_IN_NAME));
}

/* git: the patterns that hold in the folder, NULL: none are asked. */
static enum status take_child(struct search *s, const struct waiting_folder *in,
                              const struct git_folder *git, const char *path)
{
    struct stat here;
    if (lint_settings_excludes(s->settings, path))
        return STATUS_OK;
    if (lstat(path, &here)) {
        if (errno != ENOENT) /* it may be gone by now */
            add_failure(s, path);
        return STATUS_OK;
    }
    bool folder = S_ISDIR(here.st_mode), ignored = false;
    if (!folder && !is_wanted_file(s, in, path))
        return STATUS_OK;
    enum status st =
        git ? git_ignore_has(s->git, &ignored, git, path_name(path), folder, s->err)
            : STATUS_OK;
    if (st || ignored)
        return st;
    if (folder) {
        take_folder(s, path, in->only_matches, git);
        return STATUS_OK;
    }
    if (S_ISLNK(here.st_mode) && (stat(path, &here) || !S_ISREG(here.st_mode)))
        return STATUS_OK;
    return S_ISREG(here.st_mode) ? add_file(s, path) : STATUS_OK;
}

/* What git ignores in the folder: *out stays NULL where that is not asked. */
static enum status find_patterns(struct search *s, const struct git_folder **out,
                                 const struct waiting_folder *w)
{
    if (!lint_settings_respects_gitignore(s->settings, w->path))
        return STATUS_OK;
    if (!w->around)
        return git_ignore_open(s->git, out, w->path, s->err);
    size_t len = strlen(w->path) - 1; /* without the slash at its end */
    size_t begin = len;
    while (begin && w->path[begin - 1] != '/')
        begin--;
    char *name = mem_strndup(w->path + begin, len - begin);
    enum status st = git_ignore_enter(s->git, out, w->around, name, s->err);
    mem_free(name);
    return st;
}

/* The settings are those of the folder, for all that is in it. */
static enum status read_folder(struct search *s, const struct waiting_folder *w)
{
    struct folder_reader f;
    struct strbuf path;
    const struct git_folder *git = NULL;
    enum status st = STATUS_OK;
    strbuf_init(&path);
    folder_open(&f, *w->path ? w->path : ".");
    if (!f.failed)
        st = lint_settings_prepare(s->settings, w->path, s->err);
    if (!f.failed && !st)
        st = find_patterns(s, &git, w);
    for (const char *name; !st && (name = folder_next(&f));) {
        strbuf_clear(&path);
        strbuf_printf(&path, "%s%s", w->path, name);
        st = take_child(s, w, git, path.s);
    }
    strbuf_release(&path);
    if (folder_close(&f, NULL))
        add_failure(s, w->path);
    return st;
}

static enum status read_waiting(struct search *s)
{
    enum status st = STATUS_OK;
    while (s->n_waiting && !st) {
        struct waiting_folder w = s->waiting[--s->n_waiting];
        st = read_folder(s, &w);
    }
    return st;
}

/* Without "./" and double slashes, so that one file has one name; "" is the working
 * folder. */
static char *plain_path(const char *path)
{
    struct strbuf out;
    strbuf_init(&out);
    for (const char *s = path; *s; s++) {
        bool begins = s == path || s[-1] == '/';
        if (begins && s[0] == '.' && (s[1] == '/' || !s[1])) {
            while (s[1] == '/')
                s++;
            continue;
        }
        if (*s == '/' && out.len && out.s[out.len - 1] == '/')
            continue;
        strbuf_putc(&out, *s);
    }
    return out.s;
}

/* The folder in which the first component with a star, ? or [ lies. */
static char *folder_before_wildcards(const char *pattern)
{
    size_t end = 0, wild = strcspn(pattern, "*?[");
    for (size_t i = 0; i < wild; i++)
        if (pattern[i] == '/')
            end = i + 1;
    return mem_strndup(pattern, end);
}

static enum status find_matches(struct search *s, const char *pattern)
{
    size_t before = s->n, failures = s->to->n_failures;
    char *folder = folder_before_wildcards(pattern);
    s->pattern = pattern;
    s->deep = strstr(pattern, "**");
    s->slashes = slashes_in(pattern);
    if (!file_is_absent(*folder ? folder : "."))
        add_folder(s, folder, true, NULL);
    mem_free(folder);
    enum status st = read_waiting(s);
    if (!st && s->n == before && s->to->n_failures == failures)
        st = err_set(s->err, STATUS_INPUT,
                     "no Python file (*.py) matches %s; check the pattern", pattern);
    return st;
}

static enum status say_absent(struct search *s, const char *operand)
{
    if (lint_rule_find(operand))
        return err_set(s->err, STATUS_INPUT,
                       "%s is a rule, no file; rules are separated by commas: "
                       "--select GT101,GT102",
                       operand);
    errno = ENOENT;
    return file_err(s->err, "read", operand);
}

static enum status take_operand(struct search *s, const char *operand)
{
    if (!*operand)
        return err_set(
            s->err, STATUS_USAGE,
            "an operand is empty, as \"$FILES\" is where FILES is not set; name "
            "files, or none for the working folder");
    char *path = plain_path(operand);
    const char *opened = *path ? path : ".";
    enum status st;
    if (file_is_dir(opened)) {
        add_folder(s, path, false, NULL);
        st = read_waiting(s);
    } else if (glob_is_pattern(path) && file_is_absent(path)) {
        st = find_matches(s, path);
    } else if (file_is_absent(path)) {
        st = say_absent(s, operand);
    } else {
        st = lint_settings_prepare(s->settings, path, s->err);
        st = st ? st : add_file(s, path);
    }
    mem_free(path);
    return st;
}

static enum status take_standard_input(struct search *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->file[i].path, standard_input))
            return err_set(s->err, STATUS_USAGE,
                           "standard input (-) is named twice; name it once");
    enum status st = lint_settings_prepare(s->settings, standard_input, s->err);
    vec_grow(s->file, s->cap, s->n + 1);
    s->file[s->n++] = (struct found_file){standard_input, standard_input, false};
    return st;
}

static int compare_files(const void *a, const void *b)
{
    const struct found_file *x = a, *y = b;
    return strcmp(x->path, y->path);
}

/* The file itself before links to it: patch(1) changes no links. */
static int compare_real(const void *a, const void *b)
{
    const struct found_file *x = a, *y = b;
    int by_real = strcmp(x->real, y->real);
    if (!by_real && x->is_link != y->is_link)
        return x->is_link ? 1 : -1;
    return by_real ? by_real : strcmp(x->path, y->path);
}

static int compare_failures(const void *a, const void *b)
{
    const struct lint_path_failure *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static void hand_over(struct search *s)
{
    struct lint_paths *p = s->to;
    size_t kept = 0;
    if (s->n)
        qsort(s->file, s->n, sizeof *s->file, compare_real);
    for (size_t i = 0; i < s->n; i++)
        if (!i || strcmp(s->file[i].real, s->file[kept - 1].real) != 0)
            s->file[kept++] = s->file[i];
    if (kept)
        qsort(s->file, kept, sizeof *s->file, compare_files);
    for (size_t i = 0; i < kept; i++) {
        vec_grow(p->path, p->cap, p->n + 1);
        p->path[p->n++] = s->file[i].path;
    }
    if (p->n_failures)
        qsort(p->failure, p->n_failures, sizeof *p->failure, compare_failures);
}

enum status lint_paths_find(struct lint_paths *p, const char *const *operands, size_t n,
                            struct lint_settings *settings, struct err *err)
{
    static const char *const here[] = {"."};
    struct search s = {
        .to = p, .settings = settings, .git = git_ignore_new(), .err = err};
    enum status st = STATUS_OK;
    *p = (struct lint_paths){0};
    arena_init(&p->text);
    for (size_t i = 0; i < (n ? n : 1) && !st; i++) {
        const char *operand = n ? operands[i] : here[0];
        st = strcmp(operand, standard_input) ? take_operand(&s, operand)
                                             : take_standard_input(&s);
    }
    if (!st)
        hand_over(&s);
    else
        lint_paths_release(p);
    mem_free(s.file);
    mem_free(s.waiting);
    git_ignore_free(s.git);
    return st;
}
