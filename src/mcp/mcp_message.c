#include "mcp/mcp_message.h"

#include <string.h>

bool mcp_key_read(struct mcp_key *out, const struct json *j)
{
    bool number = j && j->kind == JSON_KIND_NUMBER,
         text = j && j->kind == JSON_KIND_STRING;
    memcpy(out->s, "null", sizeof "null");
    if ((!number && !text) || j->len > MCP_KEY_LETTERS || strlen(j->text) != j->len)
        return false;
    struct strbuf written;
    struct json_writer w;
    strbuf_init(&written);
    json_init(&w, &written);
    if (number)
        json_raw(&w, j->text);
    else
        json_string(&w, j->text);
    bool fits = written.len < sizeof out->s;
    if (fits)
        memcpy(out->s, written.s, written.len + 1);
    strbuf_release(&written);
    return fits;
}

const char *mcp_text(const struct json *object, const char *name)
{
    const struct json *j = json_get(object, name);
    bool is_text = j && j->kind == JSON_KIND_STRING && strlen(j->text) == j->len;
    return is_text ? j->text : NULL;
}

static const char *problem_of(const struct json *j, const struct mcp_message *m,
                              bool has_id, bool good_id)
{
    const char *version = mcp_text(j, "jsonrpc");
    if (!version || strcmp(version, "2.0") != 0)
        return "\"jsonrpc\" is not \"2.0\"";
    if (has_id && !good_id)
        return "\"id\" is neither a number nor a string of at most 128 bytes";
    if (!m->method)
        return "\"method\" is not a string";
    if (m->params && m->params->kind != JSON_KIND_OBJECT)
        return "\"params\" is not an object";
    return NULL;
}

void mcp_message_read(struct mcp_message *out, const struct json *j)
{
    *out = (struct mcp_message){.kind = MCP_INVALID, .id = {"null"}};
    if (j->kind != JSON_KIND_OBJECT) {
        out->problem = "a message is an object";
        return;
    }
    const struct json *id = json_get(j, "id");
    bool good_id = mcp_key_read(&out->id, id);
    bool answers = json_get(j, "result") || json_get(j, "error");
    out->method = mcp_text(j, "method");
    out->params = json_get(j, "params");
    out->meta = json_get(out->params, "_meta");
    if (answers && !json_get(j, "method")) {
        out->kind = MCP_ANSWER;
        return;
    }
    out->problem = problem_of(j, out, id != NULL, good_id);
    if (!out->problem)
        out->kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
}

/* --- answers --- */

static void begin(struct json_writer *w, struct strbuf *out, const char *id)
{
    json_init(w, out);
    w->compact = true;
    json_begin_object(w);
    json_field_string(w, "jsonrpc", "2.0");
    json_key(w, "id");
    json_raw(w, id);
}

void mcp_begin_result(struct json_writer *w, struct strbuf *out, const char *id)
{
    begin(w, out, id);
    json_key(w, "result");
    json_begin_object(w);
}

void mcp_end_result(struct json_writer *w)
{
    json_end(w);
    json_end(w);
}

void mcp_error(struct strbuf *out, const char *id, int code, const char *text,
               const char *data)
{
    struct json_writer w;
    begin(&w, out, id);
    json_key(&w, "error");
    json_begin_object(&w);
    json_field_int(&w, "code", code);
    json_field_string(&w, "message", text);
    if (data) {
        json_key(&w, "data");
        json_raw(&w, data);
    }
    json_end(&w);
    json_end(&w);
}
