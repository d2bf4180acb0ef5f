/* The tools as tools/list tells them. */
#include "mcp/mcp_tool.h"
#include "mcp/mcp_version.h"

static void put_type(struct json_writer *w, const struct mcp_argument *a)
{
    static const char *const type[] = {[MCP_WORD] = "string",
                                       [MCP_WORDS] = "array",
                                       [MCP_FLAG] = "boolean",
                                       [MCP_INTEGER] = "integer",
                                       [MCP_NUMBER] = "number"};
    json_field_string(w, "type", type[a->type]);
    if (a->type == MCP_WORDS) {
        json_key(w, "items");
        json_begin_object(w);
        json_field_string(w, "type", "string");
        json_end(w);
        json_field_int(w, "minItems", 1);
    }
    if (a->type == MCP_INTEGER || a->type == MCP_NUMBER) {
        json_field_exact(w, "minimum", a->min);
        json_field_exact(w, "maximum", a->max);
    }
}

static void put_input_schema(struct json_writer *w, const struct mcp_tool *tool,
                             bool read_only)
{
    json_key(w, "inputSchema");
    json_begin_object(w);
    json_field_string(w, "type", "object");
    json_key(w, "properties");
    json_begin_object(w);
    for (size_t i = 0; i < mcp_argument_count(tool); i++) {
        const struct mcp_argument *a = mcp_argument_at(tool, i);
        if (read_only && a->deed == MCP_RUNS_PROGRAMS)
            continue;
        json_key(w, a->name);
        json_begin_object(w);
        put_type(w, a);
        json_field_string(w, "description", a->help);
        json_end(w);
    }
    json_end(w);
    json_key(w, "required");
    json_begin_array(w);
    for (size_t i = 0; i < tool->n; i++)
        if (tool->argument[i].required)
            json_string(w, tool->argument[i].name);
    json_end(w);
    json_key(w, "additionalProperties");
    json_bool(w, false);
    json_end(w);
}

/* What all results have: the brief and the whole form have schemas in docs/schema. */
static void put_output_schema(struct json_writer *w)
{
    static const char *const name[] = {"format", "version"}, *const type[] = {"string",
                                                                              "integer"};
    json_key(w, "outputSchema");
    json_begin_object(w);
    json_field_string(w, "type", "object");
    json_key(w, "properties");
    json_begin_object(w);
    for (size_t i = 0; i < 2; i++) {
        json_key(w, name[i]);
        json_begin_object(w);
        json_field_string(w, "type", type[i]);
        json_end(w);
    }
    json_end(w);
    json_key(w, "required");
    json_begin_array(w);
    for (size_t i = 0; i < 2; i++)
        json_string(w, name[i]);
    json_end(w);
    json_end(w);
}

static void put_hint(struct json_writer *w, const char *name, bool v)
{
    json_key(w, name);
    json_bool(w, v);
}

/* May it start programs of the user? Then nothing is known of what it does. */
static bool is_open(const struct mcp_tool *tool, bool read_only)
{
    bool open = tool->runs_programs;
    for (size_t i = 0; i < tool->n && !read_only; i++)
        open = open || tool->argument[i].deed == MCP_RUNS_PROGRAMS;
    return open;
}

static void put_annotations(struct json_writer *w, const struct mcp_tool *tool,
                            bool read_only)
{
    bool open = is_open(tool, read_only);
    json_key(w, "annotations");
    json_begin_object(w);
    json_field_string(w, "title", tool->title);
    put_hint(w, "readOnlyHint", !open);
    put_hint(w, "destructiveHint", open);
    put_hint(w, "idempotentHint", !open);
    put_hint(w, "openWorldHint", open);
    json_end(w);
}

void mcp_tools_list(struct json_writer *w, const struct mcp_version *v, bool read_only)
{
    json_begin_array(w);
    for (size_t i = 0; i < mcp_tool_count; i++) {
        const struct mcp_tool *tool = &mcp_tools[i];
        if (read_only && tool->runs_programs)
            continue;
        json_begin_object(w);
        json_field_string(w, "name", tool->name);
        if (v->structured)
            json_field_string(w, "title", tool->title);
        json_field_string(w, "description", tool->help);
        put_input_schema(w, tool, read_only);
        if (v->structured)
            put_output_schema(w);
        if (v->annotations)
            put_annotations(w, tool, read_only);
        json_end(w);
    }
    json_end(w);
}
