/* Conditions of rules on the text of a node and on the arguments of a call. */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <stdlib.h>
#include <string.h>

/* Looks at the beginning only: nested calls would make the whole quadratic. */
struct slice text_head(struct slice a)
{
    enum { LOOK_BYTES_MAX = 400 };
    a.len = a.len < LOOK_BYTES_MAX ? a.len : LOOK_BYTES_MAX;
    return a;
}

static bool text_equals(struct slice a, struct slice b)
{
    return slice_equal(a, b);
}

bool text_contains(struct slice a, struct slice b)
{
    a = text_head(a);
    return memmem(a.s, a.len, b.s, b.len) != NULL;
}

static bool text_starts(struct slice a, struct slice b)
{
    return a.len >= b.len && !memcmp(a.s, b.s, b.len);
}

static bool text_ends(struct slice a, struct slice b)
{
    return a.len >= b.len && !memcmp(a.s + a.len - b.len, b.s, b.len);
}

static bool any_text(const struct match *m, const struct predicate *p,
                     bool (*holds)(struct slice, struct slice))
{
    struct slice subject = match_text(m, &p->arguments[0]);
    for (int32_t i = 1; i < p->n; i++)
        if (holds(subject, match_text(m, &p->arguments[i])))
            return true;
    return false;
}

bool condition_eq(const struct match *m, const struct predicate *p)
{
    return any_text(m, p, text_equals);
}

bool condition_contains(const struct match *m, const struct predicate *p)
{
    return any_text(m, p, text_contains);
}

bool condition_starts(const struct match *m, const struct predicate *p)
{
    return any_text(m, p, text_starts);
}

bool condition_ends(const struct match *m, const struct predicate *p)
{
    return any_text(m, p, text_ends);
}

/* "torch.nn.functional.*" is any name below. */
bool name_fits(const char *full, struct slice pattern)
{
    size_t n = pattern.len;
    if (n && pattern.s[n - 1] == '*')
        return !strncmp(full, pattern.s, n - 1);
    return strlen(full) == n && !memcmp(full, pattern.s, n);
}

bool condition_is(const struct match *m, const struct predicate *p)
{
    char full[FULL_NAME_MAX];
    full_name(m->syntax, match_node(m, &p->arguments[0]), full, sizeof full);
    for (int32_t i = 1; i < p->n && *full; i++)
        if (name_fits(full, p->arguments[i].text))
            return true;
    return false;
}

static const char *const kind_names[] = {"unknown", "tensor", "host",   "array",
                                         "number",  "module", "loader", "optimizer"};

bool condition_kind(const struct match *m, const struct predicate *p)
{
    const char *name = kind_names[value_kind(m->syntax, match_node(m, &p->arguments[0]))];
    for (int32_t i = 1; i < p->n; i++)
        if (slice_is(p->arguments[i].text, name))
            return true;
    return false;
}

void text_terminated(struct slice a, char *out, size_t size)
{
    size_t n = a.len < size - 1 ? a.len : size - 1;
    memcpy(out, a.s, n);
    out[n] = '\0';
}

bool condition_word(const struct match *m, const struct predicate *p)
{
    struct slice name = text_head(match_text(m, &p->arguments[0]));
    for (int32_t i = 1; i < p->n; i++) {
        char words[200];
        text_terminated(p->arguments[i].text, words, sizeof words);
        if (name_has_word(name, words))
            return true;
    }
    return false;
}

bool condition_lacks(const struct match *m, const struct predicate *p)
{
    TSNode arguments = match_node(m, &p->arguments[0]);
    if (arguments_splat(arguments))
        return false;
    for (int32_t i = 1; i < p->n; i++) {
        char name[80];
        text_terminated(p->arguments[i].text, name, sizeof name);
        if (!ts_node_is_null(argument_named(m->syntax, arguments, name)))
            return false;
    }
    return true;
}

bool condition_passes(const struct match *m, const struct predicate *p)
{
    char name[80];
    text_terminated(p->arguments[1].text, name, sizeof name);
    TSNode value = argument_named(m->syntax, match_node(m, &p->arguments[0]), name);
    struct slice text = python_slice(m->syntax->text, value);
    for (int32_t i = 2; i < p->n; i++)
        if (!ts_node_is_null(value) && slice_equal(text, p->arguments[i].text))
            return true;
    return p->n == 2 && !ts_node_is_null(value);
}

/* (#positional? @arguments "2"): so many at least */
bool condition_positional(const struct match *m, const struct predicate *p)
{
    char count[12];
    text_terminated(p->arguments[1].text, count, sizeof count);
    uint32_t least = (uint32_t)strtoul(count, NULL, 10);
    return !least ||
           !ts_node_is_null(argument_at(match_node(m, &p->arguments[0]), least - 1));
}

bool condition_node(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    for (int32_t i = 1; i < p->n && !ts_node_is_null(n); i++)
        if (slice_is(p->arguments[i].text, python_type(n)))
            return true;
    return false;
}
#endif
