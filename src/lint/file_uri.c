#include "lint/file_uri.h"

#include "base/mem.h"
#include "base/path.h"

#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                            "0123456789-._~/";

/* Readers compare URIs as text: "./a//b" and "a/b" are to be one file. */
void file_uri(struct strbuf *out, const char *path)
{
    char *name = path_plain(path);
    if (*name == '/')
        strbuf_puts(out, "file://");
    for (const char *at = name; *at; at++)
        if (strchr(plain, *at))
            strbuf_putc(out, *at);
        else
            strbuf_printf(out, "%%%02X", (unsigned)(unsigned char)*at);
    mem_free(name);
}
