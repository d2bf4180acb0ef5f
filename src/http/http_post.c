#include "http/http_post.h"

#include "base/clock.h"
#include "http/http_answer.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* What has come of the answer. */
struct received {
    char text[HTTP_ANSWER_BYTES_MAX];
    size_t len;
};

/* One read more; false: nothing comes any more (errno; 0: it was closed). */
static bool receive_some(struct received *r, int fd, const struct http_patience *p)
{
    ssize_t got;
    do
        got = recv(fd, r->text + r->len, sizeof r->text - r->len, 0);
    while (got < 0 && may_try_again() && wait_for(fd, POLLIN, p));
    if (got == 0)
        errno = 0;
    r->len += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* The code, 0 where the line did not come (errno; 0: it was closed), -1: no HTTP. */
static int receive_code(struct received *r, int fd, const struct http_patience *p)
{
    int code = 0;
    while (!code && receive_some(r, fd, p))
        code = http_answer_code(r->text, r->len);
    return code;
}

/* As far as there is room and patience for it: the message has arrived. */
static void receive_body(struct strbuf *out, struct received *r, int fd,
                         const struct http_patience *p)
{
    while (!http_answer_body(out, r->text, r->len) && r->len < sizeof r->text)
        if (!receive_some(r, fd, p))
            break;
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
                        const struct http_patience *p, struct strbuf *body,
                        struct err *err)
{
    struct received r = {.len = 0};
    if (!send_request(fd, url, m, p))
        return err_set(err, STATUS_ENVIRONMENT, "it could not be sent: %s",
                       strerror(errno));
    int code = receive_code(&r, fd, p);
    if (code > 0 && (code < 200 || code > 299))
        return refused(r.text, r.len, err);
    if (code < 0)
        return err_set(err, STATUS_ENVIRONMENT, "what answers there does not speak HTTP");
    if (!code)
        return err_set(err, STATUS_ENVIRONMENT, "there was no answer: %s",
                       errno ? strerror(errno) : "the connection was closed");
    receive_body(body, &r, fd, p);
    return STATUS_OK;
}

enum status http_post(const struct http_url *url, const struct http_message *message,
                      const struct http_patience *patience, struct strbuf *body,
                      struct err *err)
{
    int fd = -1;
    enum status st = open_connection(&fd, url, patience, err);
    if (st)
        return st;
    st = talk(fd, url, message, patience, body, err);
    close(fd);
    return st;
}
