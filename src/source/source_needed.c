/*
 * Waits that cannot be put off: the host needs the value at once, as a size, a bound or
 * for where the program goes on.
 */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"
#include "source/source_calls.h"
#include "source/source_waits.h"

#include <string.h>

enum { CLIMB_MAX = 60, NAMES_MAX = 3, NODES_MAX = 6000 };

/* Functions and methods that take numbers for the shape of what they make or choose. */
static const char *const by_size[] = {
    "range",        "arange",      "zeros",
    "ones",         "empty",       "rand",
    "randn",        "randint",     "randrange",
    "eye",          "view",        "reshape",
    "expand",       "repeat",      "repeat_interleave",
    "narrow",       "new_zeros",   "new_ones",
    "new_empty",    "split",       "split_with_sizes",
    "slice",        "islice",      "unfold",
    "resize_",      "interpolate", "topk",
    "linspace",     "randperm",    "pack_padded_sequence",
    "tensor_split", "chunk",       NULL};
/* The same by their first argument. */
static const char *const by_first_size[] = {"full", "new_full", "tile", NULL};
/* What gives a number again when it is given one. */
static const char *const keeps_number[] = {
    "int",  "float", "round", "min", "max",       "abs",  "floor", "ceil",
    "list", "sum",   "tuple", "zip", "enumerate", "bool", "Size",  NULL};
static const char *const keeps_values[] = {
    "item", "numpy", "tolist",  "long",    "int",    "min",   "max",    "sum",  "all",
    "any",  "cpu",   "squeeze", "flatten", "detach", "round", "astype", "copy", NULL};

static bool is_needed(const struct source_syntax *s, TSNode n, int names, int *budget);

/* Is a name needed in what follows byte `after` within a scope? */
static bool name_needed(const struct source_syntax *s, TSNode scope, struct slice name,
                        uint32_t after, int names, int *budget)
{
    uint32_t end = python_end(scope);
    for (size_t i = python_row_from(&s->nodes, after); i < s->nodes.n && *budget >= 0;
         i++) {
        TSNode n = s->nodes.rows[i].node;
        if (ts_node_start_byte(n) >= end)
            break;
        *budget -= s->nodes.rows[i].named;
        if (python_node(n) == PY_identifier &&
            slice_equal(python_slice(s->text, n), name) && is_needed(s, n, names, budget))
            return true;
    }
    return false;
}

static TSNode function_around(TSNode n)
{
    TSNode up = n;
    while (!ts_node_is_null(up) && python_node(up) != PY_function_definition) {
        n = up;
        up = python_parent(up);
    }
    return ts_node_is_null(up) ? n : python_field(up, FIELD_body);
}

/* The names of a target of an assignment or a loop. */
static bool targets_needed(const struct source_syntax *s, TSNode target, uint32_t after,
                           int names, int *budget)
{
    if (names >= NAMES_MAX)
        return false;
    if (python_node(target) == PY_identifier)
        return name_needed(s, function_around(target), python_slice(s->text, target),
                           after, names + 1, budget);
    enum python_node kind = python_node(target);
    if (kind != PY_pattern_list && kind != PY_tuple_pattern)
        return false;
    for (uint32_t i = 0; i < python_children(target) && i < 8; i++)
        if (targets_needed(s, python_child(target, i), after, names, budget))
            return true;
    return false;
}

enum use { USE_GOES_ON, USE_NEEDED, USE_OTHER };

/* Is an expression what an if, a while or an operator of truth asks for? */
static bool is_asked(TSNode n)
{
    TSNode up = python_parent(n), condition = python_field(up, FIELD_condition);
    enum python_node kind = python_node(up);
    return kind == PY_not_operator || kind == PY_boolean_operator ||
           (!ts_node_is_null(condition) && ts_node_eq(condition, n));
}

