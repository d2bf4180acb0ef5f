/* One POST against real sockets: answers of all kinds, and none. */
#include "http_fixture.h"

#include "base/clock.h"
#include "http/http_answer.h"
#include "http/http_post.h"
#include "http/listen_socket.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>

/* A receiver that takes one message and says what it was told to. */
struct receiver {
    int listener;
    const char *says; /* NULL: it never answers */
    char got[4096];
    pthread_t thread;
};

static void *receiver_run(void *arg)
{
    struct receiver *r = arg;
    size_t len = 0;
    struct pollfd p = {.fd = r->listener, .events = POLLIN};
    poll(&p, 1, 10000);
    int fd = accept(r->listener, NULL, NULL);
    while (r->says && len < sizeof r->got - 1 && !strstr(r->got, "{}")) {
        ssize_t got = recv(fd, r->got + len, sizeof r->got - len - 1, 0);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    if (r->says)
        send(fd, r->says, strlen(r->says), MSG_NOSIGNAL);
    else
        recv(fd, r->got, sizeof r->got, MSG_WAITALL); /* until the other leaves */
    close(fd);
    return NULL;
}

static void receiver_start(struct receiver *r, const char *says, struct http_url *url)
{
    char text[128];
    memset(r, 0, sizeof *r);
    r->says = says;
    assert_int_equal(listen_socket_open(&r->listener, "127.0.0.1", 0, NULL), 0);
    listen_socket_url(text, sizeof text, r->listener, "/v1/metrics");
    assert_int_equal(http_url_read(url, text, "4318", "/", NULL), 0);
    assert_int_equal(pthread_create(&r->thread, NULL, receiver_run, r), 0);
}

static void receiver_end(struct receiver *r)
{
    pthread_join(r->thread, NULL);
    close(r->listener);
}

static char answered[64]; /* the beginning of the last answer's body */

static enum status post_within(const struct http_url *url, int64_t ns, int cancel_fd,
                               struct err *err)
{
    struct strbuf body;
    strbuf_init(&body);
    const struct http_message m = {"application/json", "{}", 2};
    const struct http_patience p = {clock_now_ns() + ns, cancel_fd};
    enum status st = http_post(url, &m, &p, &body, err);
    snprintf(answered, sizeof answered, "%s", body.s);
    strbuf_release(&body);
    return st;
}

static enum status post(const char *answer, struct receiver *r, struct err *err)
{
    struct http_url url;
    receiver_start(r, answer, &url);
    enum status st = post_within(&url, 10000000000, -1, err);
    receiver_end(r);
    return st;
}

static void a_message_arrives_with_its_length_and_type(void **state)
{
    (void)state;
    struct receiver r;
    struct err err = ERR_INIT;
    assert_int_equal(post("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", &r, &err), 0);
    assert_non_null(strstr(r.got, "POST /v1/metrics HTTP/1.1\r\nHost: 127.0.0.1:"));
    assert_non_null(strstr(r.got, "\r\nContent-Type: application/json\r\n"
                                  "Content-Length: 2\r\n"));
    assert_string_equal(answered, "{}");
    assert_int_equal(post("HTTP/1.1 200 OK\r\n\r\nto the end", &r, &err), 0);
    assert_string_equal(answered, "to the end");
    assert_int_equal(post("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}", &r, &err), 0);
    assert_string_equal(answered, "{}"); /* cut off: the message arrived all the same */
}

static void an_answer_is_read_up_to_its_bound(void **state)
{
    (void)state;
    struct receiver r;
    struct err err = ERR_INIT;
    static char answer[4 * HTTP_ANSWER_BYTES_MAX] = "HTTP/1.1 200 OK\r\n\r\n";
    size_t head = strlen(answer);
    memset(answer + head, 'x', sizeof answer - head - 1);
    assert_int_equal(post(answer, &r, &err), 0);
    assert_int_equal(answered[0], 'x');
}

static void other_answers_are_failures_with_their_text(void **state)
{
    (void)state;
    static const char *const answers[][2] = {
        {"HTTP/1.1 404 Not Found\r\n\r\n", "answered with 404 Not Found"},
        {"HTTP/1.0 503 \x1b[31mBusy\r\n\r\n", "answered with 503 ?[31mBusy"},
        {"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP"},
        {"HTTP/1.1 2000 OK\r\n\r\n", "does not speak HTTP"},
        {"", "the connection was closed"},
    };
    struct receiver r;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct err err = ERR_INIT;
        assert_int_equal(post(answers[i][0], &r, &err), STATUS_ENVIRONMENT);
        assert_non_null(strstr(err.text, answers[i][1]));
    }
}

static void a_receiver_that_never_answers_costs_no_more_than_the_deadline(void **state)
{
    (void)state;
    struct receiver r;
    struct http_url url;
    struct err err = ERR_INIT;
    receiver_start(&r, NULL, &url);
    assert_int_equal(post_within(&url, 100000000, -1, &err), STATUS_ENVIRONMENT);
    assert_non_null(strstr(err.text, "there was no answer: Connection timed out"));
    receiver_end(&r);
}

static void a_message_is_given_up_when_asked(void **state)
{
    (void)state;
    struct receiver r;
    struct http_url url;
    struct err err = ERR_INIT;
    int cancel = eventfd(1, EFD_CLOEXEC);
    receiver_start(&r, NULL, &url);
    int64_t begin_ns = clock_now_ns();
    assert_int_equal(post_within(&url, 60000000000, cancel, &err), STATUS_ENVIRONMENT);
    assert_true(clock_now_ns() - begin_ns < 30000000000);
    receiver_end(&r);
    close(cancel);
}

static void nobody_there_is_said(void **state)
{
    (void)state;
    struct receiver r;
    struct http_url url;
    struct err err = ERR_INIT;
    receiver_start(&r, "", &url);
    close(client_connect(atoi(url.port)));
    receiver_end(&r);
    assert_int_equal(post_within(&url, 10000000000, -1, &err), STATUS_ENVIRONMENT);
    assert_string_equal(err.text, "no connection: Connection refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_with_its_length_and_type),
        cmocka_unit_test(an_answer_is_read_up_to_its_bound),
        cmocka_unit_test(other_answers_are_failures_with_their_text),
        cmocka_unit_test(a_receiver_that_never_answers_costs_no_more_than_the_deadline),
        cmocka_unit_test(a_message_is_given_up_when_asked),
        cmocka_unit_test(nobody_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
