/* Conditions of rules on a value: of what it is made, what it is, what made it. */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <stdlib.h>
#include <string.h>

int32_t place_of_node(const struct match *m, TSNode n)
{
    return source_place_at(m->syntax->facts, ts_node_start_byte(n));
}

bool condition_invariant(const struct match *m, const struct predicate *p)
{
    for (int32_t i = 0; i < p->n; i++)
        if (!value_is_invariant(m->syntax, match_node(m, &p->arguments[i])))
            return false;
    return true;
}

static int number_of(struct slice text)
{
    char digits[12];
    text_terminated(text, digits, sizeof digits);
    return (int)strtol(digits, NULL, 10);
}

/* (#operations? @a "2"): so many at least */
bool condition_operations(const struct match *m, const struct predicate *p)
{
    return value_takes_operations(m->syntax, match_node(m, &p->arguments[0]),
                                  number_of(p->arguments[1].text));
}

bool condition_alike(const struct match *m, const struct predicate *p)
{
    return layers_alike(m->syntax, match_node(m, &p->arguments[0]),
                        number_of(p->arguments[1].text));
}

bool condition_decorated(const struct match *m, const struct predicate *p)
{
    char words[200];
    text_terminated(p->arguments[1].text, words, sizeof words);
    return function_is_decorated(m->syntax, match_node(m, &p->arguments[0]), words);
}

bool condition_repeats_new(const struct match *m, const struct predicate *p)
{
    return repeats_new_dimension(m->syntax, match_node(m, &p->arguments[0]));
}

bool condition_gated(const struct match *m, const struct predicate *p)
{
    return value_is_gated(m->syntax, match_node(m, &p->arguments[0]),
                          match_node(m, &p->arguments[1]));
}

bool condition_whole(const struct match *m, const struct predicate *p)
{
    return value_is_whole(m->syntax, match_node(m, &p->arguments[0]));
}

bool condition_kept(const struct match *m, const struct predicate *p)
{
    return value_is_kept(m->syntax, match_node(m, &p->arguments[0]));
}

/* Was one of these operations on the way from the function's inputs to this value? */
static bool operation_is(const struct match *m, TSNode n, const struct predicate *p)
{
    struct slice name = {"", 0};
    if (python_node(n) == PY_call) {
        name = python_called(m->syntax->text, n);
    } else if (python_node(n) == PY_binary_operator) {
        name = python_slice(m->syntax->text, python_field(n, FIELD_operator));
    }
    for (int32_t i = 1; i < p->n && name.len; i++)
        if (slice_equal(name, p->arguments[i].text))
            return true;
    return false;
}

static bool derives_from(struct inquiry *q, TSNode n, const struct predicate *p)
{
    if (ts_node_is_null(n) || q->budget-- <= 0 || q->depth > 40)
        return false;
    if (operation_is(q->m, n, p))
        return true;
    bool found = false;
    q->depth++;
    if (python_node(n) == PY_identifier) {
        uint32_t byte = ts_node_start_byte(n);
        const struct binding *b =
            binding_of(q->m->syntax, python_slice(q->m->syntax->text, n),
                       place_of_node(q->m, n), byte);
        found = b && b->byte <= byte && derives_from(q, b->value, p);
    }
    for (uint32_t i = 0; !found && i < python_children(n); i++)
        found = derives_from(q, python_child(n, i), p);
    q->depth--;
    return found;
}

bool condition_derives(const struct match *m, const struct predicate *p)
{
    struct inquiry q = {.m = m, .budget = 300};
    return derives_from(&q, match_node(m, &p->arguments[0]), p);
}

bool condition_shown(const struct match *m, const struct predicate *p)
{
    return value_shown(m->syntax, match_node(m, &p->arguments[0]));
}

/* (#guessed? @a): nothing but a name says that it is a tensor. */
bool condition_guessed(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    return value_kind(m->syntax, n) == KIND_TENSOR && !value_shown(m->syntax, n);
}

/* (#unknown-argument? @a): made of an argument of the function around of which nothing
 * is known: the caller may have it on the host. */
