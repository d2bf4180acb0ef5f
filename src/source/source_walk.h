/* From a syntax tree to facts, private to this folder. */
#ifndef GAIT_SOURCE_SOURCE_WALK_H
#define GAIT_SOURCE_SOURCE_WALK_H

#include "source/python_tree.h"
#include "source/source_facts.h"

/* On OK the caller releases *f. A tree deeper than SOURCE_DEPTH_MAX is refused: queries
 * take time in proportion to the depth for each node. */
enum status source_walk(struct source_facts *f, const TSTree *tree, const char *text,
                        const char *name, struct err *err);

#endif
