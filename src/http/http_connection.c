#include "http/http_connection.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static const int64_t STAGE_NS = 5000000000; /* a request, and an answer */
static const int64_t DRAIN_NS = 1000000000;
/* Room that a page is expected to take, so that serving it allocates nothing. */
enum { PAGE_BYTES = 16 << 10 };

void http_connection_init(struct http_connection *c)
{
    *c = (struct http_connection){.stage = HTTP_STAGE_CLOSED, .fd = -1};
    struct strbuf *rooms[] = {&c->body, &c->answer};
    for (int i = 0; i < 2; i++) {
        strbuf_init(rooms[i]);
        strbuf_repeat(rooms[i], " ", PAGE_BYTES);
        strbuf_clear(rooms[i]);
    }
}

void http_connection_release(struct http_connection *c)
{
    http_connection_close(c);
    strbuf_release(&c->body);
    strbuf_release(&c->answer);
}

void http_connection_close(struct http_connection *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->stage = HTTP_STAGE_CLOSED;
}

void http_connection_begin(struct http_connection *c, int fd, int64_t now_ns)
{
    c->fd = fd;
    c->stage = HTTP_STAGE_READING;
    c->deadline_ns = now_ns + STAGE_NS;
    c->head_len = c->sent = 0;
}

/* --- the answer --- */

static void put_body(struct strbuf *body, enum http_code code,
                     const struct http_request *r, const struct http_page *page)
{
    if (code != HTTP_OK)
        strbuf_printf(body, "%d %s\n", code, http_code_text(code));
    if (code == HTTP_OK && http_request_is_for(r, page->path))
        page->write(page->context, body);
    else if (code == HTTP_MISDIRECTED)
        strbuf_puts(body, "Ask for it by a numeric address, or as localhost\n");
    else if (code == HTTP_OK || code == HTTP_NOT_FOUND)
        strbuf_printf(body, "The metrics of this training are at %s\n", page->path);
}

void http_answer(struct strbuf *out, struct strbuf *body, enum http_code code,
                 const struct http_request *r, const struct http_page *page)
{
    bool is_page = code == HTTP_OK && http_request_is_for(r, page->path);
    if (code == HTTP_OK && !is_page && !http_request_is_for(r, "/"))
        code = HTTP_NOT_FOUND;
    strbuf_clear(body);
    put_body(body, code, r, page);
    strbuf_printf(out, "HTTP/1.1 %d %s\r\n", code, http_code_text(code));
    strbuf_printf(out, "Content-Type: %s\r\nContent-Length: %zu\r\n",
                  is_page ? page->content_type : "text/plain; charset=utf-8", body->len);
    if (code == HTTP_METHOD_NOT_ALLOWED)
        strbuf_puts(out, "Allow: GET, HEAD\r\n");
    strbuf_puts(out, "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                     "Connection: close\r\n\r\n");
    if (!r->is_head)
        strbuf_add(out, body->s, body->len);
}

/* --- stages --- */

static void drain(struct http_connection *c)
{
    ssize_t got = recv(c->fd, c->head, sizeof c->head, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        http_connection_close(c);
}

static void send_some(struct http_connection *c, int64_t now_ns)
{
    ssize_t put =
        send(c->fd, c->answer.s + c->sent, c->answer.len - c->sent, MSG_NOSIGNAL);
    if (put < 0 && errno != EAGAIN && errno != EINTR) {
        http_connection_close(c);
        return;
    }
    c->sent += put > 0 ? (size_t)put : 0;
    if (c->sent < c->answer.len)
        return;
    shutdown(c->fd, SHUT_WR);
    c->stage = HTTP_STAGE_DRAINING;
    c->deadline_ns = now_ns + DRAIN_NS;
}

static void answer(struct http_connection *c, enum http_code code,
                   const struct http_request *r, const struct http_page *page,
                   int64_t now_ns)
{
    strbuf_clear(&c->answer);
    http_answer(&c->answer, &c->body, code, r, page);
    c->stage = HTTP_STAGE_WRITING;
    c->deadline_ns = now_ns + STAGE_NS;
    send_some(c, now_ns);
}

static void receive(struct http_connection *c, const struct http_page *page,
                    int64_t now_ns)
{
    struct http_request r;
    ssize_t got = recv(c->fd, c->head + c->head_len, sizeof c->head - c->head_len, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) { /* it left without a request */
        http_connection_close(c);
        return;
    }
    c->head_len += (size_t)got;
    enum http_code code = http_request_read(&r, c->head, c->head_len);
    if (code == HTTP_OK && page->is_local && !http_request_names_an_address(&r))
        code = HTTP_MISDIRECTED;
    if (code != HTTP_INCOMPLETE)
        answer(c, code, &r, page, now_ns);
}

void http_connection_advance(struct http_connection *c, const struct http_page *page,
                             int64_t now_ns)
{
    switch (c->stage) {
    case HTTP_STAGE_READING:
        receive(c, page, now_ns);
        break;
    case HTTP_STAGE_WRITING:
        send_some(c, now_ns);
        break;
    case HTTP_STAGE_DRAINING:
        drain(c);
        break;
    case HTTP_STAGE_CLOSED:
        break;
    }
}

void http_connection_expire(struct http_connection *c, int64_t now_ns)
{
    static const struct http_page none = {.path = "", .content_type = ""};
    static const struct http_request nothing = {0};
    if (c->stage == HTTP_STAGE_CLOSED || now_ns < c->deadline_ns)
        return;
    if (c->stage == HTTP_STAGE_READING && c->head_len)
        answer(c, HTTP_TIMEOUT, &nothing, &none, now_ns);
    else
        http_connection_close(c);
}
