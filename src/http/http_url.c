#include "http/http_url.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

static enum status wrong(const char *text, const char *why, struct err *err)
{
    return err_set(err, STATUS_USAGE,
                   "\"%.200s\" %s; it is written as http://HOST:PORT/PATH", text, why);
}

static bool has_prefix(const char *s, const char *prefix)
{
    return !strncasecmp(s, prefix, strlen(prefix));
}

/* Neither spaces nor controls: they would end the line of a request. */
static bool is_plain(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s <= ' ' || (unsigned char)*s >= 0x7f)
            return false;
    return true;
}

static bool copy(char *out, size_t size, const char *s, size_t len)
{
    if (len >= size)
        return false;
    memcpy(out, s, len);
    out[len] = '\0';
    return true;
}

static bool is_port(const char *s)
{
    enum { DIGITS_MAX = 5, PORT_MAX = 65535 };
    long port = 0;
    if (strlen(s) > DIGITS_MAX)
        return false;
    for (; *s >= '0' && *s <= '9'; s++)
        port = port * 10 + *s - '0';
    return !*s && port >= 1 && port <= PORT_MAX;
}

/* "host", "host:port", "[::1]:port"; len bytes. */
static const char *read_authority(struct http_url *out, const char *s, size_t len,
                                  const char *default_port)
{
    const char *end = s + len, *host = s, *host_end, *port = NULL;
    if (memchr(s, '@', len))
        return "has a user's name, which is not sent";
    if (len && *s == '[') {
        host++;
        host_end = memchr(s, ']', len);
        if (!host_end || (host_end + 1 < end && host_end[1] != ':'))
            return "has no address in its brackets";
        port = host_end + 1 < end ? host_end + 2 : NULL;
    } else {
        const char *colon = memchr(s, ':', len);
        host_end = colon ? colon : end;
        port = colon ? colon + 1 : NULL;
    }
    if (host == host_end ||
        !copy(out->host, HTTP_HOST_MAX, host, (size_t)(host_end - host)))
        return "has no host";
    if (!port)
        copy(out->port, sizeof out->port, default_port, strlen(default_port));
    else if (!copy(out->port, sizeof out->port, port, (size_t)(end - port)) ||
             !is_port(out->port))
        return "has no port from 1 to 65535 behind its colon";
    return NULL;
}

enum status http_url_read(struct http_url *out, const char *text,
                          const char *default_port, const char *default_path,
                          struct err *err)
{
    static const char scheme[] = "http://";
    if (has_prefix(text, "https://"))
        return err_set(err, STATUS_USAGE,
                       "\"%.200s\": https is not available, as this program has no TLS "
                       "library; send to a collector on this machine by http, which "
                       "passes it on by https",
                       text);
    if (!has_prefix(text, scheme))
        return wrong(text, "does not begin with http://", err);
    if (!is_plain(text) || strchr(text, '#'))
        return wrong(text, "has characters that no such address has", err);
    const char *authority = text + sizeof scheme - 1;
    size_t len = strcspn(authority, "/?");
    const char *why = read_authority(out, authority, len, default_port);
    const char *path = authority + len;
    bool has_path = *path && strcmp(path, "/") != 0;
    if (!has_path)
        path = default_path;
    if (!why && (*path != '/' || !copy(out->path, HTTP_PATH_MAX, path, strlen(path))))
        why = "has no path that begins with / and is short";
    return why ? wrong(text, why, err) : STATUS_OK;
}
