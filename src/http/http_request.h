/*
 * The head of a request, as far as a server of one page needs it (RFC 9112): request line
 * and the form of the fields. What comes over the network is hostile: the text is bounded
 * by the caller, never kept beyond it, and refused at its first wrong line.
 */
#ifndef GAIT_HTTP_HTTP_REQUEST_H
#define GAIT_HTTP_HTTP_REQUEST_H

#include "http/http_line.h"

enum { HTTP_HEAD_BYTES_MAX = 8192 };

/* Codes of RFC 9110 that are answered here. */
enum http_code {
    HTTP_INCOMPLETE = 0, /* more of the head must come */
    HTTP_OK = 200,
    HTTP_BAD_REQUEST = 400,
    HTTP_NOT_FOUND = 404,
    HTTP_METHOD_NOT_ALLOWED = 405,
    HTTP_TIMEOUT = 408,
    HTTP_MISDIRECTED = 421,
    HTTP_HEAD_TOO_LARGE = 431,
    HTTP_VERSION_NOT_SUPPORTED = 505,
};

struct http_request {
    bool is_head;     /* the answer has no body */
    const char *path; /* within the text, without the query */
    size_t path_len;
    struct http_line host; /* as it was sent; s NULL: HTTP/1.0 without it */
};

/* text[0..len) is what has come so far. HTTP_OK: *out is a GET or HEAD of a path; other
 * codes are the answer, and out->is_head alone is valid. */
enum http_code http_request_read(struct http_request *out, const char *text, size_t len);

/* Asked for by a numeric address, as localhost or without a Host: not by a name that leads
 * here because somebody else says so, as that of a web page does after DNS rebinding. */
bool http_request_names_an_address(const struct http_request *r);
bool http_request_is_for(const struct http_request *r, const char *path);
const char *http_code_text(enum http_code code);

#endif
