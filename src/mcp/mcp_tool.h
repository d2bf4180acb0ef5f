/*
 * The tools: commands of this program with arguments as JSON. One table makes their
 * schemas (mcp_tool_list.c), the checks of what a client gives, and the command lines
 * (mcp_line.c).
 *
 * To add a tool: a row of the table in mcp_tool.c with its arguments, which become options
 * or operands of the command of its name; its section in docs/mcp.md; a call in
 * tests/e2e/mcp_client.py.
 */
#ifndef GAIT_MCP_MCP_TOOL_H
#define GAIT_MCP_MCP_TOOL_H

#include "base/json_read.h"
#include "base/json_writer.h"

enum mcp_type { MCP_WORD, MCP_WORDS, MCP_FLAG, MCP_INTEGER, MCP_NUMBER };

/* What an argument asks for beside reading; refused to who may only read. */
enum mcp_deed { MCP_READS, MCP_RUNS_PROGRAMS, MCP_TRAINS_CONFIGS };

struct mcp_argument {
    const char *name;
    enum mcp_type type;
    const char *option; /* "--with"; NULL: it is an operand; "": the server's own */
    bool required;
    enum mcp_deed deed;
    double min, max; /* of numbers */
    const char *help;
};

struct mcp_tool {
    const char *name, *title, *help;
    const struct mcp_argument
        *argument; /* (n) operands in the order of the command line */
    size_t n;
    bool runs_programs; /* of the user: not offered to who may only read */
    bool prints_own;    /* no JSON, but what such a program prints */
    double timeout_s;   /* unless the client says another */
};

extern const struct mcp_tool mcp_tools[]; /* (mcp_tool_count) */
extern const size_t mcp_tool_count;

/* Those of the tool, then those that every tool has. */
size_t mcp_argument_count(const struct mcp_tool *tool);
const struct mcp_argument *mcp_argument_at(const struct mcp_tool *tool, size_t i);

/* NULL and *err with the nearest name. */
const struct mcp_tool *mcp_tool_named(const char *name, bool read_only, struct err *err);

/* A call as a command line. */
struct mcp_line {
    char **word; /* (n) behind the program's name */
    size_t n, cap;
    char *folder; /* where to run it; NULL: here */
    char *output; /* the run file to write; NULL: none */
    double timeout_s;
    bool full; /* the whole JSON, not the brief one */
};

/* arguments: an object, or NULL. Not OK: *err says what is wrong with them, for who called.
 * The caller releases *out whatever the status. */
enum status mcp_line_make(struct mcp_line *out, const struct mcp_tool *tool,
                          const struct json *arguments, bool read_only, struct err *err);
void mcp_line_release(struct mcp_line *l);

/* The next value is an array: name, description, schemas and hints of each. */
struct mcp_version;
void mcp_tools_list(struct json_writer *w, const struct mcp_version *v, bool read_only);

#endif