bool condition_unknown_argument(const struct match *m, const struct predicate *p)
{
    const struct source_syntax *s = m->syntax;
    TSNode n = match_node(m, &p->arguments[0]);
    for (int i = 0; i < 16 && python_node(n) != PY_identifier; i++)
        n = python_field(n, python_node(n) == PY_call        ? FIELD_function
                            : python_node(n) == PY_subscript ? FIELD_value
                                                             : FIELD_object);
    if (python_node(n) != PY_identifier || value_kind(s, n) != KIND_UNKNOWN)
        return false;
    const struct binding *b = binding_of(s, python_slice(s->text, n), place_of_node(m, n),
                                         ts_node_start_byte(n));
    int32_t fn = source_function_of(s->facts, place_of_node(m, n));
    return b && fn >= 0 && ts_node_is_null(b->value) && b->scope == fn &&
           b->byte < s->facts->places[s->facts->functions[fn].place].begin;
}

static bool makes_and_moves(const struct match *m, TSNode n, int depth)
{
    enum { DEPTH_MAX = 24, CHILDREN_MAX = 16 };
    const struct source_syntax *s = m->syntax;
    TSNode callee = python_field(n, FIELD_function),
           made = python_field(callee, FIELD_object);
    struct slice method = python_slice(s->text, python_field(callee, FIELD_attribute));
    char full[FULL_NAME_MAX];
    full_name(s, python_field(made, FIELD_function), full, sizeof full);
    if (python_node(n) == PY_call && !strncmp(full, "torch.", 6) &&
        !strchr(full + 6, '.') && (slice_is(method, "to") || slice_is(method, "cuda")))
        return true;
    bool found = false;
    for (uint32_t i = 0; i < python_children(n) && i < CHILDREN_MAX && depth < DEPTH_MAX;
         i++)
        found |= makes_and_moves(m, python_child(n, i), depth + 1);
    return found;
}

/* (#made-and-moved? @a): a part of it is torch.…(…).to(device). */
bool condition_made_and_moved(const struct match *m, const struct predicate *p)
{
    return makes_and_moves(m, match_node(m, &p->arguments[0]), 0);
}

/* (#with-calls-of? @a "scipy."): the function around calls something of such a name. */
bool condition_with_calls_of(const struct match *m, const struct predicate *p)
{
    const struct source_syntax *s = m->syntax;
    int32_t fn =
        source_function_of(s->facts, place_of_node(m, match_node(m, &p->arguments[0])));
    for (size_t i = 0; fn >= 0 && i < s->n_calls; i++) {
        char full[FULL_NAME_MAX];
        full_name(s, python_field(s->calls[i], FIELD_function), full, sizeof full);
        struct slice with = p->arguments[1].text;
        if (!strncmp(full, with.s, with.len) &&
            source_function_of(s->facts, place_of_node(m, s->calls[i])) == fn)
            return true;
    }
    return false;
}

/* Do p's names have this one, "torch.softmax", or ".softmax" for a method of any object? */
static bool maker_fits(const struct match *m, TSNode callee, const struct predicate *p)
{
    char full[FULL_NAME_MAX];
    full_name(m->syntax, callee, full, sizeof full);
    struct slice method =
        python_slice(m->syntax->text, python_field(callee, FIELD_attribute));
    for (int32_t i = 1; i < p->n; i++) {
        struct slice name = p->arguments[i].text;
        if (*full && name_fits(full, name))
            return true;
        if (name.len > 1 && *name.s == '.' &&
            slice_equal(method, (struct slice){name.s + 1, name.len - 1}))
            return true;
    }
    return false;
}

/* What forward() of a class of this file returns, or what a function does. */
static TSNode returned_by(const struct source_syntax *s, struct slice name)
{
    const struct source_facts *f = s->facts;
    static const TSNode none = {0};
    for (size_t i = 0; i < f->n_functions; i++) {
        const struct source_function *fn = &f->functions[i];
        bool forward = fn->owner >= 0 && !strcmp(fn->name, "forward") &&
                       slice_is(name, f->classes[fn->owner].name);
        if (forward || (fn->owner < 0 && slice_is(name, fn->name)))
            return s->returned[i];
    }
    return none;
}

