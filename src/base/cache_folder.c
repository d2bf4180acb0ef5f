#include "base/cache_folder.h"

#include "base/mem.h"
#include "base/strbuf.h"

#include <stdlib.h>

char *cache_folder_path(const char *name)
{
    const char *folder = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct strbuf path;
    strbuf_init(&path);
    if (folder && *folder)
        strbuf_printf(&path, "%s/gait/%s", folder, name);
    else if (home && *home)
        strbuf_printf(&path, "%s/.cache/gait/%s", home, name);
    char *text = path.len ? strbuf_detach(&path) : NULL;
    strbuf_release(&path);
    return text;
}
