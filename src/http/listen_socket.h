/* A socket that listens, at an address that is given as a number: a name may lead to
 * several, and then it is left to chance which of them is served. */
#ifndef GAIT_HTTP_LISTEN_SOCKET_H
#define GAIT_HTTP_LISTEN_SOCKET_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Is it one, as far as the text tells? */
enum status listen_address_check(const char *address, struct err *err);
/* Port 0: one that is free. On OK the caller closes *out, which does not block. */
enum status listen_socket_open(int *out, const char *address, int port, struct err *err);
/* "http://127.0.0.1:9464/metrics" */
void listen_socket_url(char *out, size_t size, int fd, const char *path);
/* Can only this machine reach it? */
bool listen_address_is_local(const char *address);

#endif
