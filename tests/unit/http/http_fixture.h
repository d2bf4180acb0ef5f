/* A client of this machine: connects, sends, reads to the end. */
#ifndef GAIT_TESTS_HTTP_FIXTURE_H
#define GAIT_TESTS_HTTP_FIXTURE_H

#include "cmocka_setup.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static inline int client_connect(int port)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&at, sizeof at), 0);
    return fd;
}

static inline void client_send(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (int)strlen(text));
}

/* What comes until the server closes; fails where it does not within 20 s. */
static inline size_t client_read(int fd, char *out, size_t size)
{
    size_t len = 0;
    for (ssize_t got = 1; got > 0 && len + 1 < size; len += got > 0 ? (size_t)got : 0) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 20000), 1);
        got = recv(fd, out + len, size - len - 1, 0);
    }
    out[len] = '\0';
    close(fd);
    return len;
}

/* The number behind the last colon of http://127.0.0.1:N/path */
static inline int url_port(const char *url)
{
    return atoi(strrchr(url, ':') + 1);
}

#endif
