/* The public functions of this folder in a build without tree-sitter. */
#ifndef GAIT_TREE_SITTER
#include "source/source_project.h"

bool source_available(void)
{
    return false;
}

struct source_query *source_query_new(const char *const *queries, size_t n)
{
    (void)queries, (void)n;
    return NULL;
}

void source_query_free(struct source_query *q)
{
    (void)q;
}

enum status source_file_read(struct source_file *f, const struct source_query *q,
                             const char *text, size_t len, const char *name,
                             struct err *err)
{
    (void)f, (void)q, (void)text, (void)len, (void)name;
    return err_set(err, STATUS_ENVIRONMENT,
                   "this build cannot read Python sources; run "
                   "scripts/fetch-tree-sitter, then make");
}

void source_file_release(struct source_file *f)
{
    (void)f;
}

bool source_hit_holds(const struct source_query *q, const struct source_file *f,
                      const struct source_hit *hit,
                      const uint64_t job_words[SOURCE_WORD_SETS])
{
    (void)q, (void)f, (void)hit, (void)job_words;
    return false;
}

void source_project_read(struct source_project *p, const struct source_query *q,
                         const struct source_input *inputs, size_t n, int threads)
{
    (void)inputs, (void)n, (void)threads;
    *p = (struct source_project){.query = q};
}

void source_project_release(struct source_project *p)
{
    (void)p;
}
#endif
