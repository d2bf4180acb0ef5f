#include "mcp/mcp_lines.h"

#include <string.h>

void mcp_lines_init(struct mcp_lines *l, mcp_line_fn *take, void *context)
{
    *l = (struct mcp_lines){.take = take, .context = context};
    strbuf_init(&l->begun);
}

void mcp_lines_release(struct mcp_lines *l)
{
    strbuf_release(&l->begun);
}

static void add_part(struct mcp_lines *l, const char *bytes, size_t n)
{
    l->too_long = l->too_long || n > MCP_LINE_BYTES_MAX - l->begun.len;
    if (l->too_long)
        strbuf_clear(&l->begun);
    else
        strbuf_add(&l->begun, bytes, n);
}

static void end_line(struct mcp_lines *l)
{
    size_t len = l->begun.len;
    while (len && strchr(" \t\r", l->begun.s[len - 1]) && l->begun.s[len - 1])
        len--;
    if (l->too_long)
        l->take(l->context, NULL, 0);
    else if (len)
        l->take(l->context, l->begun.s, len);
    l->too_long = false;
    strbuf_clear(&l->begun);
}

void mcp_lines_add(struct mcp_lines *l, const char *bytes, size_t n)
{
    const char *end;
    while ((end = memchr(bytes, '\n', n))) {
        size_t len = (size_t)(end - bytes);
        add_part(l, bytes, len);
        end_line(l);
        bytes += len + 1;
        n -= len + 1;
    }
    add_part(l, bytes, n);
}

void mcp_lines_end(struct mcp_lines *l)
{
    end_line(l);
}
