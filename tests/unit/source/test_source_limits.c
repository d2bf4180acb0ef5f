/* Limits of time count what a thread works, not how long it waits for its turn. */
#include "cmocka_setup.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "source/source_query.h"

#include <stdint.h>
#include <string.h>

#ifdef GAIT_TREE_SITTER
#include "source/python_tree.h"
#include "source/tree_memory.h"

#include <unistd.h>

/* Long enough for the program below on any machine, short beside the sleep. */
enum { LIMIT_MICROS = 100 * 1000, SLEEP_MICROS = 4 * LIMIT_MICROS };

/* tree-sitter looks at the clock every 100 operations: this is more. */
static struct strbuf program_of(int lines)
{
    struct strbuf text;
    strbuf_init(&text);
    for (int i = 0; i < lines; i++)
        strbuf_puts(&text, "a = f(b, c)\n");
    return text;
}

/* The text, after a while. */
static const char *read_slowly(void *text, uint32_t byte, TSPoint at, uint32_t *len)
{
    const struct strbuf *t = text;
    (void)at;
    if (!byte)
        usleep(SLEEP_MICROS);
    *len = (uint32_t)t->len - byte;
    return t->s + byte;
}

static TSTree *parse_slowly(struct strbuf *text)
{
    tree_memory_use();
    TSParser *parser = ts_parser_new();
    assert_true(ts_parser_set_language(parser, tree_sitter_python()));
    ts_parser_set_timeout_micros(parser, LIMIT_MICROS);
    TSTree *tree =
        ts_parser_parse(parser, NULL, (TSInput){text, read_slowly, TSInputEncodingUTF8});
    ts_parser_delete(parser);
    return tree;
}

static void waiting_takes_no_time_from_a_parser(void **state)
{
    (void)state;
    struct strbuf text = program_of(100);
    TSTree *tree = parse_slowly(&text);
    assert_non_null(tree);
    ts_tree_delete(tree);
    strbuf_release(&text);
}

static void waiting_takes_no_time_from_a_search(void **state)
{
    (void)state;
    enum { LINES = 100 };
    static const char calls[] = "(call) @hit";
    struct strbuf text = program_of(LINES);
    TSTree *tree = parse_slowly(&text);
    uint32_t offset;
    TSQueryError error;
    TSQuery *query = ts_query_new(tree_sitter_python(), calls, (uint32_t)strlen(calls),
                                  &offset, &error);
    TSQueryCursor *cursor = ts_query_cursor_new();
    ts_query_cursor_set_timeout_micros(cursor, LIMIT_MICROS);
    ts_query_cursor_exec(cursor, query, ts_tree_root_node(tree));
    usleep(SLEEP_MICROS);
    int found = 0;
    for (TSQueryMatch match; ts_query_cursor_next_match(cursor, &match);)
        found++;
    assert_int_equal(found, LINES);
    ts_query_cursor_delete(cursor);
    ts_query_delete(query);
    ts_tree_delete(tree);
    strbuf_release(&text);
}
#endif

/* Each of the calls of a chain is looked at with all that stands before it. */
static void a_walk_that_is_quadratic_ends(void **state)
{
    (void)state;
    enum { ITEMS = 500 * 1000, CALLS = 950 };
    static const char query[] = "((pass_statement) @hit)";
    const char *queries[] = {query};
    struct source_query *q = source_query_new(queries, 1);
    struct source_file file;
    struct strbuf text;
    struct err err = ERR_INIT;
    strbuf_init(&text);
    strbuf_puts(&text, "x[");
    for (int i = 0; i < ITEMS; i++)
        strbuf_puts(&text, "a,");
    strbuf_puts(&text, "]");
    for (int i = 0; i < CALLS; i++)
        strbuf_puts(&text, ".a()");
    assert_int_equal(source_file_read(&file, q, text.s, text.len, "a.py", &err),
                     STATUS_INPUT);
    assert_string_equal(err.text, "a.py takes too long to check; split the file");
    strbuf_release(&text);
    source_query_free(q);
}

int main(void)
{
    if (!source_available())
        return 77;
    const struct CMUnitTest tests[] = {
#ifdef GAIT_TREE_SITTER
        cmocka_unit_test(waiting_takes_no_time_from_a_parser),
        cmocka_unit_test(waiting_takes_no_time_from_a_search),
#endif
        cmocka_unit_test(a_walk_that_is_quadratic_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
