#include "base/word_list.h"

#include <string.h>

bool word_list_has(const char *list, char between, const char *word)
{
    const char separator[] = {between, '\0'};
    size_t len = strlen(word);
    for (const char *p = list; p; p = strchr(p, between) ? strchr(p, between) + 1 : NULL)
        if (len && strcspn(p, separator) == len && !memcmp(p, word, len))
            return true;
    return false;
}
