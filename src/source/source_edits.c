/* The directives of queries: what to write instead. docs/lint-rules.md lists them. */
#ifdef GAIT_TREE_SITTER
#include "base/strbuf.h"
#include "source/source_match.h"
#include "source/source_waits.h"

#include <string.h>

static void add_edit(const struct match *m, struct source_hit *hit, uint32_t begin,
                     uint32_t end, const char *text, size_t len)
{
    enum { EDITS_MAX = 8 };
    struct arena *a = &m->syntax->facts->text;
    if (!hit->edits)
        hit->edits = arena_alloc(a, EDITS_MAX * sizeof *hit->edits);
    if (hit->n_edits == EDITS_MAX)
        BUG("a rule makes more than %d edits", EDITS_MAX);
    struct source_edit e = {begin, end, arena_strndup(a, text, len)};
    int32_t at = hit->n_edits++;
    for (; at && hit->edits[at - 1].begin > begin; at--)
        hit->edits[at] = hit->edits[at - 1];
    hit->edits[at] = e;
}

/* An edit that cannot be made takes the others of its finding with it. */
static void refuse(struct source_hit *hit)
{
    hit->refused = true;
}

/* Strings and captures from the i-th argument on, in a row. */
static void join(struct strbuf *out, const struct match *m, const struct predicate *p,
                 int32_t i)
{
    for (; i < p->n; i++) {
        struct slice piece = match_text(m, &p->arguments[i]);
        strbuf_add(out, piece.s, piece.len);
    }
}

static void edit_joined(const struct match *m, const struct predicate *p,
                        struct source_hit *hit, uint32_t begin, uint32_t end)
{
    struct strbuf text;
    strbuf_init(&text);
    join(&text, m, p, 1);
    add_edit(m, hit, begin, end, text.s, text.len);
    strbuf_release(&text);
}

static int32_t comments_in(TSNode n)
{
    if (ts_node_is_null(n))
        return 0;
    int32_t found = python_node(n) == PY_comment;
    for (uint32_t i = 0; i < ts_node_named_child_count(n); i++)
        found += comments_in(ts_node_named_child(n, i));
    return found;
}

/* A comment between what stays and what goes has no place in the new text. */
static bool loses_comment(const struct match *m, const struct predicate *p, TSNode old)
{
    int32_t kept = 0;
    for (int32_t i = 1; i < p->n; i++)
        if (p->arguments[i].is_capture)
            kept += comments_in(match_node(m, &p->arguments[i]));
    return comments_in(old) > kept;
}

static void replace(const struct match *m, const struct predicate *p,
                    struct source_hit *hit)
{
    TSNode n = match_node(m, &p->arguments[0]);
    if (ts_node_is_null(n) || loses_comment(m, p, n))
        refuse(hit);
    else
        edit_joined(m, p, hit, ts_node_start_byte(n), python_end(n));
}

static void insert_after(const struct match *m, const struct predicate *p,
                         struct source_hit *hit)
{
    TSNode n = match_node(m, &p->arguments[0]);
    if (ts_node_is_null(n))
        refuse(hit);
    else
        edit_joined(m, p, hit, python_end(n), python_end(n));
}

/* The statement around a node, as a whole line: its indentation is in *indent. */
static TSNode statement_of(const struct match *m, TSNode n, struct slice *indent)
{
    while (!ts_node_is_null(python_parent(n)) &&
           python_node(python_parent(n)) != PY_block &&
           strcmp(python_type(python_parent(n)), "module") != 0)
        n = python_parent(n);
    const char *text = m->syntax->text;
    uint32_t end = ts_node_start_byte(n), begin = end;
    while (begin && text[begin - 1] != '\n')
        begin--;
    *indent = (struct slice){text + begin, end - begin};
    return n;
}

static bool only_blanks(struct slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.s[i] != ' ' && s.s[i] != '\t')
            return false;
    return true;
}

/* The end of the line at byte `at`, where only blanks or a comment follow; else `at`. */
static uint32_t end_behind_comment(const struct match *m, uint32_t at)
{
    const char *text = m->syntax->text;
    uint32_t end = at, len = (uint32_t)m->syntax->len;
    while (end < len && (text[end] == ' ' || text[end] == '\t'))
        end++;
    if (end < len && text[end] != '#')
        return strchr("\r\n", text[end]) ? end : at;
    while (end < len && text[end] != '\n')
        end++;
    return end > at && end < len && text[end - 1] == '\r' ? end - 1 : end;
}

/* (#line-before! @x "text" …): a line of its own before the statement of @x */
static void add_line(const struct match *m, const struct predicate *p,
                     struct source_hit *hit, bool before)
{
    struct slice indent;
    TSNode n = statement_of(m, match_node(m, &p->arguments[0]), &indent);
    uint32_t at = before ? ts_node_start_byte(n) : end_behind_comment(m, python_end(n));
    if (!only_blanks(indent) ||
        (!before && at < m->syntax->len && !strchr("\r\n", m->syntax->text[at]))) {
        refuse(hit); /* it shares its line with another statement */
        return;
    }
    struct strbuf text;
    strbuf_init(&text);
    if (!before) {
        strbuf_puts(&text, "\n");
        strbuf_add(&text, indent.s, indent.len);
    }
    join(&text, m, p, 1);
    if (before) {
        strbuf_puts(&text, "\n");
        strbuf_add(&text, indent.s, indent.len);
    }
    add_edit(m, hit, at, at, text.s, text.len);
    strbuf_release(&text);
}

static void line_before(const struct match *m, const struct predicate *p,
                        struct source_hit *hit)
{
    add_line(m, p, hit, true);
}

static void line_after(const struct match *m, const struct predicate *p,
                       struct source_hit *hit)
{
    add_line(m, p, hit, false);
}

