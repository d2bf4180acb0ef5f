/* Patterns match as tree-sitter's own engine says they do. */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "source/source_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GAIT_TREE_SITTER
#include "source/pattern.h"
#include "unit/source/read_all.h"

/* Every way to match that a pattern has in a text, as "node node …" by its captures: the
 * lines are sorted, each once. */
struct ways {
    const struct pattern *pattern;
    char **line;
    size_t n, cap;
};

static void add_way(struct ways *w, const TSNode *captures)
{
    struct strbuf text;
    strbuf_init(&text);
    for (int32_t i = 0; i < w->pattern->n_captures; i++)
        if (ts_node_is_null(captures[i]))
            strbuf_puts(&text, " -");
        else
            strbuf_printf(&text, " %u-%u", ts_node_start_byte(captures[i]),
                          ts_node_end_byte(captures[i]));
    vec_grow(w->line, w->cap, w->n + 1);
    w->line[w->n++] = mem_strdup(text.s);
    strbuf_release(&text);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct ways *w)
{
    size_t kept = 0;
    if (w->n)
        qsort(w->line, w->n, sizeof *w->line, compare_lines);
    for (size_t i = 0; i < w->n; i++)
        if (kept && !strcmp(w->line[kept - 1], w->line[i]))
            mem_free(w->line[i]);
        else
            w->line[kept++] = w->line[i];
    w->n = kept;
}

static void release(struct ways *w)
{
    for (size_t i = 0; i < w->n; i++)
        mem_free(w->line[i]);
    mem_free(w->line);
}

/* --- by our engine */

static void take(void *ways, const TSNode *captures)
{
    add_way(ways, captures);
}

static void match_by_ours(struct ways *w, const struct python_nodes *nodes)
{
    for (size_t i = 0; i < nodes->n; i++)
        assert_true(pattern_match(w->pattern, nodes, (int32_t)i, take, w));
    sort(w);
}

/* --- by tree-sitter's */

static void match_query(struct ways *w, const TSQuery *q, const TSTree *tree)
{
    TSQueryCursor *cursor = ts_query_cursor_new();
    ts_query_cursor_exec(cursor, q, ts_tree_root_node(tree));
    for (TSQueryMatch match; ts_query_cursor_next_match(cursor, &match);) {
        TSNode captures[PATTERN_CAPTURES_MAX] = {0};
        for (uint16_t i = 0; i < match.capture_count; i++) {
            uint32_t len;
            struct slice name;
            name.s = ts_query_capture_name_for_id(q, match.captures[i].index, &len);
            name.len = len;
            captures[pattern_capture(w->pattern, name)] = match.captures[i].node;
        }
        add_way(w, captures);
    }
    ts_query_cursor_delete(cursor);
}

/* tree-sitter takes the last "." of "([(a) (b)] .)" as said of one of the choices alone.
 * So it is asked for each choice by itself. */
struct choice {
    struct slice before, choices, after;
};

static const char *behind_group(const char *at, const char *end)
{
    int depth = 0;
    do {
        depth += strchr("([", *at) ? 1 : strchr(")]", *at) ? -1 : 0;
        at++;
    } while (depth && at < end);
    return at;
}

static bool find_last_choice(struct choice *c, struct slice text)
{
    const char *end = text.s + text.len;
    for (const char *at = text.s; at < end; at++) {
        if (*at != '[')
            continue;
        const char *close = behind_group(at, end), *dot = close;
        while (dot < end && (*dot == ' ' || *dot == '@' || python_is_name_byte(*dot)))
            dot++;
        if (*dot != '.' || dot[1] != ')')
            continue;
        c->before = (struct slice){text.s, (size_t)(at - text.s)};
        c->choices = (struct slice){at + 1, (size_t)(close - at) - 2};
        c->after = (struct slice){close, (size_t)(end - close)};
        return true;
    }
    return false;
}

static void match_by_tree_sitter(struct ways *w, struct slice text, const TSTree *tree)
{
    struct choice c;
    uint32_t at;
    TSQueryError error;
    if (!find_last_choice(&c, text)) {
        TSQuery *q =
            ts_query_new(tree_sitter_python(), text.s, (uint32_t)text.len, &at, &error);
        assert_non_null(q);
        match_query(w, q, tree);
        ts_query_delete(q);
        return;
    }
    const char *end = c.choices.s + c.choices.len;
    for (const char *one = c.choices.s; one < end;) {
        const char *close = behind_group(one, end);
        struct strbuf each;
        strbuf_init(&each);
        strbuf_add(&each, c.before.s, c.before.len);
        strbuf_add(&each, one, (size_t)(close - one));
        strbuf_add(&each, c.after.s, c.after.len);
        match_by_tree_sitter(w, (struct slice){each.s, each.len}, tree);
        strbuf_release(&each);
        for (one = close; one < end && *one == ' ';)
            one++;
    }
}

/* Returns how many ways there are. */
static size_t assert_alike(const struct pattern *p, const TSTree *tree,
                           const struct python_nodes *nodes, struct slice text)
{
    struct ways ours = {.pattern = p}, theirs = {.pattern = p};
    match_by_ours(&ours, nodes);
    match_by_tree_sitter(&theirs, text, tree);
    sort(&theirs);
    for (size_t i = 0; i < ours.n || i < theirs.n; i++)
        if (i >= ours.n || i >= theirs.n || strcmp(ours.line[i], theirs.line[i]) != 0)
            fail_msg("%.*s\nours: %s, tree-sitter's: %s", (int)text.len, text.s,
                     i < ours.n ? ours.line[i] : "none",
                     i < theirs.n ? theirs.line[i] : "none");
    size_t n = ours.n;
    release(&ours);
    release(&theirs);
    return n;
}

/* --- the rules' patterns on the rules' cases */

static void a_rules_patterns_match_as_tree_sitter_says(void **state)
{
    (void)state;
    size_t len, rules_len, ways = 0, matched = 0, patterns = 0;
    char *text = read_all(ALL_CASES, &len);
    char *rules = read_all(ALL_RULES, &rules_len);
    struct slice rest = {rules, rules_len}, one;
    TSTree *tree;
    struct err err = ERR_INIT;
    struct python_nodes nodes;
    struct work_limit limit = work_limit_begin();
    assert_int_equal(python_parse(&tree, text, len, "cases.py", &err), STATUS_OK);
    assert_int_equal(python_nodes_read(&nodes, tree, &limit, "cases.py", &err),
                     STATUS_OK);
    while (pattern_next(&rest, &one)) {
        struct pattern p;
        pattern_read(&p, one);
        size_t n = assert_alike(&p, tree, &nodes, one);
        ways += n;
        matched += n > 0;
        patterns++;
        pattern_release(&p);
    }
    print_message("%zu patterns, %zu of them match, in %zu ways; %zu nodes\n", patterns,
                  matched, ways, nodes.n);
    assert_true(matched > patterns / 2);
    python_nodes_release(&nodes);
    ts_tree_delete(tree);
    mem_free(text);
    mem_free(rules);
}
#endif

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
#ifdef GAIT_TREE_SITTER
        cmocka_unit_test(a_rules_patterns_match_as_tree_sitter_says),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
