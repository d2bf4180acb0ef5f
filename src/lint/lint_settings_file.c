#include "lint/lint_settings_file.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "source/toml_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct settings_reader {
    struct lint_settings_file *to;
    struct arena *arena;
    const char *name; /* of the file */
    struct err *err;
    const struct toml *toml;
    size_t base; /* keys up to and with the table of the settings */
    struct lint_file_ignore *ignores;
    size_t n_ignores, cap_ignores;
};

/* The keys whose value is a list of words. */
static const struct list_key {
    const char *key;
    size_t words; /* struct lint_words within struct lint_settings_file */
    bool of_rules;
} list_keys[] = {
    {"select", offsetof(struct lint_settings_file, selection.select), true},
    {"extend-select", offsetof(struct lint_settings_file, selection.extend_select), true},
    {"ignore", offsetof(struct lint_settings_file, selection.ignore), true},
    {"extend-ignore", offsetof(struct lint_settings_file, selection.extend_ignore), true},
    {"exclude", offsetof(struct lint_settings_file, exclude), false},
    {"extend-exclude", offsetof(struct lint_settings_file, extend_exclude), false},
};
enum {
    LIST_KEYS = sizeof list_keys / sizeof *list_keys,
    WORDS_MAX = 1000, /* in a list: each is tried for each file */
};
static const char file_ignores_key[] = "per-file-ignores";
static const char gitignore_key[] = "respect-gitignore";

struct shown_word {
    char s[80];
};

/* "…" around a word for a message: cut when long, control characters replaced. */
static struct shown_word shown(const char *word)
{
    enum { KEEP = 60 };
    struct shown_word v;
    size_t n = 0, len = strlen(word), i = 0;
    v.s[n++] = '"';
    while (i < len && n < KEEP) {
        int seq = utf8_sequence_len(word + i, len - i);
        bool plain =
            seq && (seq > 1 || ((unsigned char)word[i] >= ' ' && word[i] != 0x7f));
        bool control = seq == 2 && word[i] == '\xc2' && (unsigned char)word[i + 1] < 0xa0;
        plain &= !control;
        memcpy(v.s + n, plain ? word + i : "?", plain ? (size_t)seq : 1);
        n += plain ? (size_t)seq : 1;
        i += seq ? (size_t)seq : 1;
    }
    snprintf(v.s + n, sizeof v.s - n, "%s\"", i < len ? "…" : "");
    return v;
}

static enum status wrong(const struct settings_reader *r, int32_t line, const char *fmt,
                         ...) __attribute__((format(printf, 3, 4)));

static enum status wrong(const struct settings_reader *r, int32_t line, const char *fmt,
                         ...)
{
    char text[ERR_TEXT_MAX / 2];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return err_set(r->err, STATUS_USAGE, "%s:%d: %s", r->name, line, text);
}

struct remedy_text {
    char s[160];
};

static struct remedy_text remedy_for_rule(const char *word)
{
    struct remedy_text t;
    const char *near = lint_selector_nearest(word);
    if (near)
        snprintf(t.s, sizeof t.s, "did you mean %s?", near);
    else
        snprintf(t.s, sizeof t.s,
                 "write ALL, a prefix (GT1), a code (GT101) or a rule's name");
    return t;
}

enum status lint_words_check(const struct lint_words *w, const char *flag,
                             struct err *err)
{
    for (size_t i = 0; i < w->n; i++)
        if (!lint_selector_is_known(w->word[i]))
            return err_set(err, STATUS_USAGE, "%s: no rule is named %s; %s", flag,
                           shown(w->word[i]).s, remedy_for_rule(w->word[i]).s);
    return STATUS_OK;
}

struct lint_words lint_words_split(struct arena *a, const char *list)
{
    struct lint_words w = {.given = list};
    size_t most = 1;
    for (const char *s = list; s && *s; s++)
        most += *s == ',';
    const char **word = arena_alloc(a, most * sizeof *word);
    w.word = word;
    for (const char *s = list; s && *s;) {
        s += strspn(s, ", \t");
        size_t len = strcspn(s, ",");
        const char *next = s + len;
        while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
            len--;
        if (len)
            word[w.n++] = arena_strndup(a, s, len);
        s = next;
    }
    return w;
}

