/*
 * One page over HTTP/1.1, from a thread of its own, beside work that must not be
 * disturbed. Whoever is allowed to connect may be slow, silent, many or mad:
 *
 *   - HTTP_CONNECTIONS_MAX clients at once, each with fixed buffers; the next ones wait
 *     in the kernel's bounded queue;
 *   - a request must be whole within 5 s, an answer be taken within 5 s;
 *   - a round of the thread takes one new client and one read of each, and rounds are 2 ms
 *     apart: more clients make the page slower, not the thread busier.
 *
 * One request a connection.
 */
#ifndef GAIT_HTTP_HTTP_SERVER_H
#define GAIT_HTTP_HTTP_SERVER_H

#include "base/status.h"
#include "http/http_connection.h"

enum { HTTP_CONNECTIONS_MAX = 16, HTTP_URL_MAX = 128 };

struct http_server; /* opaque */

/* Listen at a numeric address, and serve; port 0: one that is free. At a loopback address
 * the page is for this machine alone (page->is_local). The page's context must live until
 * the close. url, if it is not NULL, is where the page is. On OK the caller calls
 * http_server_close(). */
enum status http_server_open(struct http_server **out, const char *address, int port,
                             const struct http_page *page, char url[HTTP_URL_MAX],
                             struct err *err);
/* Cuts off whoever is connected. NULL: nothing. */
void http_server_close(struct http_server *s);

#endif
