/*
 * One client, from its first byte to its last: the head of one request is read into a
 * fixed buffer, one answer is written, and what the client still sends is thrown away for
 * a moment, so that the kernel does not reset the connection before the answer was read.
 * Nothing here waits: each stage has a deadline, and the server asks again when the
 * kernel has something.
 */
#ifndef GAIT_HTTP_HTTP_CONNECTION_H
#define GAIT_HTTP_HTTP_CONNECTION_H

#include "base/strbuf.h"
#include "http/http_request.h"

#include <stdint.h>

/* What is served: one page at one path, made when it is asked for, in the server's
 * thread; "/" says where it is. */
struct http_page {
    const char *path, *content_type;
    bool is_local; /* for this machine alone: asked for by a name it is refused */
    void (*write)(void *context, struct strbuf *out);
    void *context;
};

enum http_stage {
    HTTP_STAGE_CLOSED,
    HTTP_STAGE_READING,
    HTTP_STAGE_WRITING,
    HTTP_STAGE_DRAINING, /* answered; the client may still send */
};

struct http_connection {
    enum http_stage stage;
    int fd;
    int64_t deadline_ns; /* of the stage */
    char head[HTTP_HEAD_BYTES_MAX];
    size_t head_len;
    struct strbuf body, answer;
    size_t sent;
};

void http_connection_init(struct http_connection *c);
void http_connection_release(struct http_connection *c);

/* Takes fd, which does not block. */
void http_connection_begin(struct http_connection *c, int fd, int64_t now_ns);
/* As far as it goes without waiting; one read at most. */
void http_connection_advance(struct http_connection *c, const struct http_page *page,
                             int64_t now_ns);
/* A stage that took too long is over: a request that did not come is answered so. */
void http_connection_expire(struct http_connection *c, int64_t now_ns);
void http_connection_close(struct http_connection *c);

/* The whole answer to such a request, appended to out; body is the room for the page. */
void http_answer(struct strbuf *out, struct strbuf *body, enum http_code code,
                 const struct http_request *r, const struct http_page *page);

#endif
