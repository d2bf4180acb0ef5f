#include "lint/lint_noqa_directive.h"

#include "base/mem.h"

#include <string.h>
#include <strings.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_blanks(const char *s, size_t at)
{
    return at + strspn(s + at, " \t");
}

static size_t skip_word(const char *s, size_t at, const char *word)
{
    return strncasecmp(s + at, word, strlen(word)) ? at : at + strlen(word);
}

/* The length of a code (letters, digits; or GT alone) at s, 0: it is another word. */
static size_t code_length(const char *s)
{
    size_t letters = 0, n;
    while (is_letter(s[letters]))
        letters++;
    for (n = letters; is_digit(s[n]);)
        n++;
    bool complete = n > letters || (n == 2 && !strncasecmp(s, "GT", 2));
    bool ends = !is_letter(s[n]) && s[n] != '_' && s[n] != '-';
    return letters && complete && ends ? n : 0;
}

static bool is_name_byte(char c)
{
    return is_letter(c) || is_digit(c) || c == '_' || c == '-';
}

/* Only a whole name that there is: what people write behind codes is prose. */
static const struct lint_rule *rule_named(const char *s, size_t len)
{
    for (size_t i = 0; i < lint_rule_count && len; i++)
        if (!strncasecmp(s, lint_rules[i].name, len) && !lint_rules[i].name[len])
            return &lint_rules[i];
    return NULL;
}

static bool read_code(struct noqa_code *c, const char *s)
{
    size_t len = 0;
    *c = (struct noqa_code){.s = s, .len = code_length(s)};
    if (c->len)
        return true;
    while (is_name_byte(s[len]))
        len++;
    c->rule = rule_named(s, len);
    c->len = len;
    return c->rule;
}

static void read_codes(struct noqa_directives *d, struct noqa_directive *to)
{
    const char *s = to->comment->text;
    size_t at = to->codes_begin;
    struct noqa_code code;
    to->first_code = d->n_codes;
    for (;; at += code.len) {
        at += strspn(s + at, ", \t");
        if (!read_code(&code, s + at))
            return;
        vec_grow(d->code, d->cap_codes, d->n_codes + 1);
        d->code[d->n_codes++] = code;
        to->n_codes++;
        to->end = at + code.len;
    }
}

/* At the # of s[at]: "# noqa" or "# gait: noqa", with codes or without. */
static bool read_directive(struct noqa_directives *d, struct noqa_directive *to,
                           size_t hash)
{
    const char *s = to->comment->text;
    size_t word = skip_blanks(s, hash + 1), after = skip_word(s, word, "gait:");
    bool whole_file = after > word;
    word = skip_blanks(s, after);
    after = skip_word(s, word, "noqa");
    bool longer =
        is_letter(s[after]) || is_digit(s[after]) || s[after] == '_' || s[after] == '-';
    if (after == word || longer || (whole_file && !to->comment->alone))
        return false;
    size_t colon = skip_blanks(s, after);
    to->begin = hash;
    to->end = after;
    to->whole_file = whole_file;
    to->blanket = s[colon] != ':';
    if (!to->blanket) {
        to->end = to->codes_begin = colon + 1;
        read_codes(d, to);
    }
    return true;
}

void noqa_read(struct noqa_directives *d, const struct lint_file *file)
{
    *d = (struct noqa_directives){0};
    for (size_t i = 0; i < file->n_comments; i++) {
        struct noqa_directive to = {.comment = &file->comments[i]};
        const char *s = to.comment->text, *hash = strchr(s, '#');
        while (hash && !read_directive(d, &to, (size_t)(hash - s)))
            hash = strchr(hash + 1, '#');
        if (!hash)
            continue;
        vec_grow(d->directive, d->cap, d->n + 1);
        d->directive[d->n++] = to;
    }
}

void noqa_release(struct noqa_directives *d)
{
    mem_free(d->directive);
    mem_free(d->code);
}

struct noqa_directive *noqa_of_line(struct noqa_directives *d, int32_t line)
{
    size_t low = 0, high = d->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->directive[middle].comment->line < line)
            low = middle + 1;
        else
            high = middle;
    }
    bool here = low < d->n && d->directive[low].comment->line == line;
    return here && !d->directive[low].whole_file ? &d->directive[low] : NULL;
}

bool noqa_code_is_ours(const struct noqa_code *c)
{
    return c->rule || (c->len >= 2 && !strncasecmp(c->s, "GT", 2) && !is_letter(c->s[2]));
}

bool noqa_code_names(const struct noqa_code *c, const struct lint_rule *rule)
{
    return c->rule ? c->rule == rule
                   : c->len >= 2 && !strncasecmp(c->s, rule->code, c->len);
}

int32_t noqa_line(const struct lint_file *file, int32_t line)
{
    size_t low = 0, high = file->n_joined;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (file->joined[middle].end_line < line)
            low = middle + 1;
        else
            high = middle;
    }
    bool within = low < file->n_joined && file->joined[low].line <= line;
    return within ? file->joined[low].end_line : line;
}
