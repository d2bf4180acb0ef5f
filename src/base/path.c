#include "base/path.h"

#include "base/mem.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <string.h>

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? mem_strndup(path, (size_t)(slash - path) + 1) : mem_strdup("./");
}

char *path_join(const char *folder, const char *name)
{
    size_t len = strlen(folder), n = strlen(name);
    bool slash = len && folder[len - 1] == '/';
    char *path = mem_alloc(len + n + 2);
    memcpy(path, folder, len);
    if (!slash)
        path[len++] = '/';
    memcpy(path + len, name, n + 1);
    return path;
}

/* The first part of a path that says something. */
static const char *skip_empty_parts(const char *at)
{
    for (;;) {
        if (*at == '/')
            at++;
        else if (at[0] == '.' && at[1] == '/')
            at += 2;
        else
            return at;
    }
}

char *path_plain(const char *path)
{
    struct strbuf b;
    strbuf_init(&b);
    if (*path == '/')
        strbuf_putc(&b, '/');
    for (const char *at = skip_empty_parts(path); *at;) {
        size_t len = strcspn(at, "/");
        strbuf_add(&b, at, len);
        at += len;
        if (*at)
            strbuf_putc(&b, '/');
        at = skip_empty_parts(at);
    }
    return b.s;
}
