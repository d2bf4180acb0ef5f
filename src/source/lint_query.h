/* Runs one rule's query, with its predicates; private to this folder. */
#ifndef GAIT_SOURCE_LINT_QUERY_H
#define GAIT_SOURCE_LINT_QUERY_H

#include "source/python_tree.h"

#include <stdbool.h>

/* Calls found(context, hit) for each @hit of the query whose predicates hold, in the
 * order of the text. A query that does not compile is a bug; its text must live on. One
 * thread. False where time or room ran out before the end of the text. */
bool lint_query_run(const char *query, TSNode root, const char *text,
                    void (*found)(void *context, TSNode hit), void *context);

#endif
