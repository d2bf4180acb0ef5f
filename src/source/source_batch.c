/*
 * Is a value what a loader gave, as it gave it? Only such memory is pinned by the loader:
 * what is computed or converted on the host lies in new, pageable memory.
 */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

/* x of x[0], x.y and (x); a call makes something new. */
static TSNode part_of(TSNode n)
{
    enum { PARTS_MAX = 16 };
    for (int i = 0; i < PARTS_MAX; i++) {
        if (python_node(n) == PY_attribute)
            n = python_field(n, FIELD_object);
        else if (python_node(n) == PY_subscript)
            n = python_field(n, FIELD_value);
        else if (python_node(n) == PY_parenthesized_expression)
            n = python_child(n, 0);
        else
            break;
    }
    return n;
}

static bool is_fetched(const struct source_syntax *s, TSNode n)
{
    TSNode callee = python_field(n, FIELD_function);
    return slice_is(python_slice(s->text, callee), "next") ||
           slice_is(python_slice(s->text, python_field(callee, FIELD_attribute)), "next");
}

bool value_is_loaded(const struct source_syntax *s, TSNode n)
{
    enum { STEPS_MAX = 4 };
    n = part_of(n);
    for (int i = 0; i < STEPS_MAX && python_node(n) == PY_identifier; i++) {
        uint32_t byte = ts_node_start_byte(n);
        const struct binding *b = binding_of(s, python_slice(s->text, n),
                                             source_place_at(s->facts, byte), byte);
        if (!b || b->kind != KIND_HOST)
            return false;
        TSNode made = ts_node_is_null(b->whole) ? b->value : b->whole;
        if (ts_node_is_null(made) || is_fetched(s, made))
            return true; /* the target of a loop */
        n = part_of(made);
    }
    return false;
}

/* (#from-loader? @value) */
bool condition_from_loader(const struct match *m, const struct predicate *p)
{
    return value_is_loaded(m->syntax, match_node(m, &p->arguments[0]));
}
#endif
