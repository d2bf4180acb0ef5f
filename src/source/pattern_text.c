/* Reads the text of patterns: what must be known of them before they are compiled. */
#ifdef GAIT_TREE_SITTER
#include "source/pattern_text.h"

#include "base/status.h"

#include <ctype.h>
#include <string.h>

struct reader {
    const char *at, *end;
};

static void skip_blanks(struct reader *r)
{
    for (; r->at < r->end; r->at++)
        if (*r->at == ';')
            while (r->at + 1 < r->end && r->at[1] != '\n')
                r->at++;
        else if (!isspace((unsigned char)*r->at))
            return;
}

/* Takes a word if it comes next. */
static bool comes(struct reader *r, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(r);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool take_capture(struct reader *r, struct slice *out)
{
    if (!comes(r, "@"))
        return false;
    out->s = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || strchr("_.-", *r->at)))
        r->at++;
    out->len = (size_t)(r->at - out->s);
    return true;
}

/* Over a string or a comment that begins here; false where neither does. */
static bool skip_text(struct reader *r)
{
    if (*r->at != '"' && *r->at != ';')
        return false;
    char end = *r->at == '"' ? '"' : '\n';
    while (++r->at < r->end && *r->at != end)
        r->at += end == '"' && *r->at == '\\' && r->at + 1 < r->end;
    r->at += r->at < r->end;
    return true;
}

/* Behind the bracket that closes the one before r->at. */
static void skip_group(struct reader *r)
{
    for (int depth = 1; r->at < r->end && depth;)
        if (!skip_text(r)) {
            depth += strchr("([", *r->at) ? 1 : strchr(")]", *r->at) ? -1 : 0;
            r->at++;
        }
}

/* Within "(attribute …": the capture of the name behind the last point. */
static int32_t attribute_capture(struct reader inside, struct slice *out)
{
    while (inside.at < inside.end) {
        if (comes(&inside, "attribute:"))
            return comes(&inside, "(identifier)") && take_capture(&inside, out);
        skip_blanks(&inside);
        if (inside.at >= inside.end || strchr(")]", *inside.at))
            return 0;
        bool group = strchr("([", *inside.at++) != NULL;
        if (group)
            skip_group(&inside);
    }
    return 0;
}

/* The captures that the name of what is called has: of "(call function: (attribute
 * attribute: (identifier) @name))" name, of "(call function: (_) @f)" f. Up to two;
 * returns how many. */
static int32_t callee_captures(struct slice pattern, struct slice captures[2])
{
    struct reader r = {pattern.s, pattern.s + pattern.len};
    int32_t n = 0;
    bool has_conditions = comes(&r, "(");
    if (!has_conditions || !comes(&r, "(") || !comes(&r, "call") ||
        !comes(&r, "function:"))
        return 0;
    bool several = comes(&r, "[");
    if (!several && !comes(&r, "("))
        return 0;
    if (!several && comes(&r, "attribute"))
        n += attribute_capture(r, captures);
    skip_group(&r);
    n += take_capture(&r, &captures[n]);
    return n;
}

bool pattern_text_next(struct slice *rest, struct slice *pattern)
{
    struct reader r = {rest->s, rest->s + rest->len};
    skip_blanks(&r);
    if (r.at == r.end)
        return false;
    if (!strchr("([", *r.at))
        BUG("a rule's query has something between its patterns: %.40s", r.at);
    pattern->s = r.at++;
    skip_group(&r);
    struct slice capture;
    const char *end = r.at;
    while (take_capture(&r, &capture))
        end = r.at;
    pattern->len = (size_t)(end - pattern->s);
    *rest = (struct slice){end, (size_t)(r.end - end)};
    return true;
}

static bool take_string(struct reader *r, struct slice *out)
{
    if (!comes(r, "\""))
        return false;
    out->s = r->at;
    while (r->at < r->end && *r->at != '"')
        r->at += 1 + (*r->at == '\\');
    out->len = (size_t)(r->at - out->s);
    r->at += r->at < r->end;
    return true;
}

/* The next "(#name? …)" from r on, wherever it stands. */
static bool predicate_next(struct reader *r, struct predicate_text *p)
{
    while (r->at + 1 < r->end && memcmp(r->at, "(#", 2) != 0)
        if (!skip_text(r))
            r->at++;
    if (r->at + 1 >= r->end)
        return false;
    r->at += 2;
    *p = (struct predicate_text){.name = {r->at, 0}};
    while (r->at < r->end && !isspace((unsigned char)*r->at) && *r->at != ')')
        r->at++, p->name.len++;
    if (!take_capture(r, &p->capture))
        p->capture = (struct slice){"", 0};
    while (p->n < PREDICATE_STRINGS_MAX && take_string(r, &p->strings[p->n]))
        p->n++;
    p->plain = comes(r, ")");
    return true;
}

/* "cat" of "torch.cat"; "" where it does not end in a name. */
static struct slice last_name(struct slice text)
{
    size_t n = 0;
    while (n < text.len && (isalnum((unsigned char)text.s[text.len - n - 1]) ||
                            text.s[text.len - n - 1] == '_'))
        n++;
    return (struct slice){text.s + text.len - n, n};
}

/* Does this condition name all that one of the captures may be called? */
static bool names_callee(const struct predicate_text *p, const struct slice *captures,
                         int32_t n)
{
    bool names = slice_is(p->name, "eq?") || slice_is(p->name, "any-of?") ||
                 slice_is(p->name, "is?");
    bool callee = false;
    for (int32_t i = 0; i < n; i++)
        callee |= slice_equal(p->capture, captures[i]);
    for (int32_t i = 0; i < p->n; i++)
        names &= last_name(p->strings[i]).len > 0;
    return names && callee && p->plain && p->n > 0;
}

bool pattern_trigger(struct slice pattern, struct predicate_text *names)
{
    struct slice captures[2];
    int32_t n = callee_captures(pattern, captures);
    struct reader r = {pattern.s, pattern.s + pattern.len};
    while (n && predicate_next(&r, names)) {
        if (!names_callee(names, captures, n))
            continue;
        for (int32_t i = 0; i < names->n; i++)
            names->strings[i] = last_name(names->strings[i]);
        return true;
    }
    return false;
}

void pattern_words(struct slice pattern, void (*take)(void *context, struct slice word),
                   void *context)
{
    struct reader r = {pattern.s, pattern.s + pattern.len};
    struct predicate_text p;
    while (predicate_next(&r, &p)) {
        bool asks = slice_is(p.name, "job-has?") || slice_is(p.name, "not-job-has?") ||
                    slice_is(p.name, "file-has?") || slice_is(p.name, "not-file-has?");
        for (int32_t i = 0; asks && i < p.n; i++)
            take(context, p.strings[i]);
    }
}
#endif
