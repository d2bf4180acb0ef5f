/* tree-sitter's memory, shared by every parser of this folder. */
#ifndef GAIT_SOURCE_TREE_MEMORY_H
#define GAIT_SOURCE_TREE_MEMORY_H

/* Before the first parser: memory comes from base/mem.h, whose functions abort where there
 * is none. From any thread, any number of times. */
void tree_memory_use(void);

#endif
