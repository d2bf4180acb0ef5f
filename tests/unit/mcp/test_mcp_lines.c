#include "mcp/mcp_lines.h"

#include "base/mem.h"
#include "cmocka_setup.h"

#include <string.h>

struct taken {
    struct strbuf text; /* the lines, each with a bar behind it */
    size_t too_long;
};

static void take(void *context, const char *line, size_t len)
{
    struct taken *t = context;
    if (!line) {
        t->too_long++;
        return;
    }
    strbuf_add(&t->text, line, len < 20 ? len : 20);
    strbuf_putc(&t->text, '|');
}

static void lines_come_in_parts(void **state)
{
    (void)state;
    static const char text[] = "one\r\n\n  \ntwo\nthree";
    for (size_t part = 1; part < sizeof text; part++) {
        struct taken t = {0};
        struct mcp_lines l;
        strbuf_init(&t.text);
        mcp_lines_init(&l, take, &t);
        for (size_t at = 0; at < sizeof text - 1; at += part) {
            size_t left = sizeof text - 1 - at;
            mcp_lines_add(&l, text + at, part < left ? part : left);
        }
        mcp_lines_end(&l);
        assert_string_equal(t.text.s, "one|two|three|");
        mcp_lines_release(&l);
        strbuf_release(&t.text);
    }
}

static void a_line_beyond_the_bound_is_passed_over(void **state)
{
    (void)state;
    struct taken t = {0};
    struct mcp_lines l;
    char *bytes = mem_alloc(MCP_LINE_BYTES_MAX);
    memset(bytes, 'x', MCP_LINE_BYTES_MAX);
    strbuf_init(&t.text);
    mcp_lines_init(&l, take, &t);
    for (int i = 0; i < 3; i++)
        mcp_lines_add(&l, bytes, MCP_LINE_BYTES_MAX);
    assert_true(l.begun.cap <= 2 * MCP_LINE_BYTES_MAX + 64);
    mcp_lines_add(&l, "\nnext\n", 6);
    mcp_lines_add(&l, bytes, MCP_LINE_BYTES_MAX); /* just fits */
    mcp_lines_end(&l);
    assert_int_equal(t.too_long, 1);
    assert_string_equal(t.text.s, "next|xxxxxxxxxxxxxxxxxxxx|");
    mcp_lines_release(&l);
    strbuf_release(&t.text);
    mem_free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_in_parts),
        cmocka_unit_test(a_line_beyond_the_bound_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
