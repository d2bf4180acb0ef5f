/* Answers to messages: the code, and the body in each of the forms that it can have. */
#include "cmocka_setup.h"

#include "http/http_answer.h"

#include <stdio.h>
#include <string.h>

#define OK "HTTP/1.1 200 OK\r\n"
#define LENGTH "Content-Length: "
#define CHUNKED "Transfer-Encoding: chunked\r\n\r\n"

static void a_code_is_known_once_its_line_is_whole(void **state)
{
    (void)state;
    static const char text[] = "HTTP/1.1 204 No Content\r\n";
    for (size_t len = 0; len < sizeof text - 1; len++)
        assert_int_equal(http_answer_code(text, len), 0);
    assert_int_equal(http_answer_code(text, sizeof text - 1), 204);
    assert_int_equal(http_answer_code("HTTP/1.1 20\n", 12), -1);
    assert_int_equal(http_answer_code("HTTP/1.1 200\n", 13), 200);
    assert_int_equal(http_answer_code("HTTP/1.1 099 x\n", 15), -1);
    assert_int_equal(http_answer_code("\n", 1), -1);
}

static void assert_body(const char *text, const char *body, bool is_whole)
{
    struct strbuf out;
    strbuf_init(&out);
    assert_int_equal(http_answer_body(&out, text, strlen(text)), is_whole);
    assert_string_equal(out.s, body);
    strbuf_release(&out);
}

static void a_body_ends_by_its_length(void **state)
{
    (void)state;
    assert_body(OK LENGTH "2\r\n\r\n{}", "{}", true);
    assert_body(OK "content-length:2 \r\n\r\n{}more", "{}", true);
    assert_body(OK LENGTH "3\r\n\r\n{}", "{}", false);
    assert_body(OK LENGTH "0\r\n\r\n", "", true);
    assert_body(OK LENGTH "0\r\n", "", false); /* the head is not whole */
}

static void a_body_without_a_length_ends_with_the_connection(void **state)
{
    (void)state;
    assert_body(OK "\r\n{}", "{}", false);
    assert_body("HTTP/1.1 204 No Content\r\n\r\n", "", true);
}

static void a_body_in_chunks_is_put_together(void **state)
{
    (void)state;
    assert_body(OK CHUNKED "3\r\nabc\r\nA;name=x\r\n0123456789\r\n0\r\n\r\n",
                "abc0123456789", true);
    assert_body(OK LENGTH "1\r\n" CHUNKED "2\r\n{}\r\n0\r\n", "{}", true);
    assert_body(OK CHUNKED "3\r\nab", "ab", false);
    assert_body(OK CHUNKED "3\r\nabc", "abc", false);
    assert_body(OK CHUNKED "3\r\nabc\r\n2", "abc", false);
}

static void nothing_is_awaited_behind_what_is_malformed(void **state)
{
    (void)state;
    assert_body(OK LENGTH "two\r\n\r\n{}", "", true);
    assert_body(OK LENGTH "99999999999999999999999999\r\n\r\n{}", "", true);
    assert_body(OK CHUNKED "fffffffffffffffffffffffff\r\n{}", "", true);
    assert_body(OK CHUNKED "-1\r\n{}", "", true);
    assert_body(OK CHUNKED "2\r\n{}garbage\r\n", "{}", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_is_known_once_its_line_is_whole),
        cmocka_unit_test(a_body_ends_by_its_length),
        cmocka_unit_test(a_body_without_a_length_ends_with_the_connection),
        cmocka_unit_test(a_body_in_chunks_is_put_together),
        cmocka_unit_test(nothing_is_awaited_behind_what_is_malformed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