/* n is an argument of a call. */
static enum use use_of_argument(const struct source_syntax *s, TSNode call, TSNode n)
{
    struct slice name = python_called(s->text, call);
    TSNode first = argument_at(python_field(call, FIELD_arguments), 0);
    if (slice_is_any(name, by_size) || (slice_is_any(name, by_first_size) &&
                                        !ts_node_is_null(first) && ts_node_eq(first, n)))
        return USE_NEEDED;
    return slice_is_any(name, keeps_number) || is_asked(call) ? USE_GOES_ON : USE_OTHER;
}

/* Does a block do more than tell or keep what was asked? It calls something that is no
 * report: the host must know whether. */
static bool block_acts(const struct source_syntax *s, TSNode body)
{
    static const char reports[] = "print log logger info debug warn warning error write "
                                  "append update postfix description scalar scalars add "
                                  "display show tqdm format";
    uint32_t begin = ts_node_start_byte(body), end = python_end(body);
    for (size_t i = 0; i < s->n_calls; i++) {
        uint32_t at = ts_node_start_byte(s->calls[i]);
        if (at >= begin && at < end &&
            !slice_is_any(python_called(s->text, s->calls[i]), keeps_number) &&
            !slice_is_any(python_called(s->text, s->calls[i]), keeps_values) &&
            !name_has_word(python_called(s->text, s->calls[i]), reports))
            return true;
    }
    return false;
}

static enum use use_as_condition(const struct source_syntax *s, TSNode up, TSNode n)
{
    TSNode condition = python_field(up, FIELD_condition);
    bool asked = !ts_node_is_null(condition) && ts_node_eq(condition, n);
    if (asked && python_node(up) == PY_while_statement)
        return USE_NEEDED;
    TSNode body = python_field(up, FIELD_consequence);
    return asked && (source_block_leaves(s, body) || block_acts(s, body)) ? USE_NEEDED
                                                                          : USE_OTHER;
}

/* x of x.min() goes on as the call. */
static enum use use_of_object(const struct source_syntax *s, TSNode up, TSNode n)
{
    TSNode call = python_parent(up), callee = python_field(call, FIELD_function);
    bool method = ts_node_eq(python_field(up, FIELD_object), n) &&
                  !ts_node_is_null(callee) && ts_node_eq(callee, up);
    return method && slice_is_any(python_called(s->text, call), keeps_values)
               ? USE_GOES_ON
               : USE_OTHER;
}

/* One step up from n. */
static enum use use_of(const struct source_syntax *s, TSNode up, TSNode n)
{
    switch (python_node(up)) {
    case PY_slice:
        return USE_NEEDED;
    case PY_subscript:
        return ts_node_eq(python_field(up, FIELD_value), n) ? USE_OTHER : USE_NEEDED;
    case PY_argument_list:
        return use_of_argument(s, python_parent(up), n);
    case PY_attribute:
        return use_of_object(s, up, n);
    case PY_if_statement:
    case PY_elif_clause:
    case PY_while_statement:
        return use_as_condition(s, up, n);
    case PY_call: /* reached from its function */
    case PY_binary_operator:
    case PY_unary_operator:
    case PY_parenthesized_expression:
    case PY_conditional_expression:
    case PY_comparison_operator:
    case PY_boolean_operator:
    case PY_not_operator:
    case PY_list:
    case PY_tuple:
    case PY_list_splat:
    case PY_list_comprehension:
    case PY_expression_list:
        return USE_GOES_ON;
    default:
        return USE_OTHER;
    }
}

static bool is_needed(const struct source_syntax *s, TSNode n, int names, int *budget)
{
    for (int i = 0; i < CLIMB_MAX; i++) {
        TSNode up = python_parent(n);
        enum python_node kind = python_node(up);
        if ((kind == PY_assignment || kind == PY_for_statement) &&
            !ts_node_eq(python_field(up, FIELD_left), n)) {
            uint32_t after = kind == PY_assignment ? python_end(up) : python_end(n);
            return targets_needed(s, python_field(up, FIELD_left), after, names, budget);
        }
        enum use use = use_of(s, up, n);
        if (use != USE_GOES_ON)
            return use == USE_NEEDED;
        n = up;
    }
    return false;
}

