#include "http/listen_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { QUEUE_LEN = 16 }; /* clients that the kernel keeps waiting */

/* NULL and an err where the address is none; else the caller frees it. */
static struct addrinfo *find_address(const char *address, int port, struct err *err)
{
    char service[16];
    struct addrinfo hints = {.ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE};
    struct addrinfo *found;
    snprintf(service, sizeof service, "%d", port);
    if (*address && !getaddrinfo(address, service, &hints, &found))
        return found;
    err_set(err, STATUS_USAGE,
            "cannot listen at \"%s\": give a numeric address, 127.0.0.1 or ::1 for "
            "this machine alone, 0.0.0.0 or :: for all that can reach it",
            address);
    return NULL;
}

enum status listen_address_check(const char *address, struct err *err)
{
    struct addrinfo *found = find_address(address, 0, err);
    if (!found)
        return STATUS_USAGE;
    freeaddrinfo(found);
    return STATUS_OK;
}

static enum status refused(const char *address, int port, struct err *err)
{
    if (errno == EADDRINUSE)
        return err_set(err, STATUS_ENVIRONMENT,
                       "port %d at %s is taken by another program; choose another port, "
                       "or 0 for one that is free (`ss -ltnp 'sport = :%d'` says whose "
                       "it is)",
                       port, address, port);
    if (errno == EACCES)
        return err_set(err, STATUS_ENVIRONMENT,
                       "port %d may not be opened by this user; choose one from 1024 on",
                       port);
    if (errno == EADDRNOTAVAIL)
        return err_set(err, STATUS_ENVIRONMENT,
                       "%s is no address of this machine (`ip addr` lists them); "
                       "127.0.0.1 always is one",
                       address);
    return err_set(err, STATUS_ENVIRONMENT, "cannot listen at %s port %d: %s", address,
                   port, strerror(errno));
}

static int open_and_listen(const struct addrinfo *a)
{
    const int on = 1;
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); /* right after another */
    if (!bind(fd, a->ai_addr, a->ai_addrlen) && !listen(fd, QUEUE_LEN))
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

enum status listen_socket_open(int *out, const char *address, int port, struct err *err)
{
    struct addrinfo *found = find_address(address, port, err);
    if (!found)
        return STATUS_USAGE;
    *out = open_and_listen(found);
    int why = errno;
    freeaddrinfo(found);
    errno = why;
    return *out < 0 ? refused(address, port, err) : STATUS_OK;
}

void listen_socket_url(char *out, size_t size, int fd, const char *path)
{
    char host[INET6_ADDRSTRLEN + 24] = "?", port[8] = "0";
    struct sockaddr_storage at;
    socklen_t len = sizeof at;
    if (!getsockname(fd, (struct sockaddr *)&at, &len))
        getnameinfo((struct sockaddr *)&at, len, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    bool is_v6 = strchr(host, ':');
    snprintf(out, size, "http://%s%s%s:%s%s", is_v6 ? "[" : "", host, is_v6 ? "]" : "",
             port, path);
}

static bool is_loopback(const struct sockaddr *a)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)a;
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)a)->sin6_addr;
    if (a->sa_family == AF_INET)
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    return a->sa_family == AF_INET6 &&
           (IN6_IS_ADDR_LOOPBACK(v6) ||
            (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127));
}

bool listen_address_is_local(const char *address)
{
    struct addrinfo *found = find_address(address, 0, NULL);
    bool is_local = found && is_loopback(found->ai_addr);
    if (found)
        freeaddrinfo(found);
    return is_local;
}
