/* What is taken for a request, and what is answered where it is none. */
#include "cmocka_setup.h"

#include "http/http_connection.h"

#include <stdio.h>
#include <string.h>

#define GET "GET /metrics HTTP/1.1\r\nHost: a\r\n"

static enum http_code code_of(const char *text)
{
    struct http_request r;
    return http_request_read(&r, text, strlen(text));
}

static void assert_path(const char *text, const char *path)
{
    struct http_request r;
    assert_int_equal(http_request_read(&r, text, strlen(text)), HTTP_OK);
    assert_true(http_request_is_for(&r, path));
}

static void a_request_is_known_by_its_path(void **state)
{
    (void)state;
    assert_path("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", "/metrics");
    assert_path("GET /metrics?name=x HTTP/1.1\r\nHost:\r\n\r\n", "/metrics");
    assert_path("GET http://a:9/metrics HTTP/1.1\r\nHost: a\r\n\r\n", "/metrics");
    assert_path("HEAD / HTTP/1.0\n\n", "/");
}

static void every_beginning_of_a_request_waits_for_the_rest(void **state)
{
    (void)state;
    static const char text[] =
        "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9464\r\nAccept: */*\r\n\r\n";
    struct http_request r;
    for (size_t len = 0; len < sizeof text - 1; len++)
        assert_int_equal(http_request_read(&r, text, len), HTTP_INCOMPLETE);
    assert_int_equal(http_request_read(&r, text, sizeof text - 1), HTTP_OK);
}

static void what_is_no_request_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\r\n\r\n",
        "GET\r\n",
        "GET /metrics\r\n",
        "GET  /metrics HTTP/1.1\r\n",
        "GET /metrics HTTP/1.1 \r\n",
        "GET metrics HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET http://a HTTP/1.1\r\nHost: a\r\n\r\n",
        "G(T /metrics HTTP/1.1\r\n",
        "GET /metr\tics HTTP/1.1\r\n",
        "\x16\x03\x01\x02", /* TLS, whose first line would never end */
        GET "X-No-Colon\r\n",
        GET " folded: x\r\n",
        GET "Space : x\r\n",
        GET "Nul: \x01\r\n",
        GET "Host: b\r\n\r\n",
        "GET /metrics HTTP/1.1\r\n\r\n", /* without Host */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(code_of(texts[i]), HTTP_BAD_REQUEST);
}

static void other_methods_and_versions_are_told_so(void **state)
{
    (void)state;
    assert_int_equal(code_of("POST /metrics HTTP/1.1\r\nHost: a\r\n\r\n"),
                     HTTP_METHOD_NOT_ALLOWED);
    assert_int_equal(code_of("get /metrics HTTP/1.1\r\nHost: a\r\n\r\n"),
                     HTTP_METHOD_NOT_ALLOWED);
    assert_int_equal(code_of("PRI * HTTP/2.0\r\n\r\n"), HTTP_VERSION_NOT_SUPPORTED);
}

static void a_head_that_does_not_end_is_too_large(void **state)
{
    (void)state;
    char text[HTTP_HEAD_BYTES_MAX];
    struct http_request r;
    memset(text, 'a', sizeof text);
    assert_int_equal(http_request_read(&r, text, sizeof text - 1), HTTP_INCOMPLETE);
    assert_int_equal(http_request_read(&r, text, sizeof text), HTTP_HEAD_TOO_LARGE);
    memcpy(text, GET, sizeof GET - 1);
    assert_int_equal(http_request_read(&r, text, sizeof text), HTTP_HEAD_TOO_LARGE);
}

static bool names_an_address(const char *host)
{
    char text[512];
    struct http_request r;
    snprintf(text, sizeof text, "GET / HTTP/1.1\r\nhost:%s\r\n\r\n", host);
    assert_int_equal(http_request_read(&r, text, strlen(text)), HTTP_OK);
    return http_request_names_an_address(&r);
}

static void only_addresses_and_localhost_are_no_foreign_names(void **state)
{
    (void)state;
    static const char *const own[] = {"127.0.0.1",  " 127.0.0.1:9464", "\t10.1.2.3 ",
                                      "localhost",  "LocalHost:80",    "[::1]",
                                      "[::1]:9464", "localhost:"};
    static const char *const foreign[] = {
        "",
        ":9464",
        "a",
        "evil.example:9464",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "127.0.0.1:x",
        "127.0.0.1 evil",
        "[::1",
        "[::1]x",
        "[localhost]",
        "::1",
        "[]",
        "[",
        "127.0.0.1:80:evil",
        "1111111111111111111111111111111111111111111111111111111111111111111111111111"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_true(names_an_address(own[i]));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_false(names_an_address(foreign[i]));
    struct http_request r;
    static const char old[] = "GET / HTTP/1.0\r\n\r\n";
    assert_int_equal(http_request_read(&r, old, sizeof old - 1), HTTP_OK);
    assert_true(http_request_names_an_address(&r));
}

static void write_page(void *context, struct strbuf *out)
{
    strbuf_puts(out, context);
}

static void an_answer_to_head_has_the_length_and_no_body(void **state)
{
    (void)state;
    const struct http_page page = {.path = "/metrics",
                                   .content_type = "text/x",
                                   .write = write_page,
                                   .context = "12345"};
    struct http_request r;
    struct strbuf out, body;
    strbuf_init(&out);
    strbuf_init(&body);
    static const char head[] = "HEAD /metrics HTTP/1.0\r\n\r\n";
    enum http_code code = http_request_read(&r, head, sizeof head - 1);
    http_answer(&out, &body, code, &r, &page);
    assert_non_null(strstr(out.s, "HTTP/1.1 200 OK\r\nContent-Type: text/x\r\n"
                                  "Content-Length: 5\r\n"));
    assert_string_equal(out.s + out.len - 4, "\r\n\r\n");
    assert_null(strstr(out.s, "12345"));
    strbuf_release(&out);
    strbuf_release(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_known_by_its_path),
        cmocka_unit_test(every_beginning_of_a_request_waits_for_the_rest),
        cmocka_unit_test(what_is_no_request_is_refused),
        cmocka_unit_test(other_methods_and_versions_are_told_so),
        cmocka_unit_test(a_head_that_does_not_end_is_too_large),
        cmocka_unit_test(only_addresses_and_localhost_are_no_foreign_names),
        cmocka_unit_test(an_answer_to_head_has_the_length_and_no_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
