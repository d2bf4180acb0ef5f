/* Calls of tools: begun, ended, given up. */
#include "mcp/mcp_request.h"
#include "mcp/mcp_result.h"

#include <stdio.h>
#include <string.h>

static void close_call(struct mcp_session *s, struct mcp_call *call)
{
    struct mcp_batch *batch = call->batch;
    mcp_line_release(&call->line);
    *call = (struct mcp_call){0};
    mcp_leave_batch(s, batch);
}

static struct mcp_call *open_call_of(struct mcp_session *s, const char *id)
{
    for (size_t i = 0; i < MCP_CALLS_MAX; i++)
        if (s->call[i].open && !strcmp(s->call[i].id.s, id))
            return &s->call[i];
    return NULL;
}

static struct mcp_call *free_call(struct mcp_session *s)
{
    for (size_t i = 0; i < MCP_CALLS_MAX; i++)
        if (!s->call[i].open)
            return &s->call[i];
    return NULL;
}

/* Wrong arguments are a result: whoever wrote them can correct them. */
static void answer_failure(const struct mcp_request *r, const char *text)
{
    struct json_writer w;
    struct strbuf out;
    mcp_begin(&w, &out, r->s, r->m->id.s, r->version);
    mcp_result_put_error(&w, text);
    mcp_end(r->s, r->batch, &w);
}

static enum status start(const struct mcp_request *r, struct mcp_call *call,
                         const struct mcp_tool *tool, struct err *err)
{
    const struct json *token = json_get(r->m->meta, "progressToken");
    *call = (struct mcp_call){.open = true,
                              .id = r->m->id,
                              .version = r->version,
                              .tool = tool,
                              .batch = r->batch};
    mcp_key_read(&call->token, token);
    enum status st = mcp_line_make(&call->line, tool, json_get(r->m->params, "arguments"),
                                   r->s->read_only, err);
    if (!st)
        st = r->s->host.start(r->s->host.context, call, err);
    if (!st && call->batch)
        call->batch->open++;
    if (st) {
        mcp_line_release(&call->line);
        *call = (struct mcp_call){0};
    }
    return st;
}

void mcp_call_tool(const struct mcp_request *r)
{
    struct err err = ERR_INIT;
    const char *name = mcp_text(r->m->params, "name");
    const struct json *arguments = json_get(r->m->params, "arguments");
    const struct mcp_tool *tool =
        name ? mcp_tool_named(name, r->s->read_only, &err) : NULL;
    struct mcp_call *call = free_call(r->s);
    if (!tool)
        mcp_refuse(r, MCP_INVALID_PARAMS,
                   name ? err.text : "tools/call needs the name of a tool");
    else if (arguments && arguments->kind != JSON_KIND_OBJECT)
        mcp_refuse(r, MCP_INVALID_PARAMS, "arguments of a tool are an object");
    else if (open_call_of(r->s, r->m->id.s))
        mcp_refuse(r, MCP_INVALID_REQUEST, "a call of this id is not answered yet");
    else if (!call)
        answer_failure(r,
                       "8 calls are running here; wait for one of them, then ask again");
    else if (start(r, call, tool, &err))
        answer_failure(r, err.text);
}

void mcp_session_ended(struct mcp_session *s, struct mcp_call *call,
                       const struct mcp_outcome *o)
{
    struct json_writer w;
    struct strbuf out;
    mcp_begin(&w, &out, s, call->id.s, call->version);
    mcp_result_put(&w, call, o);
    mcp_end(s, call->batch, &w);
    close_call(s, call);
}

/* --- notifications --- */

void mcp_cancel(const struct mcp_request *r)
{
    struct mcp_key id;
    if (!mcp_key_read(&id, json_get(r->m->params, "requestId")))
        return;
    struct mcp_call *call = open_call_of(r->s, id.s);
    if (!call)
        return; /* it has ended meanwhile */
    r->s->host.stop(r->s->host.context, call);
    close_call(r->s, call);
}

void mcp_session_progress(struct mcp_session *s, struct mcp_call *call, double seconds)
{
    struct strbuf out;
    struct json_writer w;
    char text[96];
    if (!strcmp(call->token.s, "null") || (int64_t)seconds <= call->told)
        return;
    call->told = (int64_t)seconds;
    snprintf(text, sizeof text, "%s runs, for %lld s now", call->tool->name,
             (long long)call->told);
    strbuf_init(&out);
    json_init(&w, &out);
    w.compact = true;
    json_begin_object(&w);
    json_field_string(&w, "jsonrpc", "2.0");
    json_field_string(&w, "method", "notifications/progress");
    json_key(&w, "params");
    json_begin_object(&w);
    json_key(&w, "progressToken");
    json_raw(&w, call->token.s);
    json_field_int(&w, "progress", call->told);
    json_field_string(&w, "message", text);
    json_end(&w);
    json_end(&w);
    mcp_send(s, &out);
    strbuf_release(&out);
}
