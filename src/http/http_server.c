#include "http/http_server.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/quiet_thread.h"
#include "http/listen_socket.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROUND_MS = 2, NO_DESCRIPTOR_MS = 100 };

struct http_server {
    int listener, stop; /* stop: an eventfd */
    struct http_page page;
    pthread_t thread;
    bool runs; /* thread is there */
    struct http_connection client[HTTP_CONNECTIONS_MAX];
};

/* What the thread waits for: the wish to stop, a new client, each that is there. */
enum { FD_STOP, FD_LISTENER, FD_CLIENTS, FDS = FD_CLIENTS + HTTP_CONNECTIONS_MAX };

static struct http_connection *free_client(struct http_server *s)
{
    for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++)
        if (s->client[i].stage == HTTP_STAGE_CLOSED)
            return &s->client[i];
    return NULL;
}

/* A descriptor of -1 is not waited for. */
static void fill_fds(struct pollfd fds[FDS], struct http_server *s)
{
    fds[FD_STOP] = (struct pollfd){.fd = s->stop, .events = POLLIN};
    fds[FD_LISTENER] =
        (struct pollfd){.fd = free_client(s) ? s->listener : -1, .events = POLLIN};
    for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
        bool writes = s->client[i].stage == HTTP_STAGE_WRITING;
        fds[FD_CLIENTS + i] =
            (struct pollfd){.fd = s->client[i].fd, .events = writes ? POLLOUT : POLLIN};
    }
}

/* Until the first deadline; -1: there is none. */
static int patience_ms(const struct http_server *s)
{
    int64_t first_ns = INT64_MAX;
    for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++)
        if (s->client[i].stage != HTTP_STAGE_CLOSED &&
            s->client[i].deadline_ns < first_ns)
            first_ns = s->client[i].deadline_ns;
    if (first_ns == INT64_MAX)
        return -1;
    int64_t left_ns = first_ns - clock_now_ns();
    return left_ns > 0 ? (int)(left_ns / 1000000) + 1 : 0;
}

/* True: stop was asked for meanwhile. */
static bool pause_ms(const struct http_server *s, int ms)
{
    struct pollfd stop = {.fd = s->stop, .events = POLLIN};
    return poll(&stop, 1, ms) > 0;
}

static void take_client(struct http_server *s)
{
    int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct http_connection *c = free_client(s);
    if (fd >= 0) {
        http_connection_begin(c, fd, clock_now_ns());
        http_connection_advance(c, &s->page, clock_now_ns());
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
        pause_ms(s, NO_DESCRIPTOR_MS); /* others must give some back first */
}

static void serve_clients(struct http_server *s, const struct pollfd fds[FDS])
{
    int64_t now_ns = clock_now_ns();
    for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++) {
        if (fds[FD_CLIENTS + i].revents)
            http_connection_advance(&s->client[i], &s->page, now_ns);
        http_connection_expire(&s->client[i], now_ns);
    }
}

static void *server_run(void *arg)
{
    struct http_server *s = arg;
    struct pollfd fds[FDS];
    do {
        fill_fds(fds, s);
        if (poll(fds, FDS, patience_ms(s)) < 0)
            continue;
        if (fds[FD_STOP].revents)
            break;
        serve_clients(s, fds);
        if (fds[FD_LISTENER].revents)
            take_client(s);
    } while (!pause_ms(s, ROUND_MS));
    return NULL;
}

static enum status start(struct http_server *s, struct err *err)
{
    s->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (s->stop < 0)
        return err_set(err, STATUS_ENVIRONMENT, "cannot serve %s: %s", s->page.path,
                       strerror(errno));
    enum status st = quiet_thread_start(&s->thread, "gait-http", server_run, s, err);
    s->runs = !st;
    return st;
}

enum status http_server_open(struct http_server **out, const char *address, int port,
                             const struct http_page *page, char url[HTTP_URL_MAX],
                             struct err *err)
{
    int listener;
    enum status st = listen_socket_open(&listener, address, port, err);
    if (st)
        return st;
    struct http_server *s = mem_zalloc(1, sizeof *s);
    *s = (struct http_server){.listener = listener, .stop = -1, .page = *page};
    s->page.is_local = listen_address_is_local(address);
    for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++)
        http_connection_init(&s->client[i]);
    if (url)
        listen_socket_url(url, HTTP_URL_MAX, listener, page->path);
    st = start(s, err);
    if (st)
        http_server_close(s);
    else
        *out = s;
    return st;
}

void http_server_close(struct http_server *s)
{
    if (!s)
        return;
    if (s->runs) {
        eventfd_write(s->stop, 1);
        pthread_join(s->thread, NULL);
    }
    for (int i = 0; i < HTTP_CONNECTIONS_MAX; i++)
        http_connection_release(&s->client[i]);
    close(s->listener);
    if (s->stop >= 0)
        close(s->stop);
    mem_free(s);
}
