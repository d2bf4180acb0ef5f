#include "mcp/mcp_session.h"

#include "base/mem.h"
#include "mcp/mcp_request.h"

#include <stdio.h>
#include <string.h>

struct mcp_session *mcp_session_new(const struct mcp_host *host, const char *version,
                                    bool read_only)
{
    struct mcp_session *s = mem_zalloc(1, sizeof *s);
    s->host = *host;
    s->own_version = version;
    s->read_only = read_only;
    return s;
}

struct mcp_call *mcp_session_calls(struct mcp_session *s)
{
    return s->call;
}

/* --- what goes out --- */

void mcp_send(struct mcp_session *s, struct strbuf *text)
{
    strbuf_putc(text, '\n');
    s->host.send(s->host.context, text->s, text->len);
}

void mcp_leave_batch(struct mcp_session *s, struct mcp_batch *b)
{
    if (!b || --b->open)
        return;
    if (b->answers.len) {
        strbuf_putc(&b->answers, ']');
        mcp_send(s, &b->answers);
    }
    strbuf_release(&b->answers);
    mem_free(b);
}

/* text has the answer, without an end of line. */
static void answer(struct mcp_session *s, struct mcp_batch *b, struct strbuf *text)
{
    if (b) {
        strbuf_putc(&b->answers, b->answers.len ? ',' : '[');
        strbuf_puts(&b->answers, text->s);
    } else {
        mcp_send(s, text);
    }
}

static void answer_error(struct mcp_session *s, struct mcp_batch *b, const char *id,
                         int code, const char *text, const char *data)
{
    struct strbuf out;
    strbuf_init(&out);
    mcp_error(&out, id, code, text, data);
    answer(s, b, &out);
    strbuf_release(&out);
}

void mcp_refuse(const struct mcp_request *r, int code, const char *text)
{
    answer_error(r->s, r->batch, r->m->id.s, code, text, NULL);
}

void mcp_put_server(struct json_writer *w, const struct mcp_session *s,
                    const struct mcp_version *v)
{
    json_begin_object(w);
    json_field_string(w, "name", "gait");
    if (v->structured)
        json_field_string(w, "title", "Gait");
    json_field_string(w, "version", s->own_version);
    json_end(w);
}

void mcp_begin(struct json_writer *w, struct strbuf *out, const struct mcp_session *s,
               const char *id, const struct mcp_version *v)
{
    strbuf_init(out);
    mcp_begin_result(w, out, id);
    if (!v || !v->stateless)
        return;
    json_field_string(w, "resultType", "complete");
    json_key(w, "_meta");
    json_begin_object(w);
    json_key(w, "io.modelcontextprotocol/serverInfo");
    mcp_put_server(w, s, v);
    json_end(w);
}

void mcp_end(struct mcp_session *s, struct mcp_batch *b, struct json_writer *w)
{
    mcp_end_result(w);
    answer(s, b, w->out);
    strbuf_release(w->out);
}

/* --- methods --- */

enum when { ALWAYS, SETTLED, STATELESS }; /* with a version; with one of its own */

static const struct method {
    const char *name;
    enum mcp_kind kind;
    enum when when;
    void (*run)(const struct mcp_request *r);
} methods[] = {
    {"initialize", MCP_REQUEST, ALWAYS, mcp_initialize},
    {"ping", MCP_REQUEST, ALWAYS, mcp_ping},
    {"server/discover", MCP_REQUEST, STATELESS, mcp_discover},
    {"tools/list", MCP_REQUEST, SETTLED, mcp_list_tools},
    {"tools/call", MCP_REQUEST, SETTLED, mcp_call_tool},
    {"notifications/cancelled", MCP_NOTIFICATION, ALWAYS, mcp_cancel},
};

static const struct method *method_of(const struct mcp_request *r)
{
    bool stateless = r->version && r->version->stateless;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, r->m->method) && methods[i].kind == r->m->kind &&
            (methods[i].when != STATELESS || stateless))
            return &methods[i];
    return NULL;
}

static void run_method(const struct mcp_request *r)
{
    char text[160];
    const struct method *method = method_of(r);
    if (method && method->when != ALWAYS && !r->version)
        mcp_refuse(r, MCP_INVALID_REQUEST, "initialize comes first");
    else if (method)
        method->run(r);
    else if (r->m->kind == MCP_REQUEST) {
        snprintf(text, sizeof text, "there is no method \"%.80s\" here", r->m->method);
        mcp_refuse(r, MCP_METHOD_NOT_FOUND, text);
    }
}

