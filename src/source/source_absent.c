/* The public functions of this folder in a build without tree-sitter. */
#ifndef GAIT_TREE_SITTER
#include "source/lint.h"
#include "source/source_facts.h"

static enum status absent(struct err *err)
{
    return err_set(
        err, STATUS_ENVIRONMENT,
        "this build cannot read Python sources; run scripts/fetch-tree-sitter, "
        "then make");
}

bool source_available(void)
{
    return false;
}

enum status source_facts_read(struct source_facts *f, const char *text, size_t len,
                              const char *name, struct err *err)
{
    (void)f, (void)text, (void)len, (void)name;
    return absent(err);
}

enum status lint_text(struct lint_report *r, const char *text, size_t len,
                      const char *name, struct err *err)
{
    (void)r, (void)text, (void)len, (void)name;
    return absent(err);
}
#endif
