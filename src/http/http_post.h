/*
 * One message sent by POST, and what it is answered with. Nothing waits beyond
 * the deadline but the resolver, where the host is a name: call it from a thread that may.
 */
#ifndef GAIT_HTTP_HTTP_POST_H
#define GAIT_HTTP_HTTP_POST_H

#include "base/status.h"
#include "base/strbuf.h"
#include "http/http_url.h"

#include <stddef.h>
#include <stdint.h>

struct http_message {
    const char *content_type, *body;
    size_t len;
};

struct http_patience {
    int64_t deadline_ns; /* on the monotonic clock */
    int cancel_fd;       /* readable: give up at once; -1: nothing */
};

/* OK: the message arrived and was answered with a code from 200 to 299; body has what
 * came of the answer's, at most HTTP_ANSWER_BYTES_MAX. The error says how far it came. */
enum status http_post(const struct http_url *url, const struct http_message *message,
                      const struct http_patience *patience, struct strbuf *body,
                      struct err *err);

#endif
