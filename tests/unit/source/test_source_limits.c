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

/* It looks at the clock now and then only. */
static bool is_over_soon(struct work_limit limit)
{
    bool over = false;
    for (int i = 0; i < 1000; i++)
        over |= work_limit_is_over(&limit);
    return over;
}

static void waiting_takes_no_time_from_the_walk_and_the_search(void **state)
{
    (void)state;
    const int64_t limit_ns = PYTHON_PARSE_MICROS_MAX * INT64_C(1000);
    struct work_limit limit = work_limit_begin();
    limit.begin_ns -= limit_ns - LIMIT_MICROS * INT64_C(1000);
    usleep(SLEEP_MICROS);
    assert_false(is_over_soon(limit));
    limit.begin_ns -= LIMIT_MICROS * INT64_C(1000);
    assert_true(is_over_soon(limit));
}
#endif

/* Each of the calls of a chain stands behind all of the list: whoever looks at what stands
 * before a call takes time that grows with the square of the text. */
static void long_chains_behind_long_lists_are_read(void **state)
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
    enum status st = source_file_read(&file, q, text.s, text.len, "a.py", &err);
    if (st) /* a slow machine, or a build with sanitizers */
        assert_string_equal(err.text, "a.py takes too long to check; split the file");
    else
        source_file_release(&file);
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
        cmocka_unit_test(waiting_takes_no_time_from_the_walk_and_the_search),
#endif
        cmocka_unit_test(long_chains_behind_long_lists_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
