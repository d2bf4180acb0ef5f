#include "cli/mcp_output.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { FULL_BYTES = 1 << 20, WRITES_AT_ONCE = 64 };

void mcp_output_init(struct mcp_output *o, int fd)
{
    *o = (struct mcp_output){.fd = fd};
    strbuf_init(&o->bytes);
}

void mcp_output_release(struct mcp_output *o)
{
    strbuf_release(&o->bytes);
}

static size_t waiting(const struct mcp_output *o)
{
    return o->bytes.len - o->sent;
}

bool mcp_output_is_empty(const struct mcp_output *o)
{
    return !waiting(o);
}

bool mcp_output_is_full(const struct mcp_output *o)
{
    return waiting(o) > FULL_BYTES;
}

void mcp_output_add(struct mcp_output *o, const char *bytes, size_t n)
{
    if (!o->closed)
        strbuf_add(&o->bytes, bytes, n);
}

/* --- writing --- */

/* So much is sent that moving the rest costs less than has been written. */
static void forget_sent(struct mcp_output *o)
{
    size_t rest = waiting(o);
    if (rest > o->sent)
        return;
    memmove(o->bytes.s, o->bytes.s + o->sent, rest);
    o->bytes.len = rest;
    o->bytes.s[rest] = '\0';
    o->sent = 0;
}

static void close_because(struct mcp_output *o, int why)
{
    o->closed = true;
    o->write_failed = why == EPIPE || why == ECONNRESET ? 0 : why;
    strbuf_clear(&o->bytes);
    o->sent = 0;
}

static void write_some(struct mcp_output *o)
{
    size_t n = waiting(o) < PIPE_BUF ? waiting(o) : PIPE_BUF;
    ssize_t wrote = write(o->fd, o->bytes.s + o->sent, n);
    if (wrote >= 0)
        o->sent += (size_t)wrote;
    else if (errno != EINTR && errno != EAGAIN)
        close_because(o, errno);
}

struct pollfd mcp_output_poll(const struct mcp_output *o)
{
    return (struct pollfd){.fd = o->fd, .events = waiting(o) ? POLLOUT : 0};
}

/* A socket whose other end was closed hangs up; a pipe without a reader is an error. */
void mcp_output_flush(struct mcp_output *o)
{
    for (int i = 0; i < WRITES_AT_ONCE && !o->closed; i++) {
        struct pollfd p = mcp_output_poll(o);
        if (poll(&p, 1, 0) <= 0)
            break;
        if (p.revents & POLLNVAL)
            close_because(o, EBADF);
        else if (p.revents & (POLLERR | POLLHUP))
            close_because(o, EPIPE);
        else
            write_some(o);
    }
    forget_sent(o);
}

enum status mcp_output_status(const struct mcp_output *o, struct err *err)
{
    return o->write_failed
               ? err_set(err, STATUS_ENVIRONMENT,
                         "cannot write to standard output, where the client reads: %s",
                         strerror(o->write_failed))
               : STATUS_OK;
}
