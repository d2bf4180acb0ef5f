/*
 * Each file of patterns is a list, and lists are linked from a folder outwards: the last
 * pattern of the nearest list that matches decides (gitignore(5)). Patterns are compared as
 * git does: what stands before the first wildcard byte by byte, the rest by base/glob.h.
 */
#include "lint/git_ignore.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LIST_BYTES_MAX = 1 << 20, /* of one file; what people write has a few hundred lines */
    LINK_BYTES_MAX = 1 << 13, /* of a file that names a path */
    PATTERNS_MAX = 1000 * 1000,
};
/* Work is bytes of patterns times bytes of names, at most a few nanoseconds each: so much in
 * any case, and so much more for each name. A hundred patterns take a tenth of it. */
static const uint64_t work_free = 1000 * 1000 * 1000, work_per_name = 100 * 1000;

struct git_pattern {
    const char *text;           /* without "!" and slashes at its ends */
    uint32_t len, plain;        /* bytes before the first wildcard */
    bool keeps;                 /* "!": what it matches is not left out */
    bool suffix;                /* a star, then no wildcard, for names */
    bool only_folders, in_name; /* in_name: no slash; it is for names in any folder */
};

struct git_list {
    size_t base; /* bytes of the folder that its patterns begin in, with a slash */
    struct git_pattern *pattern;
    size_t n, cap;
    const struct git_list *outer;
    struct git_list *before; /* that was read before this one */
};

struct git_folder {
    const char *real;
    bool in_repository;
    const struct git_list *lists; /* the nearest first */
};

struct git_ignore {
    struct arena memory;
    struct git_list *newest; /* of all, to free their patterns */
    size_t n_patterns;
    uint64_t work, asked; /* asked: names */
};

struct git_ignore *git_ignore_new(void)
{
    struct git_ignore *g = mem_zalloc(1, sizeof *g);
    arena_init(&g->memory);
    return g;
}

void git_ignore_free(struct git_ignore *g)
{
    if (!g)
        return;
    for (struct git_list *l = g->newest; l; l = l->before)
        mem_free(l->pattern);
    arena_release(&g->memory);
    mem_free(g);
}

/* --- patterns */

/* Blanks at the end of a line go, unless a backslash keeps them. */
static size_t without_blanks(const char *line, size_t len)
{
    size_t kept = 0;
    for (size_t i = 0; i < len; i++) {
        if (line[i] == '\\')
            i++;
        else if (line[i] == ' ')
            continue;
        kept = i < len ? i + 1 : len;
    }
    return kept;
}

/* Of three stars or more, two are left: they mean the same, here and in base/glob.h. */
static const char *keep_text(struct arena *a, const char *text, size_t len)
{
    char *kept = arena_strndup(a, text, len);
    size_t n = 0;
    for (size_t i = 0; kept[i]; i++)
        if (n < 2 || kept[i] != '*' || kept[n - 1] != '*' || kept[n - 2] != '*')
            kept[n++] = kept[i];
    kept[n] = '\0';
    return kept;
}

/* "*.pyc" of a name: the usual pattern, taken without a walk over both. */
static bool is_suffix(const struct git_pattern *p)
{
    return p->in_name && *p->text == '*' && !strpbrk(p->text + 1, "*?[\\");
}

/* One line; what is no pattern, or can match nothing, adds none. */
static void add_pattern(struct git_ignore *g, struct git_list *l, const char *line,
                        size_t len)
{
    struct git_pattern p = {.keeps = *line == '!'};
    line += p.keeps;
    len -= p.keeps;
    if (len && line[len - 1] == '/') {
        p.only_folders = true;
        len--;
    }
    p.in_name = !memchr(line, '/', len);
    if (len && *line == '/') {
        line++;
        len--;
    }
    p.text = keep_text(&g->memory, line, len);
    if (!*p.text || !glob_is_whole(p.text))
        return;
    p.len = (uint32_t)strlen(p.text);
    p.plain = (uint32_t)strcspn(p.text, "*?[\\");
    p.suffix = is_suffix(&p);
    vec_grow(l->pattern, l->cap, l->n + 1);
    l->pattern[l->n++] = p;
    g->n_patterns++;
}

