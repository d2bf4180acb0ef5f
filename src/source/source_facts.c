#include "source/source_facts.h"

#include "base/mem.h"

#ifdef GAIT_TREE_SITTER
#include "source/source_walk.h"

bool source_available(void)
{
    return true;
}

enum status source_facts_read(struct source_facts *f, const char *text, size_t len,
                              const char *name, struct err *err)
{
    TSTree *tree;
    enum status st = python_parse(&tree, text, len, name, err);
    if (st)
        return st;
    st = source_walk(f, tree, text, name, err);
    ts_tree_delete(tree);
    return st;
}
#endif

void source_facts_release(struct source_facts *f)
{
    arena_release(&f->text);
    mem_free(f->functions);
    mem_free(f->loops);
    mem_free(f->calls);
}

bool source_call_in_training_step(const struct source_facts *f,
                                  const struct source_call *call)
{
    bool periodic = call->periodic;
    for (int32_t loop = call->loop; loop >= 0; loop = f->loops[loop].parent) {
        if (periodic)
            return false;
        if (f->loops[loop].trains)
            return true;
        periodic = f->loops[loop].periodic;
    }
    return false;
}
