#include "data/data_dir.h"

#include "base/strbuf.h"

#include <stdlib.h>

const char *data_dir_or_default(const char *setting)
{
    if (setting && *setting)
        return setting;
    const char *env = getenv("GAIT_DATA");
    return env ? env : "";
}

char *data_dir_path(const char *dir, const char *name)
{
    struct strbuf path;
    strbuf_init(&path);
    strbuf_printf(&path, "%s/%s", dir, name);
    return path.s;
}