static void add_line(struct git_ignore *g, struct git_list *l, const char *line,
                     size_t len)
{
    if (!len || *line == '#')
        return;
    if (line[len - 1] == '\r')
        len--;
    len = without_blanks(line, len);
    if (len)
        add_pattern(g, l, line, len);
}

static void add_lines(struct git_ignore *g, struct git_list *l, const char *text)
{
    static const char mark[] = "\xef\xbb\xbf"; /* byte order mark */
    if (!strncmp(text, mark, strlen(mark)))
        text += strlen(mark);
    while (*text) {
        size_t len = strcspn(text, "\n");
        add_line(g, l, text, len);
        text += len + (text[len] == '\n');
    }
}

/* The patterns of a file for the folder in; no list where there are none. */
static enum status read_list(struct git_ignore *g, struct git_folder *in,
                             const char *path, struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, LIST_BYTES_MAX, err);
    if (st)
        return st;
    struct git_list *l = arena_alloc(&g->memory, sizeof *l);
    *l = (struct git_list){.base = strlen(in->real) + (in->real[1] != '\0'),
                           .outer = in->lists};
    l->before = g->newest;
    g->newest = l;
    add_lines(g, l, text);
    mem_free(text);
    if (l->n)
        in->lists = l;
    if (g->n_patterns > PATTERNS_MAX)
        return err_set(err, STATUS_INPUT,
                       "%s: more than %d patterns with those of other folders; "
                       "--no-respect-gitignore checks the files all the same",
                       path, PATTERNS_MAX);
    return STATUS_OK;
}

/* --- repositories */

/* The path that a small file names, behind `before`: NULL where it names none. */
static char *named_path(const char *folder, const char *file, const char *before)
{
    struct err err = ERR_INIT;
    char *path = path_join(folder, file), *text = NULL, *named = NULL;
    size_t len, skip = strlen(before);
    if (file_exists(path) && !file_read(&text, &len, path, LINK_BYTES_MAX, &err) &&
        !strncmp(text, before, skip)) {
        text[strcspn(text, "\r\n")] = '\0';
        const char *to = strlen(text) > skip ? text + skip : "";
        named = *to == '/' ? mem_strdup(to) : path_join(folder, to);
    }
    mem_free(text);
    mem_free(path);
    return named;
}

/* Where a repository keeps info/exclude. In a second work tree, and in a submodule, .git is
 * a file that names it. */
static char *git_folder_of(const char *top)
{
    char *own = path_join(top, ".git");
    if (file_is_dir(own))
        return own;
    char *named = named_path(top, ".git", "gitdir: ");
    char *shared = named ? named_path(named, "commondir", "") : NULL;
    mem_free(own);
    if (!shared)
        return named;
    mem_free(named);
    return shared;
}

static enum status read_exclude(struct git_ignore *g, struct git_folder *top,
                                struct err *err)
{
    char *folder = git_folder_of(top->real);
    char *path = folder ? path_join(folder, "info/exclude") : NULL;
    enum status st = path && file_exists(path) && !file_is_dir(path)
                         ? read_list(g, top, path, err)
                         : STATUS_OK;
    mem_free(path);
    mem_free(folder);
    return st;
}

static bool is_top(const char *real)
{
    char *path = path_join(real, ".git");
    bool yes = file_exists(path);
    mem_free(path);
    return yes;
}

/* As git: only a file itself, no link to one. */
static enum status read_gitignore(struct git_ignore *g, struct git_folder *f,
                                  struct err *err)
{
    struct stat here;
    char *path = path_join(f->real, ".gitignore");
    enum status st = !lstat(path, &here) && S_ISREG(here.st_mode)
                         ? read_list(g, f, path, err)
                         : STATUS_OK;
    mem_free(path);
    return st;
}

