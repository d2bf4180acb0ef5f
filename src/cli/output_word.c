#include "cli/output_word.h"

#include <stdbool.h>
#include <sys/stat.h>

const char *output_word(const char *path)
{
    struct stat s;
    bool there = stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0;
    return there ? "replaced" : "wrote";
}
