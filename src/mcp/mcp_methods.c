/* The methods that are answered at once. */
#include "mcp/mcp_request.h"

static const char instructions[] =
    "Gait answers why a PyTorch training is slow, what each fix would gain, and whether "
    "a "
    "fix worked without changing the model. A way through: record the job; analyze the "
    "run; lint the source with it; explain the first finding, which has the fix as code; "
    "change the source; record it again into another file; verify the two. Results are "
    "at "
    "most 2 KB of JSON with `next`, the command line that goes on: its command is a tool "
    "here. Ids of findings stay the same in every recording of a job.";

static void put_capabilities(struct json_writer *w)
{
    json_key(w, "capabilities");
    json_begin_object(w);
    json_key(w, "tools");
    json_begin_object(w);
    json_end(w);
    json_end(w);
}

void mcp_initialize(const struct mcp_request *r)
{
    struct mcp_session *s = r->s;
    struct json_writer w;
    struct strbuf out;
    const char *asked = mcp_text(r->m->params, "protocolVersion");
    const struct mcp_version *v = asked ? mcp_version_named(asked) : NULL;
    if (!asked || s->version || r->batch) {
        mcp_refuse(r, asked ? MCP_INVALID_REQUEST : MCP_INVALID_PARAMS,
                   !asked ? "initialize needs a protocolVersion, such as \"2025-11-25\""
                   : s->version ? "this session is initialized already"
                                : "initialize is no part of a batch");
        return;
    }
    s->version = v && !v->stateless ? v : mcp_version_offered();
    mcp_begin(&w, &out, s, r->m->id.s, s->version);
    json_field_string(&w, "protocolVersion", s->version->name);
    put_capabilities(&w);
    json_key(&w, "serverInfo");
    mcp_put_server(&w, s, s->version);
    json_field_string(&w, "instructions", instructions);
    mcp_end(s, r->batch, &w);
}

/* How long a client may keep a list: it is the same as long as the server runs. */
static void put_caching(struct json_writer *w)
{
    json_field_int(w, "ttlMs", 3600000);
    json_field_string(w, "cacheScope", "private");
}

void mcp_discover(const struct mcp_request *r)
{
    struct json_writer w;
    struct strbuf out;
    mcp_begin(&w, &out, r->s, r->m->id.s, r->version);
    json_key(&w, "supportedVersions");
    json_begin_array(&w);
    for (size_t i = 0; i < mcp_version_count; i++)
        json_string(&w, mcp_versions[i].name);
    json_end(&w);
    put_capabilities(&w);
    json_field_string(&w, "instructions", instructions);
    put_caching(&w);
    mcp_end(r->s, r->batch, &w);
}

void mcp_ping(const struct mcp_request *r)
{
    struct json_writer w;
    struct strbuf out;
    mcp_begin(&w, &out, r->s, r->m->id.s, r->version);
    mcp_end(r->s, r->batch, &w);
}

void mcp_list_tools(const struct mcp_request *r)
{
    struct json_writer w;
    struct strbuf out;
    if (json_get(r->m->params, "cursor")) {
        mcp_refuse(r, MCP_INVALID_PARAMS, "there is one page of tools; leave cursor out");
        return;
    }
    mcp_begin(&w, &out, r->s, r->m->id.s, r->version);
    json_key(&w, "tools");
    mcp_tools_list(&w, r->version, r->s->read_only);
    if (r->version->stateless)
        put_caching(&w);
    mcp_end(r->s, r->batch, &w);
}
