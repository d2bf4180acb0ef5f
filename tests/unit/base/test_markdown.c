/* Text of others is never markup. What a parser makes of it:
 * tests/e2e/gates_are_what_others_read.py. */
#include "base/markdown.h"
#include "cmocka_setup.h"

static struct strbuf out;

static void assert_text(const char *s, const char *wanted)
{
    strbuf_init(&out);
    markdown_text(&out, s);
    assert_string_equal(out.s, wanted);
    strbuf_release(&out);
}

static void assert_code(const char *s, const char *wanted)
{
    strbuf_init(&out);
    markdown_code(&out, s);
    assert_string_equal(out.s, wanted);
    strbuf_release(&out);
}

static void markup_is_escaped(void **state)
{
    (void)state;
    assert_text("", "");
    assert_text("a_b __c__ *d*", "a_b \\_\\_c\\_\\_ \\*d\\*");
    assert_text("<b>&|\\", "&lt;b&gt;&amp;&#124;&#92;");
    assert_text("[x](y) `z` ~~w~~", "\\[x\\](y) \\`z\\` \\~\\~w\\~\\~");
}

static void no_block_begins(void **state)
{
    (void)state;
    assert_text("# a # b", "\\# a # b");
    assert_text("- a", "\\- a");
    assert_text("12. a", "12\\. a");
    assert_text("1.5 ms", "1.5 ms");
}

static void nobody_is_mentioned_and_nothing_linked(void **state)
{
    (void)state;
    assert_text("a@b @c @ d", "a@&#8203;b @&#8203;c @ d");
    assert_text("#1 x#2 #x", "\\#&#8203;1 x#&#8203;2 #x");
    assert_text("https://a www.b aww.c a::b", "https:&#8203;//a www&#8203;.b aww.c a::b");
}

static void code_outlasts_backticks(void **state)
{
    (void)state;
    assert_code("a|<b>", "`a|<b>`");
    assert_code("`a`", "`` `a` ``");
    assert_code("a``b", "``` a``b ```");
    assert_code("", "`  `");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(no_block_begins),
        cmocka_unit_test(nobody_is_mentioned_and_nothing_linked),
        cmocka_unit_test(code_outlasts_backticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
