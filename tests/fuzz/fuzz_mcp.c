/*
 * Bytes as what a client of `gait mcp` sends, from a handshake of some version on. Beside
 * not crashing: each line that goes out is a JSON-RPC message or an array of them; a call
 * that starts has words without NUL bytes; a ping is answered behind all that.
 */
#include "base/mem.h"
#include "mcp/mcp_lines.h"
#include "mcp/mcp_session.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct talk {
    struct mcp_session *session;
    struct mcp_call *running[MCP_CALLS_MAX];
    size_t n_running, starts;
    bool pong;
};

static void check_message(struct talk *t, const struct json *j)
{
    const char *version = mcp_text(j, "jsonrpc"), *id = mcp_text(j, "id");
    bool progress = json_get(j, "method") != NULL;
    if (!version || strcmp(version, "2.0") != 0)
        abort();
    if (!progress == !json_get(j, "result") && !json_get(j, "error"))
        abort();
    t->pong = t->pong || (id && !strcmp(id, "the last") && json_get(j, "result"));
}

static void check_line(void *context, const char *line, size_t len)
{
    struct arena memory;
    struct err err = ERR_INIT;
    const struct json *j;
    arena_init(&memory);
    if (!len || line[len - 1] != '\n' || memchr(line, '\n', len - 1) ||
        json_read(&j, &memory, line, len, &err))
        abort();
    if (j->kind == JSON_KIND_ARRAY)
        for (const struct json *c = j->child; c; c = c->next)
            check_message(context, c);
    else
        check_message(context, j);
    arena_release(&memory);
}

static enum status start(void *context, struct mcp_call *call, struct err *err)
{
    struct talk *t = context;
    if (++t->starts % 4 == 0)
        return err_set(err, STATUS_ENVIRONMENT, "cannot start it");
    if (call->line.n < 3 || strcmp(call->line.word[0], call->tool->name) != 0)
        abort();
    t->running[t->n_running++] = call;
    return STATUS_OK;
}

static void forget(struct talk *t, size_t i)
{
    t->running[i] = t->running[--t->n_running];
}

static void stop(void *context, struct mcp_call *call)
{
    struct talk *t = context;
    for (size_t i = 0; i < t->n_running; i++)
        if (t->running[i] == call) {
            forget(t, i);
            return;
        }
    abort();
}

/* With what the input itself holds as the tool's output. */
static void end_one(struct talk *t, const char *line, size_t len)
{
    char *out = mem_strndup(line, len);
    mcp_session_progress(t->session, t->running[0], 2);
    mcp_session_ended(t->session, t->running[0],
                      &(struct mcp_outcome){.exit_code = (int)(len % 5),
                                            .timed_out = len % 7 == 1,
                                            .saved = len % 2,
                                            .out = out,
                                            .out_len = strlen(out),
                                            .err = len % 3 ? "" : out});
    forget(t, 0);
    mem_free(out);
}

static void take_line(void *context, const char *line, size_t len)
{
    struct talk *t = context;
    mcp_session_line(t->session, line, len);
    if (t->n_running == MCP_CALLS_MAX || (t->n_running && len % 2))
        end_one(t, line ? line : "", len);
}

static void greet(struct talk *t, uint8_t version)
{
    struct strbuf line;
    strbuf_init(&line);
    strbuf_printf(&line,
                  "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{"
                  "\"protocolVersion\":\"%s\"}}",
                  mcp_versions[version % mcp_version_count].name);
    mcp_session_line(t->session, line.s, line.len);
    strbuf_release(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char ping[] =
        "{\"jsonrpc\":\"2.0\",\"id\":\"the last\",\"method\":\"ping\"}";
    struct talk t = {0};
    struct mcp_lines lines;
    const struct mcp_host host = {&t, check_line, start, stop};
    if (!size)
        return 0;
    t.session = mcp_session_new(&host, "0.0", data[0] & 1);
    if (data[0] & 2)
        greet(&t, data[0] >> 2);
    mcp_lines_init(&lines, take_line, &t);
    mcp_lines_add(&lines, (const char *)data + 1, size - 1);
    mcp_lines_end(&lines);
    mcp_session_line(t.session, ping, sizeof ping - 1);
    if (!t.pong)
        abort();
    mcp_lines_release(&lines);
    mcp_session_free(t.session);
    return 0;
}
