#include "base/path.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/text_fit.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool path_is_config(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
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

static bool is_clean(const char *path)
{
    struct arena memory;
    arena_init(&memory);
    bool clean = !strcmp(path, text_clean(&memory, path, INT_MAX));
    arena_release(&memory);
    return clean;
}

static void quote(struct strbuf *out, const char *s)
{
    strbuf_putc(out, '\'');
    for (; *s; s++) {
        if (*s == '\'')
            strbuf_puts(out, "'\\''");
        else
            strbuf_putc(out, *s);
    }
    strbuf_putc(out, '\'');
}

void path_add_shell_word(struct strbuf *out, const char *path, const char *otherwise)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-./+,:=@%";
    if (!path || !*path || !strcmp(path, "-") || !is_clean(path)) {
        strbuf_puts(out, otherwise);
        return;
    }
    char *own = *path == '-' ? path_join(".", path) : mem_strdup(path); /* no option */
    if (own[strspn(own, plain)])
        quote(out, own);
    else
        strbuf_puts(out, own);
    mem_free(own);
}
