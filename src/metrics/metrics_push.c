#include "metrics/metrics_push.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/quiet_thread.h"
#include "http/http_post.h"
#include "metrics/otlp_json.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static const int64_t PUSH_NS = 5000000000;      /* connect, send and be answered */
static const int64_t LAST_PUSH_NS = 2000000000; /* the training is over and waits */
enum { CLOSE_S = 3 };                           /* the resolver has no deadline */
enum { MESSAGE_BYTES = 64 << 10 };

struct metrics_push {
    struct http_url url;
    char text[256]; /* the address, for messages */
    double interval_s;
    const struct metric_set *set;
    struct metric_board *board;
    struct strbuf body, answer;
    int stop; /* an eventfd */
    pthread_t thread;
    bool has_warned;
    int64_t sent; /* or dropped */
    atomic_int_fast64_t dropped;
};

enum status metrics_push_check(const char *url, struct err *err)
{
    struct http_url read;
    return http_url_read(&read, url, "4318", "/v1/metrics", err);
}

static void warn_once(struct metrics_push *p, const struct err *err)
{
    if (!p->has_warned)
        log_urgent("gait: warning: metrics did not reach %s: %s; the training goes on, "
                   "and newer ones are sent every %g s",
                   p->text, err->text, p->interval_s);
    p->has_warned = true;
}

static bool stops_within(const struct metrics_push *p, double s)
{
    struct pollfd stop = {.fd = p->stop, .events = POLLIN};
    return poll(&stop, 1, (int)(s * 1e3)) > 0;
}

/* OK: it arrived, and no point of it was rejected. */
static enum status deliver(struct metrics_push *p, const struct http_patience *patience,
                           struct err *err)
{
    const struct http_message message = {
        .content_type = "application/json", .body = p->body.s, .len = p->body.len};
    enum status st = http_post(&p->url, &message, patience, &p->answer, err);
    int64_t rejected = st ? 0 : otlp_rejected(p->answer.s, p->answer.len);
    if (rejected)
        st = err_set(err, STATUS_ENVIRONMENT,
                     "%lld data points were rejected; the collector's log says why",
                     (long long)rejected);
    return st;
}

static void push(struct metrics_push *p, int64_t patience_ns, int cancel_fd)
{
    struct err err = ERR_INIT;
    struct metric_values v;
    metric_board_get(p->board, &v);
    strbuf_clear(&p->body);
    otlp_json(&p->body, p->set, &v);
    const struct http_patience patience = {.deadline_ns = clock_now_ns() + patience_ns,
                                           .cancel_fd = cancel_fd};
    enum status st = deliver(p, &patience, &err);
    if (st && cancel_fd >= 0 && stops_within(p, 0))
        return; /* it was cut off for the last message, which follows */
    p->sent++;
    p->dropped += st ? 1 : 0;
    if (st)
        warn_once(p, &err);
}

static void *push_run(void *arg)
{
    struct metrics_push *p = arg;
    do
        push(p, PUSH_NS, p->stop);
    while (!stops_within(p, p->interval_s));
    push(p, LAST_PUSH_NS, -1);
    return NULL;
}

static void push_free(struct metrics_push *p)
{
    if (p->stop >= 0)
        close(p->stop);
    strbuf_release(&p->body);
    strbuf_release(&p->answer);
    mem_free(p);
}

enum status metrics_push_open(struct metrics_push **out,
                              const struct metrics_push_options *o,
                              const struct metric_set *set, struct metric_board *board,
                              struct err *err)
{
    struct metrics_push *p = mem_zalloc(1, sizeof *p);
    p->interval_s = o->interval_s;
    p->set = set;
    p->board = board;
    strncpy(p->text, o->url, sizeof p->text - 1);
    strbuf_init(&p->answer);
    strbuf_init(&p->body);
    strbuf_repeat(&p->body, " ", MESSAGE_BYTES); /* no message needs memory later */
    p->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum status st = http_url_read(&p->url, o->url, "4318", "/v1/metrics", err);
    if (!st && p->stop < 0)
        st = err_set(err, STATUS_ENVIRONMENT, "cannot send metrics: %s", strerror(errno));
    if (!st)
        st = quiet_thread_start(&p->thread, "gait-otlp", push_run, p, err);
    if (st)
        push_free(p);
    else
        *out = p;
    return st;
}

int64_t metrics_push_dropped(struct metrics_push *p)
{
    return p ? p->dropped : 0;
}

bool metrics_push_close(struct metrics_push *p)
{
    struct timespec until;
    if (!p)
        return true;
    eventfd_write(p->stop, 1);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += CLOSE_S;
    if (pthread_timedjoin_np(p->thread, NULL, &until)) {
        pthread_detach(p->thread);
        log_line("metrics: the last message to %s was not sent in time", p->text);
        return false;
    }
    if (p->dropped)
        log_line("metrics: %lld of %lld messages to %s did not arrive whole",
                 (long long)p->dropped, (long long)p->sent, p->text);
    push_free(p);
    return true;
}