/* The statement's line goes; where it is its block's only one, pass takes its place. */
static void delete_statement(const struct match *m, const struct predicate *p,
                             struct source_hit *hit)
{
    struct slice indent;
    TSNode n = statement_of(m, match_node(m, &p->arguments[0]), &indent);
    uint32_t begin = ts_node_start_byte(n), end = python_end(n);
    const char *text = m->syntax->text;
    bool alone = python_children(python_parent(n)) == 1;
    if (!only_blanks(indent)) {
        refuse(hit);
        return;
    }
    if (alone) {
        add_edit(m, hit, begin, end, "pass", 4);
        return;
    }
    while (end < m->syntax->len && text[end] != '\n' && text[end] != '#')
        if (text[end] == ' ' || text[end] == '\t' || text[end] == '\r') {
            end++;
        } else {
            refuse(hit); /* another statement stands behind */
            return;
        }
    while (end < m->syntax->len && text[end] != '\n')
        end++; /* a comment speaks of what goes */
    end += end < m->syntax->len;
    add_edit(m, hit, begin - (uint32_t)indent.len, end, "", 0);
}

static void add_argument_text(const struct match *m, TSNode arguments,
                              struct source_hit *hit, const char *text)
{
    uint32_t close = python_end(arguments) - 1;
    uint32_t n = python_children(arguments);
    struct strbuf out;
    strbuf_init(&out);
    uint32_t at = close;
    if (n) { /* behind the last argument, before a trailing comma or line break */
        TSNode last = python_child(arguments, n - 1);
        if (python_node(last) == PY_comment ||
            python_node(arguments) != PY_argument_list) {
            strbuf_release(&out);
            refuse(hit);
            return;
        }
        at = python_end(last);
        strbuf_puts(&out, ", ");
    }
    strbuf_puts(&out, text);
    add_edit(m, hit, at, at, out.s, out.len);
    strbuf_release(&out);
}

/* (#set-argument! @arguments "name" "value"): changes it, or adds it */
static void set_argument(const struct match *m, const struct predicate *p,
                         struct source_hit *hit)
{
    TSNode arguments = match_node(m, &p->arguments[0]);
    struct strbuf text;
    strbuf_init(&text);
    strbuf_add(&text, p->arguments[1].text.s, p->arguments[1].text.len);
    TSNode old = argument_named(m->syntax, arguments, text.s);
    if (!ts_node_is_null(old)) {
        struct slice value = p->arguments[2].text;
        add_edit(m, hit, ts_node_start_byte(old), python_end(old), value.s, value.len);
    } else {
        strbuf_puts(&text, "=");
        join(&text, m, p, 2);
        add_argument_text(m, arguments, hit, text.s);
    }
    strbuf_release(&text);
}

/* (#drop-argument! @arguments "name"): with the comma before or behind it */
static void drop_argument(const struct match *m, const struct predicate *p,
                          struct source_hit *hit)
{
    TSNode arguments = match_node(m, &p->arguments[0]);
    struct strbuf name;
    strbuf_init(&name);
    strbuf_add(&name, p->arguments[1].text.s, p->arguments[1].text.len);
    TSNode value = argument_named(m->syntax, arguments, name.s);
    strbuf_release(&name);
    if (ts_node_is_null(value)) {
        refuse(hit);
        return;
    }
    TSNode whole = python_parent(value), next = ts_node_next_named_sibling(whole),
           previous = ts_node_prev_named_sibling(whole);
    uint32_t begin = ts_node_start_byte(whole), end = python_end(whole);
    if (!ts_node_is_null(next))
        end = ts_node_start_byte(next);
    else if (!ts_node_is_null(previous) && python_node(previous) != PY_comment)
        begin = python_end(previous);
    else /* the only one, or a comment stands before it: a comma behind goes with it */
        end = python_end(arguments) - 1;
    add_edit(m, hit, begin, end, "", 0);
}

static void advice(const struct match *m, const struct predicate *p,
                   struct source_hit *hit)
{
    struct strbuf text;
    strbuf_init(&text);
    join(&text, m, p, 0);
    hit->advice = arena_strndup(&m->syntax->facts->text, text.s, text.len);
    strbuf_release(&text);
}

static void safe(const struct match *m, const struct predicate *p, struct source_hit *hit)
{
    (void)m, (void)p;
    hit->safe = true;
}

static void once(const struct match *m, const struct predicate *p, struct source_hit *hit)
{
    (void)m, (void)p;
    hit->once = true;
}

/* (#one-wait!): hits that wait for the same work are one wait. */
static void one_wait(const struct match *m, const struct predicate *p,
                     struct source_hit *hit)
{
    (void)p;
    struct wait_stretch w = wait_stretch_of(m->syntax, hit->place, hit->end);
    hit->wait_turn = w.turn;
    hit->wait_after = w.after;
    hit->wait_wraps = w.wrapped;
}

static const struct {
    const char *name;
    void (*apply)(const struct match *m, const struct predicate *p,
                  struct source_hit *hit);
} directives[] = {
    {"replace", replace},
    {"insert-after", insert_after},
    {"line-before", line_before},
    {"line-after", line_after},
    {"delete", delete_statement},
    {"set-argument", set_argument},
    {"drop-argument", drop_argument},
    {"advice", advice},
    {"safe", safe},
    {"once", once},
    {"one-wait", one_wait},
};

int32_t directive_find(struct slice name)
{
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (slice_is(name, directives[i].name))
            return (int32_t)i;
    return -1;
}

void directive_apply(int32_t which, const struct match *m, const struct predicate *p,
                     struct source_hit *hit)
{
    directives[which].apply(m, p, hit);
    if (hit->refused)
        hit->n_edits = 0;
}
#endif
