/* The file and the messages: what is written where, and that failures stay warnings. */
#include "metrics_fixture.h"

#include "base/log.h"
#include "http/listen_socket.h"
#include "metric_sample.h"
#include "metrics/metric_outlets.h"
#include "unit/http/http_fixture.h"

#include <sys/stat.h>

static struct metric_outlets *open_all(int port, const char *file, const char *url)
{
    struct metric_outlets *m;
    struct err err = ERR_INIT;
    const struct metric_values first = sample_values(7.25);
    const struct metric_outlets_options o = {.port = port,
                                             .address = "127.0.0.1",
                                             .file = file,
                                             .otlp = {.url = url, .interval_s = 60}};
    log_mute(true);
    enum status st = metric_outlets_open(&m, &o, &sample_set, &first, &err);
    log_mute(false);
    if (st)
        fail_msg("%s", err.text);
    return m;
}

static struct metric_outlets *open_with(const char *file, const char *url)
{
    return open_all(-1, file, url);
}

static void a_file_is_replaced_and_nothing_is_left_beside_it(void **state)
{
    struct folder *d = *state;
    struct stat s;
    char *text;
    size_t len;
    char *path = mem_strdup(folder_path(d, "gait.prom"));
    struct metric_outlets *m = open_with(path, "");
    for (double loss = 1; loss < 4; loss++) {
        struct metric_values v = sample_values(loss);
        metric_outlets_put(m, &v);
        metric_outlets_write_file(m, &v);
    }
    metric_outlets_close(m);
    assert_int_equal(file_read(&text, &len, path, 1 << 20, NULL), 0);
    assert_non_null(strstr(text, "a_loss{run=\"my \\\"run\\\"\"} 3\n"));
    assert_int_equal(stat(d->dir, &s), 0);
    DIR *dir = opendir(d->dir);
    int files = 0;
    while (readdir(dir))
        files++;
    closedir(dir);
    assert_int_equal(files, 3); /* ".", ".." and the file */
    assert_int_equal(stat(path, &s), 0);
    mem_free(text);
    mem_free(path);
}

static void a_folder_that_goes_away_is_a_warning(void **state)
{
    struct folder *d = *state;
    char *inner = mem_strdup(folder_path(d, "inner"));
    struct metric_values v = sample_values(1);
    assert_int_equal(mkdir(inner, 0700), 0);
    char *path = mem_strdup(folder_path(d, "inner/gait.prom"));
    struct metric_outlets *m = open_with(path, "");
    assert_int_equal(rmdir(inner), 0);
    log_mute(true);
    metric_outlets_write_file(m, &v);
    metric_outlets_write_file(m, &v);
    log_mute(false);
    assert_int_equal(mkdir(inner, 0700), 0);
    metric_outlets_write_file(m, &v); /* it is there again */
    assert_true(file_exists(path));
    metric_outlets_close(m);
    unlink(path);
    mem_free(path);
    mem_free(inner);
}

static void messages_to_nobody_are_counted(void **state)
{
    (void)state;
    int listener;
    char url[64];
    assert_int_equal(listen_socket_open(&listener, "127.0.0.1", 0, NULL), 0);
    listen_socket_url(url, sizeof url, listener, "/v1/metrics");
    close(listener); /* a port of nobody */
    struct metric_outlets *m = open_with("", url);
    struct metric_values v = sample_values(1);
    metric_outlets_put(m, &v);
    for (int i = 0; i < 2000 && metric_outlets_dropped(m) < 1; i++)
        usleep(5000);
    assert_int_equal(metric_outlets_dropped(m), 1);
    log_mute(true);
    metric_outlets_close(m);
    log_mute(false);
}

static int free_port(void)
{
    int listener;
    char url[64];
    assert_int_equal(listen_socket_open(&listener, "127.0.0.1", 0, NULL), 0);
    listen_socket_url(url, sizeof url, listener, "");
    close(listener);
    return url_port(url);
}

static void the_first_page_has_values(void **state)
{
    (void)state;
    char page[8192];
    int port = free_port();
    struct metric_outlets *m = open_all(port, "", "");
    int fd = client_connect(port);
    client_send(fd, "GET /metrics HTTP/1.0\r\n\r\n");
    client_read(fd, page, sizeof page);
    assert_non_null(strstr(page, "a_loss{run=\"my \\\"run\\\"\"} 7.25\n"));
    metric_outlets_close(m);
}

/* Does one message to this listener have the text? It is answered afterwards. */
static bool message_has(int listener, const char *text, const char *answer)
{
    char got[16384] = "";
    size_t len = 0;
    struct pollfd p = {.fd = listener, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 20000), 1);
    int fd = accept(listener, NULL, NULL);
    for (ssize_t n = 1; n > 0 && !strstr(got, text); len += n > 0 ? (size_t)n : 0)
        n = recv(fd, got + len, sizeof got - len - 1, 0);
    send(fd, answer, strlen(answer), MSG_NOSIGNAL);
    close(fd);
    return strstr(got, text);
}

static void the_first_message_has_values(void **state)
{
    (void)state;
    int listener;
    char url[64];
    assert_int_equal(listen_socket_open(&listener, "127.0.0.1", 0, NULL), 0);
    listen_socket_url(url, sizeof url, listener, "/v1/metrics");
    struct metric_outlets *m = open_with("", url);
    assert_true(message_has(listener, "\"asDouble\":7.25", "HTTP/1.1 200 OK\r\n\r\n"));
    close(listener);
    log_mute(true);
    metric_outlets_close(m);
    log_mute(false);
}

static void a_message_that_is_rejected_in_part_is_counted(void **state)
{
    (void)state;
    int listener;
    char url[64];
    assert_int_equal(listen_socket_open(&listener, "127.0.0.1", 0, NULL), 0);
    listen_socket_url(url, sizeof url, listener, "/v1/metrics");
    struct metric_outlets *m = open_with("", url);
    message_has(listener, "]}]}]}",
                "HTTP/1.1 200 OK\r\n\r\n"
                "{\"partialSuccess\":{\"rejectedDataPoints\":\"3\"}}");
    for (int i = 0; i < 2000 && metric_outlets_dropped(m) < 1; i++)
        usleep(5000);
    assert_int_equal(metric_outlets_dropped(m), 1);
    close(listener);
    log_mute(true);
    metric_outlets_close(m);
    log_mute(false);
}

static void what_is_wrong_is_told_before_anything_is_opened(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    struct metric_outlets_options o = {
        .port = 9464, .address = "localhost", .file = "", .otlp = {.url = ""}};
    assert_int_equal(metric_outlets_check(&o, &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, "metrics_address: cannot listen at \"localhost\""));
    o.port = -1;
    assert_false(metric_outlets_wanted(&o));
    assert_int_equal(metric_outlets_check(&o, &err), STATUS_OK);
    o.otlp.url = "https://collector";
    assert_int_equal(metric_outlets_check(&o, &err), STATUS_USAGE);
    assert_non_null(
        strstr(err.text, "metrics_otlp: \"https://collector\": https is not"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_folder(a_file_is_replaced_and_nothing_is_left_beside_it),
        test_in_folder(a_folder_that_goes_away_is_a_warning),
        cmocka_unit_test(messages_to_nobody_are_counted),
        cmocka_unit_test(the_first_page_has_values),
        cmocka_unit_test(the_first_message_has_values),
        cmocka_unit_test(a_message_that_is_rejected_in_part_is_counted),
        cmocka_unit_test(what_is_wrong_is_told_before_anything_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
