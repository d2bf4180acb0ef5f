/* The server over real sockets: clients that ask properly, and clients that do not. */
#include "http_fixture.h"

#include "http/http_server.h"
#include "http/listen_socket.h"

#include <stdio.h>

enum { BIG = 4 << 20 };
#define REQUEST "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

struct served {
    struct http_server *server;
    char url[HTTP_URL_MAX];
    size_t bytes; /* of the page */
    char answer[BIG + 1024];
};

static void write_page(void *context, struct strbuf *out)
{
    const struct served *s = context;
    while (out->len < s->bytes)
        strbuf_puts(out, "0123456789abcdef");
}

static int open_server(void **state)
{
    static struct served s;
    const struct http_page page = {.path = "/metrics",
                                   .content_type = "text/plain",
                                   .write = write_page,
                                   .context = &s};
    s.bytes = 16;
    *state = &s;
    return http_server_open(&s.server, "127.0.0.1", 0, &page, s.url, NULL);
}

static int close_server(void **state)
{
    struct served *s = *state;
    http_server_close(s->server);
    return 0;
}

static const char *ask(struct served *s, const char *request)
{
    int fd = client_connect(url_port(s->url));
    client_send(fd, request);
    client_read(fd, s->answer, sizeof s->answer);
    return s->answer;
}

static void assert_serves(struct served *s)
{
    assert_non_null(strstr(ask(s, REQUEST), "\r\n\r\n0123456789abcdef"));
}

static void a_page_is_served_and_served_again(void **state)
{
    assert_serves(*state);
    assert_serves(*state);
}

static void a_request_may_come_byte_by_byte(void **state)
{
    struct served *s = *state;
    int fd = client_connect(url_port(s->url));
    for (const char *p = REQUEST; *p; p++) {
        assert_int_equal(send(fd, p, 1, MSG_NOSIGNAL), 1);
        usleep(1000);
    }
    client_read(fd, s->answer, sizeof s->answer);
    assert_non_null(strstr(s->answer, "200 OK"));
}

/* More than the kernel's buffers hold, to a client that reads late. */
static void a_large_page_arrives_whole(void **state)
{
    struct served *s = *state;
    s->bytes = BIG;
    int fd = client_connect(url_port(s->url));
    client_send(fd, REQUEST);
    usleep(50000);
    size_t len = client_read(fd, s->answer, sizeof s->answer);
    assert_true(len > BIG);
    assert_memory_equal(s->answer + len - 16, "0123456789abcdef", 16);
}

/* The answer must not be lost because the kernel resets what was not read. */
static void a_body_that_nobody_asked_for_does_not_cost_the_answer(void **state)
{
    struct served *s = *state;
    int fd = client_connect(url_port(s->url));
    client_send(fd, "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n");
    char *body = calloc(1, 60000);
    assert_int_equal(send(fd, body, 60000, MSG_NOSIGNAL), 60000);
    free(body);
    shutdown(fd, SHUT_WR);
    client_read(fd, s->answer, sizeof s->answer);
    assert_non_null(strstr(s->answer, "405 Method Not Allowed"));
    assert_non_null(strstr(s->answer, "Allow: GET, HEAD"));
}

static void garbage_and_endless_heads_are_refused(void **state)
{
    struct served *s = *state;
    char head[HTTP_HEAD_BYTES_MAX + 1] = "GET /";
    memset(head + 5, 'x', sizeof head - 6);
    assert_non_null(strstr(ask(s, head), "431"));
    assert_non_null(strstr(ask(s, "\x16\x03\x01garbage"), "400"));
    assert_non_null(strstr(ask(s, "GET /other HTTP/1.0\r\n\r\n"), "404"));
    assert_serves(s);
}

/* All places are taken by clients that say nothing, and more wait in the queue: when
 * their time is over, the next one is served. */
static void silent_clients_only_delay_the_others(void **state)
{
    struct served *s = *state;
    enum { SILENT = HTTP_CONNECTIONS_MAX };
    int fd[SILENT];
    for (int i = 0; i < SILENT; i++)
        fd[i] = client_connect(url_port(s->url));
    client_send(fd[0], "GET /met"); /* half a request */
    assert_serves(s);
    client_read(fd[0], s->answer, sizeof s->answer);
    assert_non_null(strstr(s->answer, "408 Request Timeout"));
    for (int i = 1; i < SILENT; i++)
        close(fd[i]);
}

