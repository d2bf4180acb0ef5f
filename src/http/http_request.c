#include "http/http_request.h"

#include <string.h>
#include <strings.h>

/* One line without its break. */
struct line {
    const char *s;
    size_t len;
};

static const char *const code_texts[] = {
    [HTTP_OK] = "OK",
    [HTTP_BAD_REQUEST] = "Bad Request",
    [HTTP_NOT_FOUND] = "Not Found",
    [HTTP_METHOD_NOT_ALLOWED] = "Method Not Allowed",
    [HTTP_TIMEOUT] = "Request Timeout",
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

static bool line_is(struct line l, const char *text)
{
    return l.len == strlen(text) && !memcmp(l.s, text, l.len);
}

/* "HTTP/1.1", of any digits. */
static bool is_version(struct line l)
{
    return l.len == 8 && !memcmp(l.s, "HTTP/", 5) && is_digit(l.s[5]) && l.s[6] == '.' &&
           is_digit(l.s[7]);
}

/* The text up to the next space, which is taken too; false where there is none. */
static bool take_word(struct line *word, struct line *rest)
{
    const char *space = memchr(rest->s, ' ', rest->len);
    if (!space)
        return false;
    *word = (struct line){rest->s, (size_t)(space - rest->s)};
    *rest = (struct line){space + 1, rest->len - word->len - 1};
    return true;
}

/* "/metrics?x=1" and what is sent to a proxy, "http://host/metrics". */
static bool find_path(struct http_request *out, struct line target)
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

static enum http_code read_request_line(struct http_request *out, struct line l,
                                        bool *needs_host)
{
    struct line method, target;
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
static bool is_field(struct line l, bool *is_host)
{
    const char *colon = memchr(l.s, ':', l.len);
    if (!colon || !is_token(l.s, (size_t)(colon - l.s)))
        return false;
    *is_host = colon - l.s == 4 && !strncasecmp(l.s, "Host", 4);
    for (const char *p = colon + 1; p < l.s + l.len; p++)
        if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
            return false;
    return true;
}

/* The next whole line; false: its end has not come yet. */
static bool take_line(struct line *out, const char *text, size_t len, size_t *at)
{
    const char *end = memchr(text + *at, '\n', len - *at);
    if (!end)
        return false;
    *out = (struct line){text + *at, (size_t)(end - text) - *at};
    *at += out->len + 1;
    if (out->len && out->s[out->len - 1] == '\r')
        out->len--;
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
    bool needs_host = false, is_host;
    struct line l;
    *out = (struct http_request){0};
    if (!take_line(&l, text, len, &at))
        return unfinished(text, len, len);
    enum http_code code = read_request_line(out, l, &needs_host);
    if (code == HTTP_BAD_REQUEST || code == HTTP_VERSION_NOT_SUPPORTED)
        return code;
    for (;;) {
        if (!take_line(&l, text, len, &at))
            return unfinished(text + at, len - at, len);
        if (!l.len)
            break;
        if (!is_field(l, &is_host))
            return HTTP_BAD_REQUEST;
        hosts += is_host;
    }
    return hosts > 1 || (needs_host && !hosts) ? HTTP_BAD_REQUEST : code;
}

bool http_request_is_for(const struct http_request *r, const char *path)
{
    return r->path_len == strlen(path) && !memcmp(r->path, path, r->path_len);
}