static enum status take_words(struct settings_reader *r, struct lint_words *out,
                              const struct toml_entry *e, bool of_rules)
{
    const char *key = e->key[e->n_keys - 1];
    struct shown_word name = shown(key);
    if (e->kind != TOML_LIST)
        return wrong(r, e->line, "%s wants a list, not %s; write [\"%s\"]", name.s,
                     toml_kind_name(e->kind), of_rules ? "GT1" : "build");
    if (e->n_items > WORDS_MAX)
        return wrong(r, e->line, "%s has more than %d words; use patterns or prefixes",
                     name.s, WORDS_MAX);
    const char **word = arena_alloc(r->arena, e->n_items * sizeof *word + 1);
    for (size_t i = 0; i < e->n_items; i++) {
        const struct toml_item *item = &e->item[i];
        if (item->kind != TOML_STRING)
            return wrong(r, item->line,
                         "%s wants a list of texts, not of %s; put each in "
                         "quotes",
                         name.s, toml_kind_name(item->kind));
        if (of_rules && !lint_selector_is_known(item->text))
            return wrong(r, item->line, "no rule is named %s; %s", shown(item->text).s,
                         remedy_for_rule(item->text).s);
        word[i] = arena_strdup(r->arena, item->text);
    }
    *out = (struct lint_words){word, e->n_items, true};
    return STATUS_OK;
}

static enum status take_file_ignore(struct settings_reader *r, const struct toml_entry *e)
{
    const char *pattern = e->key[e->n_keys - 1];
    if (r->n_ignores == WORDS_MAX)
        return wrong(r, e->line, "%s has more than %d patterns; join some",
                     file_ignores_key, WORDS_MAX);
    for (size_t i = 0; i < r->n_ignores; i++)
        if (!strcmp(r->ignores[i].pattern, pattern))
            return wrong(r, e->line, "%s is given twice; keep one", shown(pattern).s);
    vec_grow(r->ignores, r->cap_ignores, r->n_ignores + 1);
    struct lint_file_ignore *ignore = &r->ignores[r->n_ignores++];
    *ignore = (struct lint_file_ignore){.pattern = arena_strdup(r->arena, pattern)};
    return take_words(r, &ignore->rules, e, true);
}

static enum status unknown_key(const struct settings_reader *r,
                               const struct toml_entry *e)
{
    const char *known[LIST_KEYS + 2], *key = e->key[r->base];
    for (size_t i = 0; i < LIST_KEYS; i++)
        known[i] = list_keys[i].key;
    known[LIST_KEYS] = file_ignores_key;
    known[LIST_KEYS + 1] = gitignore_key;
    const char *near = nearest_name(key, known, LIST_KEYS + 2);
    if (near)
        return wrong(r, e->line, "unknown key %s; did you mean %s?", shown(key).s, near);
    return wrong(r, e->line, "unknown key %s; docs/lint-settings.md lists the keys",
                 shown(key).s);
}

static enum status take_list_key(struct settings_reader *r, const struct list_key *k,
                                 const struct toml_entry *e)
{
    struct lint_words *to = (struct lint_words *)((char *)r->to + k->words);
    if (to->given)
        return wrong(r, e->line, "%s is given twice; keep one", k->key);
    return take_words(r, to, e, k->of_rules);
}

static enum status take_gitignore_key(struct settings_reader *r,
                                      const struct toml_entry *e)
{
    if (e->kind != TOML_BOOL)
        return wrong(r, e->line, "%s wants true or false, not %s; write true",
                     gitignore_key, toml_kind_name(e->kind));
    if (r->to->respect_gitignore != LINT_UNSAID)
        return wrong(r, e->line, "%s is given twice; keep one", gitignore_key);
    r->to->respect_gitignore = e->truth ? LINT_YES : LINT_NO;
    return STATUS_OK;
}

