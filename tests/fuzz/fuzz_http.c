/*
 * Bytes as a request, as the answer to a message, and as an address. What was decided of a
 * beginning stays decided, whatever follows; every answer is well-formed; what a URL is
 * cut into has no byte that would end a line of a request.
 */
#include "http/http_answer.h"
#include "http/http_connection.h"
#include "http/http_url.h"
#include "metrics/otlp_json.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_page(void *context, struct strbuf *out)
{
    (void)context;
    strbuf_puts(out, "gait_loss 1\n");
}

static void check_answer(enum http_code code, const struct http_request *r)
{
    const struct http_page page = {
        .path = "/metrics", .content_type = "text/plain", .write = write_page};
    struct strbuf out, body;
    strbuf_init(&out);
    strbuf_init(&body);
    http_answer(&out, &body, code, r, &page);
    const char *end = strstr(out.s, "\r\n\r\n");
    size_t sent = end ? out.len - (size_t)(end - out.s) - 4 : 0;
    if (!end || http_answer_code(out.s, out.len) < 200 ||
        sent != (r->is_head ? 0 : body.len))
        abort();
    strbuf_release(&out);
    strbuf_release(&body);
}

static void check_request(const char *text, size_t len)
{
    struct http_request r, part;
    if (len > HTTP_HEAD_BYTES_MAX)
        len = HTTP_HEAD_BYTES_MAX;
    enum http_code code = http_request_read(&r, text, len);
    for (size_t n = 0; n < len && n < 256; n++) {
        enum http_code before = http_request_read(&part, text, n);
        if (before != HTTP_INCOMPLETE && before != code)
            abort();
    }
    if (code != HTTP_INCOMPLETE)
        check_answer(code, &r);
    if (code == HTTP_OK && !http_request_names_an_address(&r))
        check_answer(HTTP_MISDIRECTED, &r);
}

/* What is whole stays as it is, whatever follows. */
static void check_message_answer(const char *text, size_t len)
{
    struct strbuf all, part;
    strbuf_init(&all);
    strbuf_init(&part);
    if (len > HTTP_ANSWER_BYTES_MAX)
        len = HTTP_ANSWER_BYTES_MAX;
    bool is_whole = http_answer_body(&all, text, len);
    for (size_t n = 0; n < len && n < 256; n++)
        if (http_answer_body(&part, text, n) &&
            (!is_whole || strcmp(part.s, all.s) != 0 || part.len != all.len))
            abort();
    if (all.len > len || otlp_rejected(all.s, all.len) < 0)
        abort();
    strbuf_release(&all);
    strbuf_release(&part);
}

static void check_url(const char *text)
{
    struct http_url u;
    struct err err = ERR_INIT;
    if (http_url_read(&u, text, "4318", "/v1/metrics", &err))
        return;
    for (const char *p = u.path; *p; p++)
        if (*p <= ' ' || *p == 0x7f)
            abort();
    if (!*u.host || strpbrk(u.host, " \r\n@/") || u.path[0] != '/')
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size); /* up to a NUL, at most */
    char *all = mem_alloc(size + 1);
    memcpy(all, data, size);
    check_request(all, size);
    http_answer_code(all, size);
    check_message_answer(all, size);
    check_url(text);
    mem_free(all);
    mem_free(text);
    return 0;
}
