#include "cli/page.h"

#include "base/path.h"

#include <stdbool.h>
#include <string.h>

/* "GT101" of "GT101-sync-item.md"; 0: the page is not of a rule of lint. */
static size_t code_len(const char *name)
{
    size_t len = !strncmp(name, "GT", 2) ? 2 + strspn(name + 2, "0123456789") : 0;
    return len > 2 && name[len] == '-' ? len : 0;
}

static bool is_named(const struct page *p, const char *word)
{
    const char *name = path_name(p->path);
    size_t len = strlen(word);
    if (!strcmp(p->path, word) || !strcmp(name, word))
        return true;
    return !strncmp(name, word, len) &&
           (!strcmp(name + len, ".md") || (len && len == code_len(name)));
}

const struct page *page_find(const char *word)
{
    for (const struct page *p = page_list; p->path; p++)
        if (is_named(p, word))
            return p;
    return NULL;
}
