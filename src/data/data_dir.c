#include "data/data_dir.h"

#include <stdlib.h>

const char *data_dir_or_default(const char *setting)
{
    if (setting && *setting)
        return setting;
    const char *env = getenv("GAIT_DATA");
    return env ? env : "";
}
