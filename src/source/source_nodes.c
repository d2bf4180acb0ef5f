/* What the list of all nodes answers faster than the tree, which is searched from its root
 * for the parent of a node. */
#ifdef GAIT_TREE_SITTER
#include "source/source_syntax.h"

size_t source_node_from(const struct source_syntax *s, uint32_t byte)
{
    size_t low = 0, high = s->nodes.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (ts_node_start_byte(s->nodes.nodes[mid].node) < byte)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

TSNode source_parent(const struct source_syntax *s, TSNode n)
{
    if (ts_node_is_null(n))
        return n;
    uint32_t byte = ts_node_start_byte(n);
    for (size_t i = source_node_from(s, byte); i < s->nodes.n; i++) {
        const struct pattern_node *at = &s->nodes.nodes[i];
        if (ts_node_eq(at->node, n)) {
            static const TSNode none = {0};
            return at->parent < 0 ? none : s->nodes.nodes[at->parent].node;
        }
        if (ts_node_start_byte(at->node) > byte)
            break;
    }
    return python_parent(n); /* the walk has not reached it */
}
#endif
