/*
 * Two tables of folders: by their text as it stands in paths, and by their real path, from
 * which the way up to the root leads. Each knows its settings, so that a folder is looked
 * at once; rules_of is what wants() asks, from any thread, and changes nothing.
 */
#include "lint/lint_settings.h"

#include "base/file.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "lint/lint_settings_file.h"

#include <stdlib.h>
#include <string.h>

/* What holds for the folders below one settings file. */
struct lint_scope {
    const char *origin; /* the file, NULL: none */
    const char *root;   /* real folder that its patterns are for */
    struct lint_settings_file said;
    bool *on;       /* (lint_rule_count) */
    bool *with_run; /* (lint_rule_count) on, or not switched off and up to a run */
};

struct lint_folder {
    const char *real;
    struct lint_scope *scope;
};

struct real_folder {
    struct lint_scope *scope; /* NULL: not known yet */
};

struct lint_settings {
    struct arena memory;
    struct lint_settings_file flags;
    const char *working_folder; /* real */
    struct lint_scope plain;    /* of --config, or without any file */
    bool one_file;              /* --config, --isolated: no other is read */
    bool has_run;
    struct names folders, reals;
    struct lint_folder *folder; /* (n_folder) by id; scope NULL: not prepared */
    struct real_folder *real;   /* (n_real) by id in reals */
    size_t n_folder, cap_folder, n_real, cap_real;
};

/* As ruff's, and what training leaves behind. */
static const char *const usual_excludes[] = {
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
};

static bool *rules_on(struct lint_settings *s, const struct lint_scope *scope, bool run)
{
    bool *on = arena_alloc(&s->memory, lint_rule_count * sizeof *on + 1);
    for (size_t i = 0; i < lint_rule_count; i++)
        on[i] = lint_rules[i].on || (run && lint_rules[i].with_run);
    lint_selection_apply(on, &scope->said.selection);
    lint_selection_apply(on, &s->flags.selection);
    return on;
}

static void init_scope(struct lint_settings *s, struct lint_scope *scope)
{
    scope->on = rules_on(s, scope, false);
    scope->with_run = rules_on(s, scope, true);
}

static enum status take_flags(struct lint_settings *s, const struct lint_flags *f,
                              struct err *err)
{
    struct lint_settings_file *to = &s->flags;
    const struct {
        const char *flag, *given;
        struct lint_words *to;
    } of_rules[] = {
        {"--select", f->select, &to->selection.select},
        {"--extend-select", f->extend_select, &to->selection.extend_select},
        {"--ignore", f->ignore, &to->selection.ignore},
        {"--extend-ignore", f->extend_ignore, &to->selection.extend_ignore},
    };
    enum status st = STATUS_OK;
    for (size_t i = 0; i < sizeof of_rules / sizeof *of_rules && !st; i++) {
        *of_rules[i].to = lint_words_split(&s->memory, of_rules[i].given);
        st = lint_words_check(of_rules[i].to, of_rules[i].flag, err);
    }
    to->exclude = lint_words_split(&s->memory, f->exclude);
    to->extend_exclude = lint_words_split(&s->memory, f->extend_exclude);
    to->respect_gitignore = f->no_respect_gitignore ? LINT_NO
                            : f->respect_gitignore  ? LINT_YES
                                                    : LINT_UNSAID;
    return st;
}

enum status lint_settings_new(struct lint_settings **out, const struct lint_flags *flags,
                              struct err *err)
{
    struct lint_settings *s = mem_zalloc(1, sizeof *s);
    arena_init(&s->memory);
    names_init(&s->folders);
    names_init(&s->reals);
    char *here = realpath(".", NULL);
    s->working_folder = arena_strdup(&s->memory, here ? here : ".");
    free(here); /* of realpath */
    s->one_file = flags->config || flags->isolated;
    s->has_run = flags->with_run;
    enum status st = take_flags(s, flags, err);
    if (!st && flags->config) {
        s->plain.origin = arena_strdup(&s->memory, flags->config);
        st =
            lint_settings_file_read_named(&s->plain.said, &s->memory, flags->config, err);
    }
    s->plain.root = s->working_folder;
    init_scope(s, &s->plain);
    if (st)
        lint_settings_free(s);
    else
        *out = s;
    return st;
}

