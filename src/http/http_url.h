/* "http://host:port/path", cut into what a connection needs. */
#ifndef GAIT_HTTP_HTTP_URL_H
#define GAIT_HTTP_HTTP_URL_H

#include "base/status.h"

enum { HTTP_HOST_MAX = 256, HTTP_PATH_MAX = 1024 };

struct http_url {
    char host[HTTP_HOST_MAX]; /* a name or an address, without [] */
    char port[8];
    char path[HTTP_PATH_MAX]; /* with the query */
};

/* What the text does not say is default_port and default_path. The error says what such
 * an address looks like. */
enum status http_url_read(struct http_url *out, const char *text,
                          const char *default_port, const char *default_path,
                          struct err *err);

#endif