/* A repository in another one knows its own patterns only. */
static enum status add_folder(struct git_ignore *g, const struct git_folder **out,
                              const struct git_folder *in, const char *real,
                              struct err *err)
{
    struct git_folder *f = arena_alloc(&g->memory, sizeof *f);
    bool top = is_top(real);
    *f = (struct git_folder){.real = real,
                             .in_repository = top || (in && in->in_repository),
                             .lists = top || !in ? NULL : in->lists};
    enum status st = top ? read_exclude(g, f, err) : STATUS_OK;
    if (!st && f->in_repository)
        st = read_gitignore(g, f, err);
    *out = f;
    return st;
}

enum status git_ignore_enter(struct git_ignore *g, const struct git_folder **out,
                             const struct git_folder *in, const char *name,
                             struct err *err)
{
    char *real = path_join(in->real, name);
    enum status st = add_folder(g, out, in, arena_strdup(&g->memory, real), err);
    mem_free(real);
    return st;
}

/* Bytes of the path of the nearest repository's top; all of them where there is none. */
static size_t top_length(const char *real)
{
    char *folder = mem_strdup(real);
    size_t len = strlen(real), found = len;
    for (bool more = true; more;) {
        if (is_top(folder)) {
            found = strlen(folder);
            break;
        }
        char *slash = strrchr(folder, '/');
        more = slash && folder[1];
        if (more)
            slash[slash == folder] = '\0';
    }
    mem_free(folder);
    return found;
}

enum status git_ignore_open(struct git_ignore *g, const struct git_folder **out,
                            const char *path, struct err *err)
{
    char *found = realpath(*path ? path : ".", NULL);
    const char *real = arena_strdup(&g->memory, found ? found : path);
    free(found); /* of realpath */
    size_t at = top_length(real);
    enum status st = add_folder(g, out, NULL, arena_strndup(&g->memory, real, at), err);
    while (!st && real[at]) {
        at += real[at] == '/';
        size_t len = strcspn(real + at, "/");
        char *name = mem_strndup(real + at, len);
        st = git_ignore_enter(g, out, *out, name, err);
        mem_free(name);
        at += len;
    }
    return st;
}

/* --- what is left out */

static bool ends_with(const char *text, const struct git_pattern *p)
{
    size_t len = strlen(text), end = p->len - 1;
    return len >= end && !strcmp(text + len - end, p->text + 1);
}

/* text: a name, or a path from the list's folder. */
static bool pattern_matches(struct git_ignore *g, const struct git_pattern *p,
                            const char *text)
{
    g->work += 1 + p->plain;
    if (p->suffix)
        return ends_with(text, p);
    if (!p->in_name || p->plain == p->len) {
        if (strncmp(p->text, text, p->plain) != 0)
            return false;
        text += p->plain;
    }
    const char *rest = p->text + (p->in_name && p->plain < p->len ? 0 : p->plain);
    if (!*rest)
        return !*text;
    g->work += (uint64_t)p->len * (strlen(text) + 1);
    return glob_match(rest, text, GLOB_STAR_IN_NAME);
}

static const struct git_pattern *last_match(struct git_ignore *g,
                                            const struct git_list *l, const char *path,
                                            const char *name, bool is_folder)
{
    for (size_t i = l->n; i-- > 0;) {
        const struct git_pattern *p = &l->pattern[i];
        if ((is_folder || !p->only_folders) &&
            pattern_matches(g, p, p->in_name ? name : path + l->base))
            return p;
    }
    return NULL;
}

enum status git_ignore_has(struct git_ignore *g, bool *out, const struct git_folder *in,
                           const char *name, bool is_folder, struct err *err)
{
    const struct git_pattern *p = NULL;
    *out = false;
    if (!in->lists)
        return STATUS_OK;
    char *path = path_join(in->real, name);
    for (const struct git_list *l = in->lists; l && !p; l = l->outer)
        p = last_match(g, l, path, name, is_folder);
    mem_free(path);
    *out = p && !p->keeps;
    if (g->work > work_free + ++g->asked * work_per_name)
        return err_set(err, STATUS_INPUT,
                       "the .gitignore files take too long to match; "
                       "--no-respect-gitignore checks the files all the same");
    return STATUS_OK;
}
