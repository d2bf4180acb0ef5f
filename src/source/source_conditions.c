/* The table of conditions. */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#define CONDITION_ROW(name, fn, least) {name, least, condition_##fn, NULL},
#define LATE_CONDITION_ROW(name, fn, least) {name, least, NULL, condition_##fn},

static const struct {
    const char *name;
    int32_t least; /* arguments */
    bool (*holds)(const struct match *m, const struct predicate *p);
    bool (*late)(const struct project_view *v, const struct predicate *p);
} conditions[] = {{"any-of", 2, condition_eq, NULL}, /* tree-sitter's own name of it */
                  CONDITION_LIST(CONDITION_ROW) LATE_CONDITION_LIST(LATE_CONDITION_ROW)};

int32_t condition_find(struct slice name)
{
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (slice_is(name, conditions[i].name))
            return (int32_t)i;
    return -1;
}

bool condition_is_late(int32_t which)
{
    return conditions[which].late != NULL;
}

int32_t condition_least(int32_t which)
{
    return conditions[which].least;
}

bool condition_holds(int32_t which, const struct match *m, const struct predicate *p)
{
    return conditions[which].holds(m, p) != p->negated;
}

bool condition_holds_late(int32_t which, const struct project_view *v,
                          const struct predicate *p)
{
    return conditions[which].late(v, p) != p->negated;
}
#endif
