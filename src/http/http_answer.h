/*
 * What a message is answered with, as far as one who posts needs it (RFC 9112): the code,
 * and the body by its length, in chunks or up to the connection's end. What comes over the
 * network is hostile: the text is bounded by the caller and never kept beyond it.
 */
#ifndef GAIT_HTTP_HTTP_ANSWER_H
#define GAIT_HTTP_HTTP_ANSWER_H

#include "base/strbuf.h"

#include <stdbool.h>

enum { HTTP_ANSWER_BYTES_MAX = 16 << 10 }; /* head and body; what is behind is not read */

/* The code of an answer of which text[0..len) has come: 0 where the first line is not
 * whole, -1 where this is no HTTP. */
int http_answer_code(const char *text, size_t len);

/* What has come of the body of such an answer, in place of what *out had. True: nothing
 * more is worth waiting for, as the body is whole or malformed. */
bool http_answer_body(struct strbuf *out, const char *text, size_t len);

#endif
