/*
 * All nodes of a text in one list, in the order of the text, the root first. The tree itself
 * is slow to move in: it looks for a field, the n-th child or the parent among all that
 * stands between. Private to this folder.
 *
 * Invariant: each node but the root hangs from the parent that its row names, which is the
 * node that lists it as a child. tree-sitter's own search for a parent goes by bytes: of a
 * node without any, which it puts in where text is broken, it may name a neighbour.
 */
#ifndef GAIT_SOURCE_PYTHON_NODES_H
#define GAIT_SOURCE_PYTHON_NODES_H

#include "source/python_tree.h"

struct python_row {
    TSNode node;
    TSSymbol symbol;
    TSFieldId field; /* of its parent */
    bool named, error;
    int32_t parent, first,
        next; /* rows of the parent, first child, next sibling; -1: none */
};

struct python_nodes {
    const TSTree *tree;
    struct python_row *rows; /* (n) */
    size_t n, cap;
    int32_t *row_of_slot; /* (slots) by the node's identity; -1: free */
    size_t slots;         /* a power of two */
};

/* Lists the nodes of a tree, which must outlive *out; the caller releases it, also after
 * an error. A tree deeper than SOURCE_DEPTH_MAX is refused: work would be quadratic. */
enum status python_nodes_read(struct python_nodes *out, const TSTree *tree,
                              struct work_limit *limit, const char *name,
                              struct err *err);
void python_nodes_release(struct python_nodes *l);

/* From here on python_field(), python_child() and python_parent() look into this list where
 * this thread asks for a node of its tree; NULL: they ask the tree. */
void python_nodes_use(const struct python_nodes *l);
/* The list in use where it has this node, and its row; NULL otherwise. */
const struct python_nodes *python_nodes_find(TSNode n, int32_t *row);

/* The first row whose node begins at a byte or behind it. */
size_t python_row_from(const struct python_nodes *l, uint32_t byte);

#endif