/* An entry below the table of the settings. */
static enum status take_entry(struct settings_reader *r, const struct toml_entry *e)
{
    const char *key = e->key[r->base];
    size_t below = e->n_keys - r->base;
    for (size_t i = 0; i < LIST_KEYS && below == 1; i++)
        if (!strcmp(key, list_keys[i].key))
            return take_list_key(r, &list_keys[i], e);
    if (!strcmp(key, gitignore_key) && below == 1)
        return take_gitignore_key(r, e);
    if (strcmp(key, file_ignores_key))
        return unknown_key(r, e);
    if (below == 1 && e->kind != TOML_TABLE)
        return wrong(r, e->line, "%s wants a table, not %s; write [tool.gait.lint.%s]",
                     key, toml_kind_name(e->kind), key);
    if (below > 2)
        return wrong(r, e->line,
                     "a pattern with a dot wants quotes, as in \"*.py\" = "
                     "[\"GT1\"]");
    return below == 2 ? take_file_ignore(r, e) : STATUS_OK;
}

static enum status take_all(struct settings_reader *r, const char *const *table)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < r->toml->n && !st; i++) {
        const struct toml_entry *e = &r->toml->entry[i];
        if (!toml_is_under(e, table, r->base))
            continue;
        if (e->n_keys > r->base)
            st = take_entry(r, e);
        else if (e->kind != TOML_TABLE)
            st = wrong(r, e->line, "the settings want a table; write [tool.gait.lint]");
    }
    struct lint_file_ignore *kept =
        arena_alloc(r->arena, r->n_ignores * sizeof *kept + 1);
    if (r->n_ignores)
        memcpy(kept, r->ignores, r->n_ignores * sizeof *kept);
    r->to->file_ignores = kept;
    r->to->n_file_ignores = r->n_ignores;
    mem_free(r->ignores);
    return st;
}

static bool has(const struct toml *t, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < t->n; i++)
        if (toml_is_under(&t->entry[i], keys, n))
            return true;
    return false;
}

static enum status read_toml(struct toml *t, const char *path, const char *name,
                             struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, TOML_BYTES_MAX, err);
    if (st)
        return st;
    st = toml_read(t, text, len, name, err);
    mem_free(text);
    return st;
}

static const char *const own_table[] = {"tool", "gait", "lint"};
enum { OWN_TABLE_KEYS = sizeof own_table / sizeof *own_table };

enum status lint_settings_file_read(struct lint_settings_file *f, bool *found,
                                    struct arena *a, const char *path, const char *name,
                                    struct err *err)
{
    struct toml t;
    enum status st = read_toml(&t, path, name, err);
    if (st)
        return st;
    struct settings_reader r = {.to = f,
                                .arena = a,
                                .name = name,
                                .err = err,
                                .toml = &t,
                                .base = OWN_TABLE_KEYS};
    *f = (struct lint_settings_file){0};
    *found = has(&t, own_table, OWN_TABLE_KEYS);
    st = *found ? take_all(&r, own_table) : STATUS_OK;
    toml_release(&t);
    return st;
}

/* A pyproject.toml without our table would be all unknown keys. */
static enum status refuse_other_tools(const struct toml *t, const char *path,
                                      struct err *err)
{
    static const char *const others[] = {"tool", "project", "build-system"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (has(t, &others[i], 1))
            return err_set(err, STATUS_USAGE,
                           "%s has no [tool.gait.lint]; add it, or leave out --config",
                           path);
    return STATUS_OK;
}

enum status lint_settings_file_read_named(struct lint_settings_file *f, struct arena *a,
                                          const char *path, struct err *err)
{
    static const char *const short_table[] = {"lint"};
    struct toml t;
    enum status st = read_toml(&t, path, path, err);
    if (st)
        return st;
    struct settings_reader r = {
        .to = f, .arena = a, .name = path, .err = err, .toml = &t};
    const char *const *table = own_table;
    *f = (struct lint_settings_file){0};
    if (has(&t, own_table, OWN_TABLE_KEYS))
        r.base = OWN_TABLE_KEYS;
    else if (has(&t, short_table, 1))
        table = short_table, r.base = 1;
    else
        st = refuse_other_tools(&t, path, err);
    if (!st)
        st = take_all(&r, table);
    toml_release(&t);
    return st;
}
