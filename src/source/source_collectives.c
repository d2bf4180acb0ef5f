/*
 * What ranks agree on by a collective, so that all go the same way: a flag to stop, counts
 * of what each sends. The host needs such values; a loss that was averaged only to be
 * shown it does not.
 */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <string.h>

static TSNode root_of(TSNode n)
{
    enum { STEPS_MAX = 16 };
    for (int i = 0; i < STEPS_MAX; i++) {
        if (python_node(n) == PY_call)
            n = python_field(n, FIELD_function);
        else if (python_node(n) == PY_attribute)
            n = python_field(n, FIELD_object);
        else if (python_node(n) == PY_subscript)
            n = python_field(n, FIELD_value);
        else if (python_node(n) == PY_comparison_operator ||
                 python_node(n) == PY_parenthesized_expression)
            n = python_child(n, 0);
        else
            break;
    }
    return n;
}

static bool is_collective(const struct source_syntax *s, TSNode call)
{
    static const char *const names[] = {"all_reduce", "broadcast",
                                        "all_gather", "all_to_all_single",
                                        "all_to_all", "all_gather_into_tensor"};
    struct slice name = python_called(s->text, call);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(name, names[i]))
            return true;
    return false;
}

static bool takes(const struct source_syntax *s, TSNode call, struct slice name)
{
    TSNode arguments = python_field(call, FIELD_arguments);
    for (uint32_t i = 0; i < 2; i++)
        if (slice_equal(python_slice(s->text, root_of(argument_at(arguments, i))), name))
            return true;
    return false;
}

/* x of [x.item() for x in values]: the values; else the name itself. */
static TSNode whole_of(const struct source_syntax *s, TSNode name)
{
    enum { CLIMB_MAX = 12 };
    TSNode up = python_parent(name);
    for (int i = 0; i < CLIMB_MAX && !ts_node_is_null(up); i++, up = python_parent(up)) {
        enum python_node kind = python_node(up);
        if (kind != PY_list_comprehension && kind != PY_generator_expression)
            continue;
        for (uint32_t k = 1; k < python_children(up) && k < 4; k++)
            if (slice_equal(
                    python_slice(s->text, python_field(python_child(up, k), FIELD_left)),
                    python_slice(s->text, name)))
                return root_of(python_field(python_child(up, k), FIELD_right));
    }
    return name;
}

static bool is_gather(const struct source_syntax *s, TSNode n)
{
    TSNode callee = python_field(n, FIELD_function);
    struct slice name = python_slice(s->text, python_field(callee, FIELD_attribute));
    return python_node(n) == PY_call &&
           (slice_is(name, "gather") || slice_is(name, "gather_for_metrics")) &&
           name_has_word(python_slice(s->text, python_field(callee, FIELD_object)),
                         "accelerator fabric strategy");
}

/* x.min(), x.max(): the least or most that ranks have of something. */
static TSNode bounded(const struct source_syntax *s, TSNode n)
{
    static const TSNode none = {0};
    TSNode callee = python_field(n, FIELD_function);
    struct slice name = python_slice(s->text, python_field(callee, FIELD_attribute));
    return slice_is(name, "min") || slice_is(name, "max")
               ? python_field(callee, FIELD_object)
               : none;
}

/* accelerator.gather(lengths).min(), also through a name. */
static bool is_gathered_bound(const struct source_syntax *s, TSNode n)
{
    TSNode of = bounded(s, n);
    if (python_node(of) == PY_identifier) {
        uint32_t byte = ts_node_start_byte(of);
        const struct binding *b = binding_of(s, python_slice(s->text, of),
                                             source_place_at(s->facts, byte), byte);
        return b && is_gather(s, b->value);
    }
    return is_gather(s, of);
}

static const char measures[] =
    "loss losses acc accuracy metric metrics correct mean total norm reward rewards ppl "
    "score values reduced";

/* (#agreed? @value): a collective of the same function is given the name that it comes
 * from, and the name is none of a measure; or it is the least or most of what was
 * gathered. */
bool condition_agreed(const struct match *m, const struct predicate *p)
{
    const struct source_syntax *s = m->syntax;
    TSNode value = match_node(m, &p->arguments[0]), n = root_of(value);
    if (python_node(n) == PY_identifier)
        n = whole_of(s, n);
    struct slice name = python_slice(s->text, n);
    if (is_gathered_bound(s, value))
        return !name_has_word(name, measures);
    if (python_node(n) != PY_identifier || name_has_word(name, measures))
        return false;
    const struct source_facts *f = s->facts;
    int32_t fn = source_function_of(f, source_place_at(f, ts_node_start_byte(n)));
    for (size_t i = 0; i < s->n_calls; i++) {
        int32_t place = source_place_at(f, ts_node_start_byte(s->calls[i]));
        if (is_collective(s, s->calls[i]) && source_function_of(f, place) == fn &&
            takes(s, s->calls[i], name))
            return true;
    }
    return false;
}
#endif