void lint_settings_free(struct lint_settings *s)
{
    if (!s)
        return;
    names_release(&s->folders);
    names_release(&s->reals);
    mem_free(s->folder);
    mem_free(s->real);
    arena_release(&s->memory);
    mem_free(s);
}

/* As a user would name it: from the working folder where it is below. */
static const char *below_working_folder(const struct lint_settings *s, const char *path)
{
    size_t len = strlen(s->working_folder);
    return !strncmp(path, s->working_folder, len) && path[len] == '/' ? path + len + 1
                                                                      : path;
}

/* *out stays NULL where the folder has no settings file. */
static enum status scope_in(struct lint_settings *s, struct lint_scope **out,
                            const char *folder, struct err *err)
{
    bool found = false;
    char *path = path_join(folder, "pyproject.toml");
    enum status st = STATUS_OK;
    if (file_exists(path) && !file_is_dir(path)) {
        struct lint_scope scope = {0};
        st = lint_settings_file_read(&scope.said, &found, &s->memory, path,
                                     below_working_folder(s, path), err);
        if (!st && found) {
            scope.origin = arena_strdup(&s->memory, path);
            scope.root = arena_strdup(&s->memory, folder);
            init_scope(s, &scope);
            *out = arena_alloc(&s->memory, sizeof **out);
            **out = scope;
        }
    }
    mem_free(path);
    return st;
}

static struct lint_scope **slot_of_real(struct lint_settings *s, const char *folder)
{
    name_id id = names_add_z(&s->reals, folder);
    vec_grow(s->real, s->cap_real, (size_t)id + 1);
    while (s->n_real <= id)
        s->real[s->n_real++] = (struct real_folder){0};
    return &s->real[id].scope;
}

/* The folder above; false at the root. */
static bool go_up(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (!slash || !folder[1])
        return false;
    *(slash == folder ? slash + 1 : slash) = '\0';
    return true;
}

/* From the folder up to the first that is known or has settings; then down again, so that
 * all folders on the way know them. */
static enum status scope_of_real(struct lint_settings *s, struct lint_scope **out,
                                 const char *real, struct err *err)
{
    enum status st = STATUS_OK;
    struct lint_scope *scope = NULL;
    char *folder = mem_strdup(real);
    do {
        scope = *slot_of_real(s, folder);
        if (!scope)
            st = scope_in(s, &scope, folder, err);
    } while (!st && !scope && go_up(folder));
    scope = scope ? scope : &s->plain;
    size_t top = strlen(folder);
    strcpy(folder, real);
    for (bool more = !st; more && strlen(folder) >= top; more = go_up(folder))
        *slot_of_real(s, folder) = scope;
    mem_free(folder);
    *out = scope;
    return st;
}

/* path's folder as text, with its slash; "" for the working folder. */
static size_t folder_length(const char *path)
{
    return (size_t)(path_name(path) - path);
}

enum status lint_settings_prepare(struct lint_settings *s, const char *path,
                                  struct err *err)
{
    name_id id = names_add(&s->folders, path, folder_length(path));
    vec_grow(s->folder, s->cap_folder, (size_t)id + 1);
    while (s->n_folder <= id)
        s->folder[s->n_folder++] = (struct lint_folder){0};
    struct lint_folder *f = &s->folder[id];
    if (f->scope)
        return STATUS_OK;
    const char *text = names_str(&s->folders, id);
    char *real = realpath(*text ? text : ".", NULL);
    f->real = arena_strdup(&s->memory, real ? real : s->working_folder);
    free(real); /* of realpath */
    f->scope = &s->plain;
    return s->one_file ? STATUS_OK : scope_of_real(s, &f->scope, f->real, err);
}

static const struct lint_folder *folder_of(const struct lint_settings *s,
                                           const char *path)
{
    int64_t id = names_find(&s->folders, path, folder_length(path));
    bool known = id >= 0 && (size_t)id < s->n_folder && s->folder[id].scope;
    return known ? &s->folder[id] : NULL;
}

static const struct lint_scope *scope_of(const struct lint_settings *s, const char *path)
{
    const struct lint_folder *f = folder_of(s, path);
    return f ? f->scope : &s->plain;
}

const char *lint_settings_origin(const struct lint_settings *s, const char *path)
{
    const char *origin = scope_of(s, path)->origin;
    return origin ? below_working_folder(s, origin) : NULL;
}