bool value_needed_now(const struct source_syntax *s, TSNode read)
{
    int budget = NODES_MAX;
    return is_needed(s, read, 0, &budget);
}

/* (#needed-now? @hit): what is read is a size, an index, a bound, or decides whether the
 * loop goes on; in the same function, directly or through the names it is bound to. */
bool condition_needed_now(const struct match *m, const struct predicate *p)
{
    return value_needed_now(m->syntax, match_node(m, &p->arguments[0]));
}

/* ---- waits-beside: is a value read behind it in any case? ---- */

/* Between two bytes, is work given to the device that takes long: a pass, an update? */
static bool launches_between(const struct source_syntax *s, uint32_t from, uint32_t to)
{
    static const char *const long_work[] = {"backward", "step", "manual_backward", NULL};
    for (size_t i = 0; i < s->n_calls; i++) {
        TSNode call = s->calls[i];
        uint32_t byte = ts_node_start_byte(call);
        if (byte <= from || byte >= to)
            continue;
        if (slice_is_any(python_called(s->text, call), long_work) ||
            value_kind(s, python_field(call, FIELD_function)) == KIND_MODULE)
            return true;
    }
    return false;
}

/* Does what is at `outer` run in every turn in which `place` does? */
static bool runs_with(const struct source_facts *f, int32_t place, int32_t outer)
{
    for (; place >= 0; place = f->places[place].parent) {
        if (place == outer)
            return true;
        if (f->places[place].kind == PLACE_LOOP ||
            f->places[place].kind == PLACE_FUNCTION)
            return false;
    }
    return false;
}

/* (#waits-beside? @a): behind it in the same turn, with no pass or update between, a
 * value is read in any case. */
bool condition_waits_beside(const struct match *m, const struct predicate *p)
{
    static const char *const reads[] = {"item", "tolist", "cpu", NULL};
    const struct source_syntax *s = m->syntax;
    TSNode n = match_node(m, &p->arguments[0]);
    uint32_t byte = ts_node_start_byte(n);
    int32_t place = source_place_at(s->facts, byte);
    for (size_t i = 0; i < s->n_calls; i++) {
        uint32_t at = ts_node_start_byte(s->calls[i]);
        if (at > byte && slice_is_any(python_called(s->text, s->calls[i]), reads) &&
            !python_children(python_field(s->calls[i], FIELD_arguments)) &&
            runs_with(s->facts, place, source_place_at(s->facts, at)) &&
            !launches_between(s, byte, at))
            return true;
    }
    return false;
}

static TSNode root_of(TSNode n)
{
    for (int i = 0; i < CLIMB_MAX; i++) {
        if (python_node(n) == PY_call)
            n = python_field(n, FIELD_function);
        else if (python_node(n) == PY_attribute)
            n = python_field(n, FIELD_object);
        else
            break;
    }
    return n;
}

/* (#moved-later? @hit @parameters): behind it, what the parameters are of is moved. */
bool condition_moved_later(const struct match *m, const struct predicate *p)
{
    static const char *const moves[] = {"to", "cuda", NULL};
    const struct source_syntax *s = m->syntax;
    TSNode hit = match_node(m, &p->arguments[0]),
           root = root_of(match_node(m, &p->arguments[1]));
    uint32_t end = python_end(hit);
    int32_t fn =
        source_function_of(s->facts, source_place_at(s->facts, ts_node_start_byte(hit)));
    for (size_t i = 0; i < s->n_calls; i++) {
        TSNode callee = python_field(s->calls[i], FIELD_function);
        uint32_t at = ts_node_start_byte(s->calls[i]);
        if (at > end && slice_is_any(python_called(s->text, s->calls[i]), moves) &&
            slice_equal(python_slice(s->text, python_field(callee, FIELD_object)),
                        python_slice(s->text, root)) &&
            source_function_of(s->facts, source_place_at(s->facts, at)) == fn)
            return true;
    }
    return false;
}
#endif
