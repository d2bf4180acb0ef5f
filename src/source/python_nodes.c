/* The list of all nodes of a text, and the row of a node. */
#ifdef GAIT_TREE_SITTER
#include "source/python_nodes.h"

#include "base/mem.h"
#include "source/source_query.h"

#include <string.h>

/* The model: of a program, not of a library that is loaded later; else the loader would be
 * asked for the address each time, and be one more library that the wheel needs. */
static _Thread_local const struct python_nodes *in_use
    __attribute__((tls_model("initial-exec")));

/* --- the row of a node */

/* A node's identity is the address of its place in the tree. */
static size_t slot_of(const struct python_nodes *l, TSNode n)
{
    uint64_t mixed = (uint64_t)(uintptr_t)n.id * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (l->slots - 1);
}

static void number_rows(struct python_nodes *l)
{
    for (l->slots = 16; l->slots < 2 * l->n;)
        l->slots *= 2;
    l->row_of_slot = mem_alloc(l->slots * sizeof *l->row_of_slot);
    memset(l->row_of_slot, 0xff, l->slots * sizeof *l->row_of_slot);
    for (size_t row = 0; row < l->n; row++) {
        size_t slot = slot_of(l, l->rows[row].node);
        while (l->row_of_slot[slot] >= 0)
            slot = (slot + 1) & (l->slots - 1);
        l->row_of_slot[slot] = (int32_t)row;
    }
}

const struct python_nodes *python_nodes_find(TSNode n, int32_t *row)
{
    const struct python_nodes *l = in_use;
    if (!l || n.tree != l->tree || !n.id)
        return NULL;
    size_t slot = slot_of(l, n);
    while ((*row = l->row_of_slot[slot]) >= 0 && l->rows[*row].node.id != n.id)
        slot = (slot + 1) & (l->slots - 1);
    return *row < 0 ? NULL : l;
}

void python_nodes_use(const struct python_nodes *l)
{
    in_use = l;
}

size_t python_row_from(const struct python_nodes *l, uint32_t byte)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ts_node_start_byte(l->rows[mid].node) < byte)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* --- reading */

/* Below row `parent`, behind row `before`; -1: none. */
static int32_t add(struct python_nodes *l, TSTreeCursor *cursor, int32_t parent,
                   int32_t before)
{
    TSNode n = ts_tree_cursor_current_node(cursor);
    int32_t row = (int32_t)l->n;
    vec_grow(l->rows, l->cap, l->n + 1);
    l->rows[l->n++] = (struct python_row){
        .node = n,
        .symbol = ts_node_symbol(n),
        .field = ts_tree_cursor_current_field_id(cursor),
        .named = ts_node_is_named(n),
        .error = ts_node_is_error(n),
        .parent = parent,
        .first = -1,
        .next = -1,
    };
    if (before >= 0)
        l->rows[before].next = row;
    else if (parent >= 0)
        l->rows[parent].first = row;
    return row;
}

/* The way of the cursor, and with it of the newest row, to the next node in the order of
 * the text: down, else aside, else up and aside. False behind the last one. */
static bool advance(struct python_nodes *l, TSTreeCursor *cursor, int32_t *row,
                    int32_t *depth)
{
    if (ts_tree_cursor_goto_first_child(cursor)) {
        *row = add(l, cursor, *row, -1);
        ++*depth;
        return true;
    }
    for (;;) {
        int32_t parent = l->rows[*row].parent;
        if (parent < 0)
            return false;
        if (ts_tree_cursor_goto_next_sibling(cursor)) {
            *row = add(l, cursor, parent, *row);
            return true;
        }
        ts_tree_cursor_goto_parent(cursor);
        *row = parent;
        --*depth;
    }
}

enum status python_nodes_read(struct python_nodes *out, const TSTree *tree,
                              struct work_limit *limit, const char *name, struct err *err)
{
    *out = (struct python_nodes){.tree = tree};
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    int32_t row = add(out, &cursor, -1, -1), depth = 0;
    bool too_long = false;
    while (advance(out, &cursor, &row, &depth) && depth < SOURCE_DEPTH_MAX &&
           !(too_long = work_limit_is_over(limit)))
        continue;
    ts_tree_cursor_delete(&cursor);
    if (depth >= SOURCE_DEPTH_MAX)
        return err_set(err, STATUS_INPUT,
                       "%s is nested more than %d levels deep; is it a program that a "
                       "person wrote?",
                       name, SOURCE_DEPTH_MAX);
    if (too_long)
        return err_set(err, STATUS_INPUT, SOURCE_TOO_LONG, name);
    number_rows(out);
    return STATUS_OK;
}

void python_nodes_release(struct python_nodes *l)
{
    mem_free(l->rows);
    mem_free(l->row_of_slot);
    *l = (struct python_nodes){0};
}
#endif
