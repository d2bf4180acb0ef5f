/* Addresses as people write them, and the answers to what they get wrong. */
#include "cmocka_setup.h"

#include "http/http_url.h"

#include <string.h>

static void assert_parts(const char *text, const char *host, const char *port,
                         const char *path)
{
    struct http_url u;
    struct err err = ERR_INIT;
    assert_int_equal(http_url_read(&u, text, "4318", "/v1/metrics", &err), STATUS_OK);
    assert_string_equal(u.host, host);
    assert_string_equal(u.port, port);
    assert_string_equal(u.path, path);
}

static void assert_refused(const char *text, const char *why)
{
    struct http_url u;
    struct err err = ERR_INIT;
    assert_int_equal(http_url_read(&u, text, "4318", "/v1/metrics", &err), STATUS_USAGE);
    assert_non_null(strstr(err.text, why));
}

static void an_address_is_cut_into_host_port_and_path(void **state)
{
    (void)state;
    assert_parts("http://localhost", "localhost", "4318", "/v1/metrics");
    assert_parts("http://localhost/", "localhost", "4318", "/v1/metrics");
    assert_parts("HTTP://10.0.0.1:80/otlp?x=1", "10.0.0.1", "80", "/otlp?x=1");
    assert_parts("http://[::1]:4318/v1/metrics", "::1", "4318", "/v1/metrics");
    assert_parts("http://[::1]", "::1", "4318", "/v1/metrics");
}

static void what_is_wrong_is_said_with_the_form(void **state)
{
    (void)state;
    assert_refused("https://a/v1/metrics", "no TLS library; send to a collector on this");
    assert_refused("localhost:4318", "does not begin with http://");
    assert_refused("grpc://localhost:4317", "does not begin with http://");
    assert_refused("http://", "has no host");
    assert_refused("http://:4318", "has no host");
    assert_refused("http://a:", "has no port from 1 to 65535");
    assert_refused("http://a:65536", "has no port from 1 to 65535");
    assert_refused("http://a:0", "has no port from 1 to 65535");
    assert_refused("http://a:4318x", "has no port from 1 to 65535");
    assert_refused("http://[::1", "no address in its brackets");
    assert_refused("http://me:secret@a/", "has a user's name");
    assert_refused("http://a/x\r\nEvil: 1", "characters that no such address has");
    assert_refused("http://a?x", "has no path that begins with /");
}

static void what_is_too_long_is_refused(void **state)
{
    (void)state;
    char text[2048] = "http://";
    memset(text + 7, 'a', 300);
    assert_refused(text, "has no host");
    memset(text, 0, sizeof text);
    strcpy(text, "http://a/");
    memset(text + 9, 'b', 1500);
    assert_refused(text, "and is short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_is_cut_into_host_port_and_path),
        cmocka_unit_test(what_is_wrong_is_said_with_the_form),
        cmocka_unit_test(what_is_too_long_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
