#include "http/http_post.h"

#include "base/clock.h"
#include "base/strbuf.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_LINE_MAX = 1024 };

/* --- waiting --- */

/* True: fd is ready. Else errno: ETIMEDOUT, ECANCELED, or what poll says. */
static bool wait_for(int fd, short events, const struct http_patience *p)
{
    struct pollfd fds[] = {{.fd = fd, .events = events},
                           {.fd = p->cancel_fd, .events = POLLIN}};
    int64_t left_ns = p->deadline_ns - clock_now_ns();
    int got = left_ns > 0 ? poll(fds, 2, (int)(left_ns / 1000000) + 1) : 0;
    if (got < 0 && errno == EINTR)
        return wait_for(fd, events, p);
    if (got == 0)
        errno = ETIMEDOUT;
    if (got > 0 && fds[1].revents)
        errno = ECANCELED;
    return got > 0 && !fds[1].revents;
}

static bool may_try_again(void)
{
    return errno == EAGAIN || errno == EINTR;
}

/* --- connecting --- */

static bool finish_connect(int fd, const struct http_patience *p)
{
    int why = 0;
    socklen_t len = sizeof why;
    if (errno != EINPROGRESS || !wait_for(fd, POLLOUT, p))
        return false;
    getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &len);
    errno = why;
    return !why;
}

static int connect_to(const struct addrinfo *a, const struct http_patience *p)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (!connect(fd, a->ai_addr, a->ai_addrlen) || finish_connect(fd, p))
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

/* The first of the host's addresses that answers. */
static enum status open_connection(int *out, const struct http_url *url,
                                   const struct http_patience *p, struct err *err)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *all;
    int why = getaddrinfo(url->host, url->port, &hints, &all);
    if (why)
        return err_set(err, STATUS_ENVIRONMENT, "%s cannot be found: %s", url->host,
                       gai_strerror(why));
    *out = -1;
    for (const struct addrinfo *a = all; a && *out < 0; a = a->ai_next)
        *out = connect_to(a, p);
    int saved = errno;
    freeaddrinfo(all);
    if (*out >= 0)
        return STATUS_OK;
    return err_set(err, STATUS_ENVIRONMENT, "no connection: %s", strerror(saved));
}

/* --- talking --- */

static bool send_all(int fd, const char *s, size_t len, const struct http_patience *p)
{
    while (len) {
        ssize_t put = send(fd, s, len, MSG_NOSIGNAL);
        if (put < 0 && (!may_try_again() || !wait_for(fd, POLLOUT, p)))
            return false;
        s += put > 0 ? put : 0;
        len -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

static bool send_request(int fd, const struct http_url *url, const struct http_message *m,
                         const struct http_patience *p)
{
    struct strbuf head;
    bool is_v6 = strchr(url->host, ':');
    strbuf_init(&head);
    strbuf_printf(&head, "POST %s HTTP/1.1\r\nHost: %s%s%s:%s\r\n", url->path,
                  is_v6 ? "[" : "", url->host, is_v6 ? "]" : "", url->port);
    strbuf_printf(&head,
                  "User-Agent: gait/%s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                  "Connection: close\r\n\r\n",
                  GAIT_VERSION, m->content_type, m->len);
    bool sent = send_all(fd, head.s, head.len, p) && send_all(fd, m->body, m->len, p);
    strbuf_release(&head);
    return sent;
}

int http_answer_code(const char *text, size_t len)
{
    static const char form[] = "HTTP/1.d ddd"; /* d: a digit */
    const size_t form_len = sizeof form - 1;
    for (size_t i = 0; i < len && i < form_len; i++)
        if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return -1;
    if (len > form_len && !memchr(" \r\n", text[form_len], 3))
        return -1;
    const char *digits = text + form_len - 3;
    if (!memchr(text, '\n', len))
        return len < ANSWER_LINE_MAX ? 0 : -1;
    int code = len > form_len
                   ? (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + digits[2] - '0'
                   : -1;
    return code >= 100 ? code : -1;
}

/* The code, 0 where the line did not come (errno; 0: it was closed), -1: no HTTP. */
static int receive_code(int fd, char line[ANSWER_LINE_MAX], size_t *len,
                        const struct http_patience *p)
{
    int code = 0;
    *len = 0;
    while (!code) {
        ssize_t got = recv(fd, line + *len, ANSWER_LINE_MAX - *len, 0);
        if (got < 0 && may_try_again() && wait_for(fd, POLLIN, p))
            continue;
        if (got == 0)
            errno = 0;
        if (got <= 0)
            return 0;
        *len += (size_t)got;
        code = http_answer_code(line, *len);
    }
    return code;
}

/* "404 Not Found", without what a terminal would obey. */
static enum status refused(const char *line, size_t len, struct err *err)
{
    char text[64];
    size_t n = 0;
    for (size_t i = sizeof "HTTP/1.1 " - 1; i < len && n + 1 < sizeof text; i++) {
        if (line[i] == '\r' || line[i] == '\n')
            break;
        text[n++] = line[i] >= ' ' && line[i] < 0x7f ? line[i] : '?';
    }
    text[n] = '\0';
    return err_set(err, STATUS_ENVIRONMENT, "it was answered with %s", text);
}

static enum status talk(int fd, const struct http_url *url, const struct http_message *m,
                        const struct http_patience *p, struct err *err)
{
    char line[ANSWER_LINE_MAX];
    size_t len;
    if (!send_request(fd, url, m, p))
        return err_set(err, STATUS_ENVIRONMENT, "it could not be sent: %s",
                       strerror(errno));
    int code = receive_code(fd, line, &len, p);
    if (code >= 200 && code <= 299)
        return STATUS_OK;
    if (code > 0)
        return refused(line, len, err);
    if (code < 0)
        return err_set(err, STATUS_ENVIRONMENT, "what answers there does not speak HTTP");
    return err_set(err, STATUS_ENVIRONMENT, "there was no answer: %s",
                   errno ? strerror(errno) : "the connection was closed");
}

enum status http_post(const struct http_url *url, const struct http_message *message,
                      const struct http_patience *patience, struct err *err)
{
    int fd = -1;
    enum status st = open_connection(&fd, url, patience, err);
    if (st)
        return st;
    st = talk(fd, url, message, patience, err);
    close(fd);
    return st;
}