static const struct binding *binding_at(const struct match *m, TSNode n)
{
    const struct source_syntax *s = m->syntax;
    uint32_t byte = ts_node_start_byte(n);
    if (python_node(n) == PY_identifier)
        return binding_of(s, python_slice(s->text, n), place_of_node(m, n), byte);
    if (slice_is(python_slice(s->text, python_field(n, FIELD_object)), "self"))
        return binding_of_self(s, python_slice(s->text, python_field(n, FIELD_attribute)),
                               place_of_node(m, n), UINT32_MAX);
    return NULL;
}

/* The value of a name or of self.name. */
static TSNode value_of(const struct match *m, TSNode n)
{
    static const TSNode none = {0};
    const struct binding *b = binding_at(m, n);
    return b ? b->value : none;
}

/* An expression on the way back to how a value was made; item: the value is this part of
 * it, -1: all of it. */
struct making {
    TSNode n;
    int32_t item;
};

static struct making making_of_name(const struct match *m, TSNode n)
{
    static const TSNode none = {0};
    const struct binding *b = binding_at(m, n);
    if (!b)
        return (struct making){none, -1};
    if (!ts_node_is_null(b->whole))
        return (struct making){b->whole, b->item};
    return (struct making){b->value, -1};
}

/* One call back: x of x.to(device), the module that is called, what a function returns,
 * the last of a Sequential. */
static TSNode maker_of(const struct match *m, TSNode call)
{
    const struct source_syntax *s = m->syntax;
    TSNode callee = python_field(call, FIELD_function),
           arguments = python_field(call, FIELD_arguments);
    struct slice method = python_slice(s->text, python_field(callee, FIELD_attribute));
    char full[FULL_NAME_MAX];
    full_name(s, callee, full, sizeof full);
    if (!strcmp(full, "torch.nn.Sequential") && python_children(arguments))
        return python_child(arguments, python_children(arguments) - 1);
    if (slice_is(method, "to") || slice_is(method, "cuda") || slice_is(method, "float"))
        return python_field(callee, FIELD_object);
    TSNode returned = returned_by(s, python_slice(s->text, callee));
    return ts_node_is_null(returned) ? callee : returned;
}

/* One step back; a null node where it ends. */
static struct making made_before(const struct match *m, struct making k)
{
    static const struct making nothing = {.item = -1};
    switch (python_node(k.n)) {
    case PY_identifier:
    case PY_attribute:
        return k.item < 0 ? making_of_name(m, k.n)
                          : (struct making){value_of(m, k.n), k.item};
    case PY_parenthesized_expression:
        return (struct making){python_child(k.n, 0), k.item};
    case PY_expression_list:
    case PY_tuple:
        return k.item < 0 ? nothing
                          : (struct making){python_child(k.n, (uint32_t)k.item), -1};
    case PY_call:
        return (struct making){maker_of(m, k.n), k.item};
    default:
        return nothing;
    }
}

/* Was a value made by one of these functions or modules? The last call on its way, past
 * names, brackets and modules of the file. */
bool condition_made_by(const struct match *m, const struct predicate *p)
{
    enum { STEPS_MAX = 24 };
    struct making k = {match_node(m, &p->arguments[0]), -1};
    for (int i = 0; i < STEPS_MAX && !ts_node_is_null(k.n); i++) {
        if (python_node(k.n) == PY_call && k.item < 0 &&
            maker_fits(m, python_field(k.n, FIELD_function), p))
            return true;
        k = made_before(m, k);
    }
    return false;
}

/* Has the text of a value, past one name, one of these within it? */
bool condition_value_has(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    if (python_node(n) == PY_identifier || python_node(n) == PY_attribute)
        n = value_of(m, n);
    struct slice text = text_head(python_slice(m->syntax->text, n));
    for (int32_t i = 1; i < p->n; i++)
        if (text_contains(text, p->arguments[i].text))
            return true;
    return false;
}
#endif
