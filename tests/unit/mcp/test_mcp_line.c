#include "mcp/mcp_tool.h"

#include "cmocka_setup.h"

#include <string.h>

static enum status make(const char *tool, const char *arguments, struct err *err)
{
    struct mcp_line line;
    struct arena memory;
    const struct json *j;
    const struct mcp_tool *t = mcp_tool_named(tool, false, err);
    arena_init(&memory);
    assert_int_equal(json_read(&j, &memory, arguments, strlen(arguments), err),
                     STATUS_OK);
    enum status st = mcp_line_make(&line, t, j, false, err);
    mcp_line_release(&line);
    arena_release(&memory);
    return st;
}

static void files_that_list_files_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"analyze", "{\"runs\":[\"a.gait\",\"@/etc/passwd\"]}"},
        {"analyze", "{\"runs\":[\"@\"]}"},
        {"explain", "{\"runs\":[\"a\"],\"finding\":\"@b\"}"},
        {"whatif", "{\"runs\":[\"a\"],\"questions\":[\"no-wait\",\"@b\"]}"},
        {"verify", "{\"before\":\"a\",\"after\":\"@b\"}"},
        {"lint", "{\"paths\":[\"a\"],\"with\":\"@b\"}"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(make(wrong[i][0], wrong[i][1], &err), STATUS_USAGE);
        assert_non_null(strstr(err.text, "name the files"));
    }
}

static void other_words_may_begin_as_list_files_do(void **state)
{
    (void)state;
    static const char *const right[][2] = {
        {"analyze", "{\"runs\":[\"./@a\",\"b@c\"],\"folder\":\"@d\"}"},
        {"record", "{\"output\":\"a\",\"command\":[\"b\",\"@c\"]}"},
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(make(right[i][0], right[i][1], &err), STATUS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_list_files_are_refused),
        cmocka_unit_test(other_words_may_begin_as_list_files_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
