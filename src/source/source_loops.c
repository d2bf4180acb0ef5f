/*
 * What a loop does with its names from turn to turn: is a growing value read, could the
 * turns be one operation? Anything not understood says no.
 */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"
#include "source/source_calls.h"

#include <string.h>

enum { BUDGET = 4000, DEPTH_MAX = 60, NAMES_MAX = 32 };

/* An identifier that stands for a value: not y of x.y, not k of f(k=1). */
static bool is_variable(TSNode n)
{
    TSNode around = python_parent(n);
    if (python_node(around) == PY_attribute)
        return !ts_node_eq(python_field(around, FIELD_attribute), n);
    if (python_node(around) == PY_keyword_argument)
        return !ts_node_eq(python_field(around, FIELD_name), n);
    return python_node(n) == PY_identifier;
}

/* x = …, x is None: says nothing about what x holds. */
static bool is_reset(TSNode n)
{
    TSNode around = python_parent(n);
    if (python_node(around) == PY_assignment)
        return ts_node_eq(python_field(around, FIELD_left), n);
    return python_node(around) == PY_comparison_operator &&
           python_node(python_child(around, 1)) == PY_none;
}

struct reading {
    const struct source_syntax *s;
    struct slice name;
    TSNode except;
    int budget;
};

static bool reads(struct reading *r, TSNode n, int depth)
{
    if (ts_node_is_null(n) || ts_node_eq(n, r->except))
        return false;
    if (r->budget-- <= 0 || depth > DEPTH_MAX)
        return true; /* nobody knows: then it does */
    enum python_node kind = python_node(n);
    if ((kind == PY_identifier || kind == PY_attribute) &&
        slice_equal(python_slice(r->s->text, n), r->name) &&
        (kind == PY_attribute || is_variable(n)) && !is_reset(n))
        return true;
    for (uint32_t i = 0; i < python_children(n); i++)
        if (reads(r, python_child(n, i), depth + 1))
            return true;
    return false;
}

static TSNode loop_around(TSNode n)
{
    static const TSNode none = {0};
    for (; !ts_node_is_null(n); n = python_parent(n)) {
        enum python_node kind = python_node(n);
        if (kind == PY_for_statement || kind == PY_while_statement)
            return n;
        if (kind == PY_function_definition || kind == PY_class_definition)
            break;
    }
    return none;
}

/* (#read-in-loop? @name @except): anywhere else than there. */
bool condition_read_in_loop(const struct match *m, const struct predicate *p)
{
    TSNode except = match_node(m, &p->arguments[1]);
    struct reading r = {.s = m->syntax,
                        .name = match_text(m, &p->arguments[0]),
                        .except = except,
                        .budget = BUDGET};
    return reads(&r, loop_around(except), 0);
}

/* for layer in self.layers, range(self.num_layers) */
bool source_is_over_parts(const struct source_syntax *s, TSNode over)
{
    struct slice text = python_slice(s->text, over);
    return text.len < 200 && (value_kind(s, over) == KIND_MODULE ||
                              name_has_word(text, "layer layers blocks modules convs "
                                                  "stages levels heads"));
}

/* (#over-parts? @a): the loop around goes over a model's parts, which are few. */
bool condition_over_parts(const struct match *m, const struct predicate *p)
{
    TSNode loop = loop_around(match_node(m, &p->arguments[0]));
    return source_is_over_parts(m->syntax, python_field(loop, FIELD_right));
}

/* One turn of a loop over an index, node by node. */
struct turn {
    const struct source_syntax *s;
    struct slice index;
    struct slice kept[NAMES_MAX]; /* names that live from turn to turn */
    int n_kept;
    struct slice made[NAMES_MAX]; /* names that this turn has made so far */
    int n_made;
    int budget;
    bool many_dimensions; /* x[:, i]: no list has that */
    bool indexed;         /* x[i] of a value that may be a tensor */
    bool in_slice;        /* x[:n[i]]: the turns differ in shape */
};

static bool listed(const struct slice *list, int n, struct slice name)
{
    for (int i = 0; i < n; i++)
        if (slice_equal(list[i], name))
            return true;
    return false;
}

static bool is_index(const struct turn *t, TSNode n)
{
    return python_node(n) == PY_identifier &&
           slice_equal(python_slice(t->s->text, n), t->index);
}

static bool turn_is_free(struct turn *t, TSNode n, int depth);

