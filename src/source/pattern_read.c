/* Reads the text of patterns: its parts, and its predicates. */
#ifdef GAIT_TREE_SITTER
#include "source/pattern.h"

#include "base/mem.h"

#include <ctype.h>
#include <string.h>

struct reader {
    const char *at, *end;
    struct pattern *pattern;
};

static struct reader reader_of(struct slice text)
{
    return (struct reader){text.s, text.s + text.len, NULL};
}

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

static bool take_name(struct reader *r, struct slice *out)
{
    skip_blanks(r);
    out->s = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    out->len = (size_t)(r->at - out->s);
    return out->len > 0;
}

static bool take_capture(struct reader *r, struct slice *out)
{
    return comes(r, "@") && take_name(r, out);
}

static bool take_string(struct reader *r, struct slice *out)
{
    if (!comes(r, "\""))
        return false;
    out->s = r->at;
    while (r->at < r->end && *r->at != '"')
        r->at += *r->at == '\\' && r->at + 1 < r->end ? 2 : 1;
    out->len = (size_t)(r->at - out->s);
    r->at += r->at < r->end;
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

bool pattern_next(struct slice *rest, struct slice *pattern)
{
    struct reader r = reader_of(*rest);
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

/* --- predicates */

static bool take_argument(struct reader *r, struct predicate_argument *to)
{
    to->is_capture = take_capture(r, &to->text);
    return to->is_capture || take_string(r, &to->text);
}

bool predicate_next(struct slice *rest, struct predicate_text *p)
{
    struct reader r = reader_of(*rest);
    while (r.at + 1 < r.end && memcmp(r.at, "(#", 2) != 0)
        if (!skip_text(&r))
            r.at++;
    if (r.at + 1 >= r.end)
        return false;
    const char *begin = r.at;
    r.at += 2;
    *p = (struct predicate_text){.name = {r.at, 0}};
    while (r.at < r.end && !isspace((unsigned char)*r.at) && *r.at != ')')
        r.at++, p->name.len++;
    while (p->n < PREDICATE_ARGUMENTS_MAX && take_argument(&r, &p->arguments[p->n]))
        p->n++;
    if (!comes(&r, ")"))
        BUG("a rule's predicate is wrong: %.60s", begin);
    *rest = (struct slice){r.at, (size_t)(r.end - r.at)};
    return true;
}

/* --- parts */

static TSSymbol symbol_of(struct slice name, bool node)
{
    TSSymbol symbol = ts_language_symbol_for_name(tree_sitter_python(), name.s,
                                                  (uint32_t)name.len, node);
    if (!symbol || symbol >= PYTHON_SYMBOLS_MAX ||
        ts_language_symbol_type(tree_sitter_python(), symbol) >
            (node ? TSSymbolTypeRegular : TSSymbolTypeAnonymous))
        BUG("the Python grammar has no \"%.*s\"", (int)name.len, name.s);
    return symbol;
}

/* "name:" before a part; 0: there is none. */
static TSFieldId take_field(struct reader *r)
{
    struct reader ahead = *r;
    struct slice name;
    if (!take_name(&ahead, &name) || !comes(&ahead, ":"))
        return 0;
    TSFieldId field =
        ts_language_field_id_for_name(tree_sitter_python(), name.s, (uint32_t)name.len);
    if (!field)
        BUG("the Python grammar has no field \"%.*s\"", (int)name.len, name.s);
    *r = ahead;
    return field;
}

static int32_t add_part(struct reader *r, struct pattern_part part)
{
    struct pattern *p = r->pattern;
    vec_grow(p->parts, p->cap, p->n + 1);
    p->parts[p->n] = part;
    return (int32_t)p->n++;
}

static int32_t capture_row(struct pattern *p, struct slice name)
{
    for (int32_t i = 0; i < p->n_captures; i++)
        if (slice_equal(p->captures[i], name))
            return i;
    if (p->n_captures == PATTERN_CAPTURES_MAX)
        BUG("a rule's pattern has more than %d captures", PATTERN_CAPTURES_MAX);
    p->captures[p->n_captures] = name;
    return p->n_captures++;
}

/* What may stand behind a part. */
static void take_marks(struct reader *r, int32_t row)
{
    struct slice name;
    struct pattern *p = r->pattern;
    p->parts[row].repeats = comes(r, "*");
    p->parts[row].optional = p->parts[row].repeats || comes(r, "?");
    while (take_capture(r, &name)) {
        struct pattern_part *part = &p->parts[row];
        if (part->n_captures == PATTERN_NAMES_MAX)
            BUG("a part of a rule's pattern has more than %d names", PATTERN_NAMES_MAX);
        part->captures[part->n_captures++] = capture_row(p, name);
    }
    const struct pattern_part *part = &p->parts[row];
    if (part->repeats && (part->first >= 0 || part->n_captures))
        BUG("a part that repeats holds others: %.40s", r->at);
}

static int32_t take_part(struct reader *r);

/* Parts up to the bracket that closes them: the first one, -1: none. */
static int32_t take_parts(struct reader *r, const char *close)
{
    int32_t first = -1, last = -1;
    for (bool immediate = comes(r, "."); !comes(r, close); immediate = comes(r, ".")) {
        int32_t row = take_part(r);
        r->pattern->parts[row].immediate = immediate;
        if (last < 0)
            first = row;
        else
            r->pattern->parts[last].next = row;
        last = row;
        struct reader ahead = *r;
        if (comes(&ahead, ".") && comes(&ahead, close))
            r->pattern->parts[row].last = true;
    }
    return first;
}

static int32_t take_part(struct reader *r)
{
    struct pattern_part part = {.what = PATTERN_NODE, .first = -1, .next = -1};
    struct slice name;
    part.field = take_field(r);
    if (take_string(r, &name)) {
        part.what = PATTERN_TOKEN;
        part.symbol = symbol_of(name, false);
    } else if (comes(r, "[")) {
        part.what = PATTERN_CHOICE;
    } else if (!comes(r, "(") || !take_name(r, &name)) {
        BUG("a rule's pattern is wrong at: %.60s", r->at);
    } else if (slice_is(name, "_")) {
        part.what = PATTERN_ANY_NODE;
    } else {
        part.symbol = symbol_of(name, true);
    }
    int32_t row = add_part(r, part);
    if (part.what != PATTERN_TOKEN) {
        int32_t first = take_parts(r, part.what == PATTERN_CHOICE ? "]" : ")");
        r->pattern->parts[row].first = first;
    }
    take_marks(r, row);
    return row;
}

void pattern_read(struct pattern *p, struct slice text)
{
    struct reader r = reader_of(text), inside;
    *p = (struct pattern){0};
    r.pattern = p;
    inside = r;
    if (comes(&inside, "(") && inside.at < inside.end && strchr("([", *inside.at))
        r = inside; /* the outer bracket holds the conditions too */
    take_part(&r);
    skip_blanks(&r);
    bool ends = r.at == r.end || *r.at == ')' || (r.at + 1 < r.end && r.at[1] == '#');
    if (!ends)
        BUG("a rule's pattern has something behind its first part: %.40s", r.at);
}

void pattern_release(struct pattern *p)
{
    mem_free(p->parts);
}

int32_t pattern_capture(const struct pattern *p, struct slice name)
{
    for (int32_t i = 0; i < p->n_captures; i++)
        if (slice_equal(p->captures[i], name))
            return i;
    BUG("a rule's pattern has no @%.*s", (int)name.len, name.s);
}
#endif