/* A version that this server does not speak in that way; data: those that it does. */
static void refuse_version(const struct mcp_request *r, const char *asked)
{
    struct strbuf data;
    struct json_writer w;
    strbuf_init(&data);
    json_init(&w, &data);
    w.compact = true;
    json_begin_object(&w);
    json_key(&w, "supported");
    json_begin_array(&w);
    for (size_t i = 0; i < mcp_version_count; i++)
        json_string(&w, mcp_versions[i].name);
    json_end(&w);
    json_field_string(&w, "requested", asked);
    json_end(&w);
    answer_error(r->s, r->batch, r->m->id.s, MCP_UNSUPPORTED_VERSION,
                 "this version of the protocol is not spoken so", data.s);
    strbuf_release(&data);
}

/* The version of this request: its own, or that of the handshake. False: it was refused. */
static bool settle_version(struct mcp_request *r)
{
    static const char key[] = "io.modelcontextprotocol/protocolVersion";
    static const char capabilities[] = "io.modelcontextprotocol/clientCapabilities";
    r->version = r->s->version;
    if (r->m->kind != MCP_REQUEST || !json_get(r->m->meta, key) ||
        !strcmp(r->m->method, "initialize"))
        return true;
    const char *asked = mcp_text(r->m->meta, key);
    const struct mcp_version *v = asked ? mcp_version_named(asked) : NULL;
    const struct json *can = json_get(r->m->meta, capabilities);
    if (!asked || !can || can->kind != JSON_KIND_OBJECT) {
        mcp_refuse(r, MCP_INVALID_PARAMS,
                   "_meta needs io.modelcontextprotocol/protocolVersion, a string, and "
                   "io.modelcontextprotocol/clientCapabilities, an object");
        return false;
    }
    if (!v || !v->stateless) {
        refuse_version(r, asked);
        return false;
    }
    r->version = v;
    return true;
}

static void take_message(struct mcp_session *s, const struct json *j,
                         struct mcp_batch *batch)
{
    struct mcp_message m;
    mcp_message_read(&m, j);
    struct mcp_request r = {.s = s, .m = &m, .batch = batch};
    if (m.kind == MCP_INVALID)
        mcp_refuse(&r, MCP_INVALID_REQUEST, m.problem);
    else if (m.kind != MCP_ANSWER && settle_version(&r))
        run_method(&r);
}

static void take_batch(struct mcp_session *s, const struct json *j)
{
    if (!s->version || !s->version->batches || !j->n || j->n > MCP_BATCH_MAX) {
        answer_error(
            s, NULL, "null", MCP_INVALID_REQUEST,
            "arrays of 1 to 64 messages are of version 2025-03-26 alone; send one "
            "message in a line",
            NULL);
        return;
    }
    struct mcp_batch *batch = mem_zalloc(1, sizeof *batch);
    strbuf_init(&batch->answers);
    batch->open = 1; /* this reading of it */
    for (const struct json *c = j->child; c; c = c->next)
        take_message(s, c, batch);
    mcp_leave_batch(s, batch);
}

void mcp_session_line(struct mcp_session *s, const char *line, size_t len)
{
    struct arena memory;
    struct err err = ERR_INIT;
    const struct json *j;
    if (!line) {
        answer_error(s, NULL, "null", MCP_INVALID_REQUEST,
                     "the line is longer than 1 MiB; it was passed over", NULL);
        return;
    }
    arena_init(&memory);
    if (json_read(&j, &memory, line, len, &err))
        answer_error(s, NULL, "null", MCP_PARSE_ERROR, err.text, NULL);
    else if (j->kind == JSON_KIND_ARRAY)
        take_batch(s, j);
    else
        take_message(s, j, NULL);
    arena_release(&memory);
}

void mcp_session_free(struct mcp_session *s)
{
    for (size_t i = 0; i < MCP_CALLS_MAX; i++) {
        struct mcp_call *call = &s->call[i];
        if (call->open && call->batch && !--call->batch->open) {
            strbuf_release(&call->batch->answers);
            mem_free(call->batch);
        }
        mcp_line_release(&call->line);
    }
    mem_free(s);
}
