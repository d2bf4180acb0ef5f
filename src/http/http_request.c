#include "http/http_request.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

static const char *const code_texts[] = {
    [HTTP_OK] = "OK",
    [HTTP_BAD_REQUEST] = "Bad Request",
    [HTTP_NOT_FOUND] = "Not Found",
    [HTTP_METHOD_NOT_ALLOWED] = "Method Not Allowed",
    [HTTP_TIMEOUT] = "Request Timeout",
    [HTTP_MISDIRECTED] = "Misdirected Request",
    [HTTP_HEAD_TOO_LARGE] = "Request Header Fields Too Large",
    [HTTP_VERSION_NOT_SUPPORTED] = "HTTP Version Not Supported",
};

const char *http_code_text(enum http_code code)
{
    return code_texts[code];
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_visible(char c)
{
    return c > ' ' && c < 0x7f;
}

/* "token" of RFC 9110, of methods and names of fields. */
static bool is_token(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_visible(s[i]) || strchr("\"(),/:;<=>?@[\\]{}", s[i]))
            return false;
    return len > 0;
}

static bool is_target(const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_visible(s[i]))
            return false;
    return len > 0;
}

static bool line_is(struct http_line l, const char *text)
{
    return l.len == strlen(text) && !memcmp(l.s, text, l.len);
}

/* "HTTP/1.1", of any digits. */
static bool is_version(struct http_line l)
{
    return l.len == 8 && !memcmp(l.s, "HTTP/", 5) && is_digit(l.s[5]) && l.s[6] == '.' &&
           is_digit(l.s[7]);
}

/* The text up to the next space, which is taken too; false where there is none. */
static bool take_word(struct http_line *word, struct http_line *rest)
{
    const char *space = memchr(rest->s, ' ', rest->len);
    if (!space)
        return false;
    *word = (struct http_line){rest->s, (size_t)(space - rest->s)};
    *rest = (struct http_line){space + 1, rest->len - word->len - 1};
    return true;
}

/* "/metrics?x=1" and what is sent to a proxy, "http://host/metrics". */
static bool find_path(struct http_request *out, struct http_line target)
{
    static const char scheme[] = "http://";
    const size_t head = sizeof scheme - 1;
    if (target.len > head && !strncasecmp(target.s, scheme, head)) {
        const char *slash = memchr(target.s + head, '/', target.len - head);
        if (!slash)
            return false;
        target.len -= (size_t)(slash - target.s);
        target.s = slash;
    }
    const char *query = memchr(target.s, '?', target.len);
    out->path = target.s;
    out->path_len = query ? (size_t)(query - target.s) : target.len;
    return target.s[0] == '/';
}

static enum http_code read_request_line(struct http_request *out, struct http_line l,
                                        bool *needs_host)
{
    struct http_line method, target;
    if (!take_word(&method, &l) || !is_token(method.s, method.len) ||
        !take_word(&target, &l) || !is_target(target.s, target.len) || !is_version(l))
        return HTTP_BAD_REQUEST;
    if (!line_is(l, "HTTP/1.1") && !line_is(l, "HTTP/1.0"))
        return HTTP_VERSION_NOT_SUPPORTED;
    *needs_host = l.s[7] == '1';
    out->is_head = line_is(method, "HEAD");
    if (!out->is_head && !line_is(method, "GET"))
        return HTTP_METHOD_NOT_ALLOWED;
    return find_path(out, target) ? HTTP_OK : HTTP_BAD_REQUEST;
}

/* "Name: value": no line is folded, no space stands before the colon. */
static bool is_field(struct http_line l)
{
    const char *colon = memchr(l.s, ':', l.len);
    if (!colon || !is_token(l.s, (size_t)(colon - l.s)))
        return false;
    for (const char *p = colon + 1; p < l.s + l.len; p++)
        if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
            return false;
    return true;
}

/* What has no line break yet may be waited for only where it looks like text: a TLS
 * handshake sent here would wait for ever. */
static bool may_go_on(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\r' && text[i] != '\t')
            return false;
    return true;
}

static enum http_code unfinished(const char *rest, size_t len, size_t all)
{
    if (!may_go_on(rest, len))
        return HTTP_BAD_REQUEST;
    return all < HTTP_HEAD_BYTES_MAX ? HTTP_INCOMPLETE : HTTP_HEAD_TOO_LARGE;
}

enum http_code http_request_read(struct http_request *out, const char *text, size_t len)
{
    size_t at = 0;
    int hosts = 0;
    bool needs_host = false;
    struct http_line l;
    *out = (struct http_request){0};
    if (!http_line_take(&l, text, len, &at))
        return unfinished(text, len, len);
    enum http_code code = read_request_line(out, l, &needs_host);
    if (code == HTTP_BAD_REQUEST || code == HTTP_VERSION_NOT_SUPPORTED)
        return code;
    for (;;) {
        if (!http_line_take(&l, text, len, &at))
            return unfinished(text + at, len - at, len);
        if (!l.len)
            break;
        if (!is_field(l))
            return HTTP_BAD_REQUEST;
        hosts += http_line_field(&out->host, l, "Host");
    }
    return hosts > 1 || (needs_host && !hosts) ? HTTP_BAD_REQUEST : code;
}

/* The text of an address: "127.0.0.1", or "::1" where it stood in brackets. */
static bool is_address(int family, struct http_line l)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr room;
    if (l.len >= sizeof text)
        return false;
    memcpy(text, l.s, l.len);
    text[l.len] = '\0';
    return inet_pton(family, text, &room) == 1;
}

/* What is left behind a host: nothing, or its port. */
static bool is_port(struct http_line l)
{
    for (size_t i = 1; i < l.len; i++)
        if (!is_digit(l.s[i]))
            return false;
    return !l.len || l.s[0] == ':';
}

bool http_request_names_an_address(const struct http_request *r)
{
    struct http_line host = r->host, port;
    if (!host.s)
        return true;
    bool is_v6 = host.len && *host.s == '[';
    const char *end = memchr(host.s, is_v6 ? ']' : ':', host.len);
    if (is_v6 && !end)
        return false;
    host.len = end ? (size_t)(end - host.s) : host.len;
    port = (struct http_line){host.s + host.len, r->host.len - host.len};
    if (!is_v6)
        return is_port(port) &&
               (http_line_is_nocase(host, "localhost") || is_address(AF_INET, host));
    return is_port((struct http_line){port.s + 1, port.len - 1}) &&
           is_address(AF_INET6, (struct http_line){host.s + 1, host.len - 1});
}

bool http_request_is_for(const struct http_request *r, const char *path)
{
    return r->path_len == strlen(path) && !memcmp(r->path, path, r->path_len);
}