static bool parts_are_free(struct turn *t, TSNode n, int depth)
{
    for (uint32_t i = 0; i < python_children(n); i++)
        if (!turn_is_free(t, python_child(n, i), depth))
            return false;
    return true;
}

/* x[i], x[:, i]: the index is one of the subscripts, nothing is computed from it. */
static bool subscript_is_free(struct turn *t, TSNode n, int depth)
{
    TSNode value = python_field(n, FIELD_value);
    uint32_t parts = python_children(n);
    bool by_index = false;
    for (uint32_t i = 1; i < parts; i++) {
        TSNode part = python_child(n, i);
        by_index |= is_index(t, part);
        if (!is_index(t, part) && !turn_is_free(t, part, depth))
            return false;
    }
    enum value_kind kind = value_kind(t->s, value);
    bool may_be_tensor = kind == KIND_TENSOR || kind == KIND_UNKNOWN;
    if (by_index && t->in_slice)
        return false;
    if (by_index && !(kind == KIND_TENSOR || (may_be_tensor && parts > 2)))
        return false; /* a list of modules, a length of each sample */
    t->many_dimensions |= by_index && parts > 2;
    t->indexed |= by_index;
    return turn_is_free(t, value, depth);
}

/* Operations whose results differ in shape from sample to sample, or that look. */
static bool is_ragged(struct slice name)
{
    static const char *const list[] = {"nonzero",
                                       "unique",
                                       "randperm",
                                       "bincount",
                                       "masked_select",
                                       "item",
                                       "tolist",
                                       "numpy",
                                       "cpu",
                                       "histc",
                                       "backward",
                                       "multinomial",
                                       "unique_consecutive"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (slice_is(name, list[i]))
            return true;
    return false;
}

static bool call_is_free(struct turn *t, TSNode n, int depth)
{
    TSNode callee = python_field(n, FIELD_function),
           arguments = python_field(n, FIELD_arguments);
    char full[FULL_NAME_MAX];
    full_name(t->s, callee, full, sizeof full);
    bool method = python_node(callee) == PY_attribute;
    struct slice name = python_called(t->s->text, n);
    TSNode object = python_field(callee, FIELD_object);
    if (is_ragged(name) || !parts_are_free(t, arguments, depth))
        return false;
    if (!strncmp(full, "torch.", 6) || value_kind(t->s, callee) == KIND_MODULE)
        return true;
    if (method && slice_is(name, "append"))
        return listed(t->kept, t->n_kept, python_slice(t->s->text, object));
    bool tensor =
        value_kind(t->s, object) == KIND_TENSOR || python_node(object) == PY_subscript;
    return method && tensor && turn_is_free(t, object, depth);
}

static bool name_is_free(const struct turn *t, TSNode n)
{
    struct slice name = python_slice(t->s->text, n);
    if (!is_variable(n))
        return true;
    return !slice_equal(name, t->index) &&
           (!listed(t->kept, t->n_kept, name) || listed(t->made, t->n_made, name));
}

/* Of a, (b, c) = …, out[i] = …: the names. */
static void keep_names(struct turn *t, TSNode target, struct slice *list, int *n,
                       int depth)
{
    while (python_node(target) == PY_subscript)
        target = python_field(target, FIELD_value);
    bool named =
        python_node(target) == PY_identifier || python_node(target) == PY_attribute;
    if (named && *n < NAMES_MAX)
        list[(*n)++] = python_slice(t->s->text, target);
    for (uint32_t i = 0; depth < 4 && i < python_children(target) && i < 16; i++)
        if (!named)
            keep_names(t, python_child(target, i), list, n, depth + 1);
}

/* out[i] = …, out[:, i] = …: the turn fills its row of a tensor. */
static bool target_is_free(struct turn *t, TSNode left, int depth)
{
    TSNode value = python_field(left, FIELD_value);
    enum value_kind kind = value_kind(t->s, value);
    uint32_t parts = python_children(left);
    for (uint32_t i = 1; i < parts; i++) {
        TSNode part = python_child(left, i);
        t->indexed |= is_index(t, part) && (kind == KIND_TENSOR || kind == KIND_HOST);
        if (!is_index(t, part) && !turn_is_free(t, part, depth))
            return false;
    }
    return kind != KIND_ARRAY;
}

static bool assignment_is_free(struct turn *t, TSNode n, int depth)
{
    TSNode left = python_field(n, FIELD_left), right = python_field(n, FIELD_right);
    if (!turn_is_free(t, right, depth) || ts_node_is_null(left))
        return false;
    if (python_node(n) == PY_augmented_assignment)
        return python_node(left) == PY_identifier || python_node(left) == PY_subscript;
    if (python_node(left) == PY_subscript)
        return target_is_free(t, left, depth);
    keep_names(t, left, t->made, &t->n_made, 0);
    return python_node(left) != PY_attribute;
}

static bool slice_is_free(struct turn *t, TSNode n, int depth)
{
    bool outer = t->in_slice;
    t->in_slice = true;
    bool is_free = parts_are_free(t, n, depth);
    t->in_slice = outer;
    return is_free;
}

static bool turn_is_free(struct turn *t, TSNode n, int depth)
{
    if (ts_node_is_null(n) || t->budget-- <= 0 || depth++ > DEPTH_MAX)
        return false;
    switch (python_node(n)) {
    case PY_identifier:
        return name_is_free(t, n);
    case PY_assignment:
    case PY_augmented_assignment:
        return assignment_is_free(t, n, depth);
    case PY_subscript:
        return subscript_is_free(t, n, depth);
    case PY_call:
        return call_is_free(t, n, depth);
    case PY_attribute:
        return !listed(t->kept, t->n_kept, python_slice(t->s->text, n)) &&
               turn_is_free(t, python_field(n, FIELD_object), depth);
    case PY_block:
    case PY_expression_statement:
    case PY_argument_list:
    case PY_keyword_argument:
    case PY_binary_operator:
    case PY_unary_operator:
    case PY_parenthesized_expression:
    case PY_comparison_operator:
    case PY_tuple:
    case PY_list:
        return parts_are_free(t, n, depth);
    case PY_slice:
        return slice_is_free(t, n, depth);
    case PY_integer:
    case PY_float:
    case PY_string:
    case PY_true:
    case PY_false:
    case PY_none:
    case PY_comment:
        return true;
    default:
        return false; /* branches and inner loops differ from turn to turn */
    }
}

/* Names that the body's statements set or append to. */
static void note_kept(struct turn *t, TSNode body)
{
    for (uint32_t i = 0; i < python_children(body) && i < NAMES_MAX; i++) {
        TSNode n = python_child(python_child(body, i), 0);
        TSNode callee = python_field(n, FIELD_function);
        TSNode left = python_field(n, FIELD_left);
        if (!ts_node_is_null(left))
            keep_names(t, left, t->kept, &t->n_kept, 0);
        else if (python_node(callee) == PY_attribute)
            keep_names(t, python_field(callee, FIELD_object), t->kept, &t->n_kept, 0);
    }
}

/* range(x.size(1)), range(x.shape[0]), and names that got such a value. */
static bool is_extent(const struct source_syntax *s, TSNode n)
{
    if (python_node(n) == PY_identifier) {
        const struct binding *b = binding_of(
            s, python_slice(s->text, n), source_place_at(s->facts, ts_node_start_byte(n)),
            ts_node_start_byte(n));
        n = b ? b->value : n;
        if (b && ts_node_is_null(n))
            return b->kind == KIND_NUMBER; /* b, t, c = x.shape */
    }
    struct slice text = python_slice(s->text, n);
    return text.len < 100 && (memmem(text.s, text.len, ".size(", 6) ||
                              memmem(text.s, text.len, ".shape[", 7));
}

/* (#vectorises? @loop): for i in range(n) or range(first, n) over one dimension of tensors, whose turns do
 * not need each other. */
bool condition_vectorises(const struct match *m, const struct predicate *p)
{
    TSNode loop = match_node(m, &p->arguments[0]);
    TSNode over = python_field(loop, FIELD_right), body = python_field(loop, FIELD_body),
           target = python_field(loop, FIELD_left);
    TSNode arguments = python_field(over, FIELD_arguments);
    const char *text = m->syntax->text;
    uint32_t n_arguments = python_children(arguments);
    TSNode count = argument_at(arguments, n_arguments == 2);
    if (!slice_is(python_slice(text, python_field(over, FIELD_function)), "range") ||
        n_arguments < 1 || n_arguments > 2 || python_node(count) == PY_integer ||
        python_node(target) != PY_identifier)
        return false;
    struct turn t = {
        .s = m->syntax, .index = python_slice(text, target), .budget = BUDGET};
    note_kept(&t, body);
    return turn_is_free(&t, body, 0) && t.indexed &&
           (t.many_dimensions || is_extent(m->syntax, count));
}
#endif