/* A path as patterns see it: its real folder and its name. */
static char *full_path(const struct lint_settings *s, const char *path)
{
    const struct lint_folder *f = folder_of(s, path);
    return path_join(f ? f->real : s->working_folder, path_name(path));
}

static bool pattern_matches(const char *pattern, const char *root, const char *full)
{
    size_t len = strlen(root), pattern_len = strlen(pattern);
    bool below = !strncmp(full, root, len) && (full[len] == '/' || !root[1]);
    if (!strncmp(pattern, "./", 2))
        pattern += 2, pattern_len -= 2;
    char *plain = mem_strndup(pattern, pattern_len);
    if (pattern_len > 1 && plain[pattern_len - 1] == '/') /* "build/" */
        plain[pattern_len - 1] = '\0';
    const char *from_root = below ? full + len + (root[1] ? 1 : 0) : path_name(full);
    bool yes = *plain == '/' ? glob_match(plain, full, GLOB_STAR_CROSSES)
                             : glob_match(plain, from_root, GLOB_STAR_CROSSES) ||
                                   glob_match(plain, path_name(full), GLOB_STAR_CROSSES);
    mem_free(plain);
    return yes;
}

static bool any_matches(const struct lint_words *patterns, const char *root,
                        const char *full)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (pattern_matches(patterns->word[i], root, full))
            return true;
    return false;
}

/* A virtual environment may have any name, and a folder env may be a package. */
static bool is_usually_excluded(const char *path)
{
    for (size_t i = 0; i < sizeof usual_excludes / sizeof *usual_excludes; i++)
        if (!strcmp(path_name(path), usual_excludes[i]))
            return true;
    char *mark = path_join(path, "pyvenv.cfg");
    bool environment = file_exists(mark);
    mem_free(mark);
    return environment;
}

bool lint_settings_excludes(const struct lint_settings *s, const char *path)
{
    const struct lint_scope *scope = scope_of(s, path);
    const struct lint_settings_file *said = &scope->said, *flags = &s->flags;
    char *full = full_path(s, path);
    bool yes = flags->exclude.given
                   ? any_matches(&flags->exclude, s->working_folder, full)
               : said->exclude.given ? any_matches(&said->exclude, scope->root, full)
                                     : is_usually_excluded(path);
    yes = yes || any_matches(&said->extend_exclude, scope->root, full) ||
          any_matches(&flags->extend_exclude, s->working_folder, full);
    mem_free(full);
    return yes;
}

bool lint_settings_respects_gitignore(const struct lint_settings *s, const char *folder)
{
    enum lint_answer flag = s->flags.respect_gitignore;
    enum lint_answer said = scope_of(s, folder)->said.respect_gitignore;
    return (flag != LINT_UNSAID ? flag : said) != LINT_NO;
}

static bool names_rule(const struct lint_words *words, const struct lint_rule *rule)
{
    for (size_t i = 0; i < words->n; i++)
        if (lint_selector_names(words->word[i], rule) >= 0)
            return true;
    return false;
}

static bool is_ignored_in(const struct lint_scope *scope, const struct lint_rule *rule,
                          const char *full)
{
    for (size_t i = 0; i < scope->said.n_file_ignores; i++) {
        const struct lint_file_ignore *ignore = &scope->said.file_ignores[i];
        bool others = *ignore->pattern == '!';
        if (names_rule(&ignore->rules, rule) &&
            pattern_matches(ignore->pattern + others, scope->root, full) != others)
            return true;
    }
    return false;
}

bool lint_settings_wants(const void *settings, const struct lint_rule *rule,
                         const char *path)
{
    const struct lint_settings *s = settings;
    const struct lint_scope *scope = scope_of(s, path);
    const bool *on = s->has_run ? scope->with_run : scope->on;
    if (!on[rule - lint_rules])
        return false;
    if (!scope->said.n_file_ignores)
        return true;
    char *full = full_path(s, path);
    bool ignored = is_ignored_in(scope, rule, full);
    mem_free(full);
    return !ignored;
}

bool lint_settings_needs_price(const struct lint_settings *s,
                               const struct lint_rule *rule, const char *path)
{
    return !scope_of(s, path)->on[rule - lint_rules];
}