/* Of a page in a browser here whose name was made to lead to 127.0.0.1. */
static void a_foreign_name_is_refused_on_loopback(void **state)
{
    struct served *s = *state;
    const char *got = ask(s, "GET /metrics HTTP/1.1\r\nHost: evil.example:9464\r\n\r\n");
    assert_non_null(strstr(got, "421 Misdirected Request"));
    assert_non_null(strstr(got, "\r\n\r\n421 Misdirected Request\nAsk for it by"));
    assert_null(strstr(got, "0123456789abcdef"));
    got = ask(s, "GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\n\r\n");
    assert_non_null(strstr(got, "0123456789abcdef"));
}

static void what_all_may_reach_has_any_name(void **state)
{
    static struct served s = {.bytes = 16};
    const struct http_page page = {.path = "/metrics",
                                   .content_type = "text/plain",
                                   .write = write_page,
                                   .context = &s};
    (void)state;
    assert_int_equal(http_server_open(&s.server, "0.0.0.0", 0, &page, s.url, NULL), 0);
    assert_non_null(strstr(ask(&s, "GET /metrics HTTP/1.1\r\nHost: node7\r\n\r\n"),
                           "0123456789abcdef"));
    http_server_close(s.server);
}

static void loopback_is_known_however_it_is_written(void **state)
{
    (void)state;
    static const char *const local[] = {"127.0.0.1", "127.1", "::1", "0:0:0:0:0:0:0:1",
                                        "::ffff:127.0.0.1"};
    static const char *const open[] = {"0.0.0.0", "::", "10.0.0.1", "fe80::1",
                                       "localhost"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        assert_true(listen_address_is_local(local[i]));
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        assert_false(listen_address_is_local(open[i]));
}

static void closing_cuts_off_whoever_is_connected(void **state)
{
    struct served s = {.bytes = 16};
    (void)state;
    const struct http_page page = {.path = "/metrics",
                                   .content_type = "text/plain",
                                   .write = write_page,
                                   .context = &s};
    assert_int_equal(http_server_open(&s.server, "127.0.0.1", 0, &page, s.url, NULL), 0);
    int fd = client_connect(url_port(s.url));
    http_server_close(s.server);
    assert_int_equal(client_read(fd, s.answer, 100), 0);
}

static void a_port_that_is_taken_is_named(void **state)
{
    struct served *s = *state;
    struct http_server *second;
    struct err err = ERR_INIT;
    const struct http_page page = {.path = "/metrics",
                                   .content_type = "text/plain",
                                   .write = write_page,
                                   .context = s};
    assert_int_equal(
        http_server_open(&second, "127.0.0.1", url_port(s->url), &page, NULL, &err),
        STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "is taken by another program; choose another port"));
    assert_int_equal(http_server_open(&second, "localhost", 0, &page, NULL, &err),
                     STATUS_USAGE);
    assert_non_null(strstr(err.text, "give a numeric address"));
    assert_int_equal(http_server_open(&second, "192.0.2.1", 0, &page, NULL, &err),
                     STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "is no address of this machine"));
}

#define test_served(test) cmocka_unit_test_setup_teardown(test, open_server, close_server)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_served(a_page_is_served_and_served_again),
        test_served(a_request_may_come_byte_by_byte),
        test_served(a_large_page_arrives_whole),
        test_served(a_body_that_nobody_asked_for_does_not_cost_the_answer),
        test_served(garbage_and_endless_heads_are_refused),
        test_served(silent_clients_only_delay_the_others),
        test_served(a_foreign_name_is_refused_on_loopback),
        cmocka_unit_test(what_all_may_reach_has_any_name),
        cmocka_unit_test(loopback_is_known_however_it_is_written),
        cmocka_unit_test(closing_cuts_off_whoever_is_connected),
        test_served(a_port_that_is_taken_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
