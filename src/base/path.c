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
    struct strbuf b;
    size_t len = strlen(folder);
    bool slash = len && folder[len - 1] == '/';
    strbuf_init(&b);
    strbuf_printf(&b, "%s%s%s", folder, slash ? "" : "/", name);
    return b.s;
}
