/*
 * How a value was made, followed backwards through names: by which operations, and by
 * which layers of which input.
 */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <string.h>

enum {
    NODES_LOOKED_AT_MAX = 300,
    DEPTH_MAX = 60,
    NAMES_MAX = 16,
    FUNCTION_NODES_MAX = 6000,
    INPUTS_MAX = 4,
};

struct use {
    const struct binding *of;
    uint32_t byte;
};

struct route {
    const struct source_syntax *s;
    const struct predicate *p;
    int budget, depth;
    struct use uses[NAMES_MAX]; /* of names on the way to the first goal */
    int n_uses;
};

static bool follow(struct route *r, TSNode n, int32_t i);

static bool is_listed(struct slice word, struct slice list)
{
    for (size_t at = 0; at < list.len;) {
        const char *blank = memchr(list.s + at, ' ', list.len - at);
        size_t n = blank ? (size_t)(blank - list.s) - at : list.len - at;
        if (n && n == word.len && !memcmp(list.s + at, word.s, n))
            return true;
        at += n + 1;
    }
    return false;
}

static bool is_self(const struct source_syntax *s, TSNode n)
{
    return slice_is(python_slice(s->text, n), "self");
}

static const struct binding *binding_at(const struct source_syntax *s, TSNode name,
                                        uint32_t byte)
{
    int32_t place = source_place_at(s->facts, byte);
    const struct binding *b = binding_of(s, python_slice(s->text, name), place, byte);
    return b && b->byte <= byte ? b : NULL;
}

static const struct binding *layer_binding(const struct source_syntax *s, TSNode callee)
{
    if (python_node(callee) != PY_attribute ||
        !is_self(s, python_field(callee, FIELD_object)))
        return NULL;
    return binding_of_self(
        s, python_slice(s->text, python_field(callee, FIELD_attribute)),
        source_place_at(s->facts, ts_node_start_byte(callee)), UINT32_MAX);
}

/* "softmax" of F.softmax, x.softmax, self.attn_softmax and nn.Softmax(dim=-1). */
static struct slice name_of_call(const struct source_syntax *s, TSNode call)
{
    TSNode callee = python_field(call, FIELD_function);
    if (python_node(callee) == PY_call)
        callee = python_field(callee, FIELD_function);
    if (python_node(callee) != PY_attribute)
        return python_slice(s->text, callee);
    struct slice name = python_slice(s->text, python_field(callee, FIELD_attribute));
    const char *last = memrchr(name.s, '_', name.len);
    if (is_self(s, python_field(callee, FIELD_object)) && last && last > name.s)
        return (struct slice){last + 1, name.len - (size_t)(last + 1 - name.s)};
    return name;
}

/* The dimension that a reduction is over, as a text; "" where none is given. */
static struct slice axis_of(const struct source_syntax *s, TSNode call)
{
    TSNode callee = python_field(call, FIELD_function),
           arguments = python_field(call, FIELD_arguments);
    const struct binding *layer = layer_binding(s, callee);
    uint32_t at = 0;
    char full[FULL_NAME_MAX];
    full_name(s, callee, full, sizeof full);
    if (python_node(callee) == PY_call)
        arguments = python_field(callee, FIELD_arguments);
    else if (layer)
        arguments = python_field(layer->value, FIELD_arguments);
    else if (!strncmp(full, "torch.", 6))
        at = 1;
    TSNode dim = argument_named(s, arguments, "dim");
    if (ts_node_is_null(dim))
        dim = argument_named(s, arguments, "axis");
    return python_slice(s->text, ts_node_is_null(dim) ? argument_at(arguments, at) : dim);
}

/* What reduces does so over the last dimension, as far as can be seen. */
static bool fits_axis(const struct source_syntax *s, TSNode call, struct slice name)
{
    static const char reductions[] = "softmax Softmax mean var";
    if (!is_listed(name, (struct slice){reductions, sizeof reductions - 1}))
        return true;
    struct slice axis = axis_of(s, call);
    if (name.s[0] == 's' || name.s[0] == 'S')
        return !slice_is(axis, "0") && !slice_is(axis, "1");
    static const char last[] = "-1 2 3 (-1,) [-1] (-1)";
    return is_listed(axis, (struct slice){last, sizeof last - 1});
}

/* One step back from a node whose operation has this name, to one of its inputs. */
static bool follow_inputs(struct route *r, const TSNode *inputs, int n, struct slice name,
                          int32_t i, bool fits)
{
    bool goal = fits && is_listed(name, r->p->arguments[i + 1].text);
    if (goal && i + 2 >= r->p->n)
        return true;
    if (!goal && !is_listed(name, r->p->arguments[i].text))
        return false;
    for (int k = 0; k < n; k++)
        if (follow(r, inputs[k], goal ? i + 2 : i))
            return true;
    return false;
}

static bool follow_call(struct route *r, TSNode n, int32_t i)
{
    TSNode callee = python_field(n, FIELD_function),
           arguments = python_field(n, FIELD_arguments);
    TSNode inputs[INPUTS_MAX];
    int count = 0;
    char full[FULL_NAME_MAX];
    struct slice name = name_of_call(r->s, n);
    full_name(r->s, python_field(callee, FIELD_object), full, sizeof full);
    bool imported =
        *full &&
        !slice_is(python_slice(r->s->text, python_field(callee, FIELD_object)), full);
    bool method = python_node(callee) == PY_attribute && !imported &&
                  strncmp(full, "torch", 5) != 0 && strncmp(full, "self", 4) != 0;
    if (method || (python_node(callee) == PY_attribute && !strncmp(full, "self.", 5) &&
                   ts_node_is_null(argument_at(arguments, 0))))
        inputs[count++] = python_field(callee, FIELD_object);
    for (uint32_t k = 0; count < INPUTS_MAX; k++) {
        TSNode a = argument_at(arguments, k);
        if (ts_node_is_null(a))
            break;
        inputs[count++] = a;
    }
    return follow_inputs(r, inputs, count, name, i, fits_axis(r->s, n, name));
}

static bool follow_operator(struct route *r, TSNode n, int32_t i)
{
    TSNode inputs[] = {python_field(n, FIELD_left), python_field(n, FIELD_right)};
    struct slice name = python_slice(r->s->text, python_field(n, FIELD_operator));
    return follow_inputs(r, inputs, 2, name, i, true);
}

static bool follow_attribute(struct route *r, TSNode n, int32_t i)
{
    TSNode inputs[] = {python_field(n, FIELD_object)};
    return follow_inputs(r, inputs, 1,
                         python_slice(r->s->text, python_field(n, FIELD_attribute)), i,
                         true);
}

/* To the value of a name; x += y is x and y by the operator. */
static bool follow_binding(struct route *r, TSNode name, uint32_t byte, int32_t i)
{
    const struct binding *b = binding_at(r->s, name, byte);
    if (!b || ts_node_is_null(b->value))
        return false;
    if (i == 1) {
        if (r->n_uses == NAMES_MAX)
            return false;
        r->uses[r->n_uses++] = (struct use){b, ts_node_start_byte(name)};
    }
    TSNode statement = python_parent(b->value);
    if (python_node(statement) != PY_augmented_assignment)
        return follow(r, b->value, i);
    struct slice operator=
        python_slice(r->s->text, python_field(statement, FIELD_operator));
    operator.len -= operator.len> 0; /* the "=" */
    return is_listed(operator, r->p->arguments[i].text) &&
           follow_binding(r, python_field(statement, FIELD_left),
                          ts_node_start_byte(statement), i);
}

static bool follow(struct route *r, TSNode n, int32_t i)
{
    if (ts_node_is_null(n) || r->budget-- <= 0 || r->depth >= DEPTH_MAX)
        return false;
    bool found = false;
    r->depth++;
    switch (python_node(n)) {
    case PY_identifier:
        found = follow_binding(r, n, ts_node_start_byte(n), i);
        break;
    case PY_parenthesized_expression:
        found = follow(r, python_child(n, 0), i);
        break;
    case PY_conditional_expression:
        found = follow(r, python_child(n, 0), i) || follow(r, python_child(n, 2), i);
        break;
    case PY_subscript:
        found = is_listed((struct slice){"[]", 2}, r->p->arguments[i].text) &&
                follow(r, python_field(n, FIELD_value), i);
        break;
    case PY_call:
        found = follow_call(r, n, i);
        break;
    case PY_binary_operator:
        found = follow_operator(r, n, i);
        break;
    case PY_attribute:
        found = follow_attribute(r, n, i);
        break;
    default:
        break;
    }
    r->depth--;
    return found;
}

static TSNode function_around(TSNode n)
{
    while (!ts_node_is_null(n) && python_node(n) != PY_function_definition)
        n = python_parent(n);
    return n;
}

/* Asking for a shape, or whether there is a value, is no use of it. */
static bool only_asks(const struct source_syntax *s, TSNode name)
{
    TSNode around = python_parent(name);
    struct slice field = python_slice(s->text, python_field(around, FIELD_attribute));
    static const char facts[] = "shape size dtype device ndim dim requires_grad";
    return python_node(around) == PY_comparison_operator ||
           (field.len && is_listed(field, (struct slice){facts, sizeof facts - 1}));
}

static bool is_target(TSNode name)
{
    TSNode around = python_parent(name);
    return (python_node(around) == PY_assignment ||
            python_node(around) == PY_augmented_assignment) &&
           ts_node_eq(python_field(around, FIELD_left), name);
}

static bool is_on_route(const struct route *r, uint32_t byte)
{
    for (int i = 0; i < r->n_uses; i++)
        if (r->uses[i].byte == byte)
            return true;
    return false;
}

static bool uses_route(const struct route *r, TSNode name)
{
    uint32_t byte = ts_node_start_byte(name);
    struct slice text = python_slice(r->s->text, name);
    for (int i = 0; i < r->n_uses; i++)
        if (slice_equal(r->uses[i].of->name, text) && byte >= r->uses[i].of->byte &&
            !is_on_route(r, byte) && !is_target(name) && !only_asks(r->s, name) &&
            binding_at(r->s, name, byte) == r->uses[i].of)
            return true;
    return false;
}

/* Is a name of the route used within n for anything else? True also where n is too large
 * to tell. */
static bool used_elsewhere(const struct route *r, TSNode n, int *budget)
{
    if (--*budget < 0)
        return true;
    if (python_node(n) == PY_identifier)
        return uses_route(r, n);
    TSNode field = python_field(n, FIELD_object), name = python_field(n, FIELD_name);
    if (python_node(n) == PY_attribute)
        return used_elsewhere(r, field, budget);
    for (uint32_t i = 0; i < python_children(n); i++) {
        TSNode child = python_child(n, i);
        bool label = python_node(n) == PY_keyword_argument && ts_node_eq(child, name);
        if (!label && used_elsewhere(r, child, budget))
            return true;
    }
    return false;
}

bool condition_path(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    struct route r = {.s = m->syntax, .p = p, .budget = NODES_LOOKED_AT_MAX};
    if (p->n % 2 == 0 || !follow(&r, n, 1))
        return false;
    int budget = FUNCTION_NODES_MAX;
    TSNode function = function_around(n);
    return !r.n_uses ||
           (!ts_node_is_null(function) &&
            !used_elsewhere(&r, python_field(function, FIELD_body), &budget));
}

/* self.layer(x), where layer is made by torch.nn.Linear. */
struct application {
    struct slice layer, input;
    TSNode made, call;
};

static bool is_linear(const struct source_syntax *s, const struct binding *b)
{
    char full[FULL_NAME_MAX];
    full_name(s, python_field(b->value, FIELD_function), full, sizeof full);
    return !strcmp(full, "torch.nn.Linear");
}

static bool application_of(const struct source_syntax *s, TSNode call,
                           struct application *a)
{
    TSNode callee = python_field(call, FIELD_function),
           arguments = python_field(call, FIELD_arguments);
    const struct binding *b = layer_binding(s, callee);
    TSNode input = argument_at(arguments, 0);
    enum python_node kind = python_node(input);
    if (python_node(call) != PY_call || !b || python_children(arguments) != 1 ||
        (kind != PY_identifier && kind != PY_attribute && kind != PY_subscript))
        return false;
    *a = (struct application){
        python_slice(s->text, python_field(callee, FIELD_attribute)),
        python_slice(s->text, input), python_field(b->value, FIELD_arguments), call};
    for (int looked = 0; b; looked++) { /* made so on every way */
        if (looked == 4 || !is_linear(s, b))
            return false;
        b = b->previous >= 0 ? &s->bindings[b->previous] : NULL;
    }
    return true;
}

/* Equal arguments but for the width of the output, which may differ where `widths`. */
static bool made_alike(const struct source_syntax *s, TSNode a, TSNode b, bool widths)
{
    uint32_t n = python_children(a);
    if (n != python_children(b) || n < 2)
        return false;
    for (uint32_t i = 0; i < n; i++)
        if ((i != 1 || !widths) &&
            !slice_equal(python_slice(s->text, python_child(a, i)),
                         python_slice(s->text, python_child(b, i))))
            return false;
    return true;
}

/* Are two layers applied to one value, equally often? */
static bool share_input(const struct source_syntax *s, const struct application *a,
                        const struct application *b)
{
    if (!slice_equal(a->input, b->input) || slice_equal(a->layer, b->layer))
        return false;
    uint32_t at = ts_node_start_byte(a->call), other = ts_node_start_byte(b->call);
    TSNode x = argument_at(python_field(a->call, FIELD_arguments), 0),
           y = argument_at(python_field(b->call, FIELD_arguments), 0);
    while (python_node(x) == PY_subscript || python_node(x) == PY_attribute) {
        enum python_field inner =
            python_node(x) == PY_subscript ? FIELD_value : FIELD_object;
        x = python_field(x, inner);
        y = python_field(y, inner);
    }
    return source_place_at(s->facts, at) == source_place_at(s->facts, other) &&
           binding_at(s, x, at) == binding_at(s, y, other);
}

struct alike {
    const struct source_syntax *s;
    struct application first;
    struct application others[8];
    int n;
    bool earlier;
    int budget;
};

static void note_alike(struct alike *k, TSNode call)
{
    struct application a;
    if (!application_of(k->s, call, &a) || !share_input(k->s, &k->first, &a) ||
        !made_alike(k->s, k->first.made, a.made, true))
        return;
    for (int i = 0; i < k->n; i++)
        if (slice_equal(k->others[i].layer, a.layer))
            return;
    if (k->n < 8)
        k->others[k->n++] = a;
    k->earlier |= ts_node_start_byte(call) < ts_node_start_byte(k->first.call);
}

static void find_alike(struct alike *k, TSNode n)
{
    if (ts_node_is_null(n) || --k->budget < 0 || python_node(n) == PY_function_definition)
        return;
    if (python_node(n) == PY_call)
        note_alike(k, n);
    for (uint32_t i = 0; i < python_children(n); i++)
        find_alike(k, python_child(n, i));
}

/* Keys and values are as wide as each other; heads of different kinds are not. */
static bool two_are_equal(const struct alike *k)
{
    for (int i = 0; i < k->n; i++) {
        if (made_alike(k->s, k->first.made, k->others[i].made, false))
            return true;
        for (int j = 0; j < i; j++)
            if (made_alike(k->s, k->others[j].made, k->others[i].made, false))
                return true;
    }
    return false;
}

bool layers_alike(const struct source_syntax *s, TSNode call, int least)
{
    struct alike k = {.s = s, .budget = FUNCTION_NODES_MAX};
    TSNode function = function_around(call);
    if (ts_node_is_null(function) || !application_of(s, call, &k.first))
        return false;
    find_alike(&k, python_field(function, FIELD_body));
    return k.n + 1 >= least && !k.earlier && k.budget >= 0 && two_are_equal(&k);
}

/* The value of a name, as long as it is one. */
static TSNode behind_names(const struct source_syntax *s, TSNode n)
{
    static const TSNode none = {0};
    for (int deep = 0; deep < 4; deep++) {
        if (python_node(n) == PY_parenthesized_expression) {
            n = python_child(n, 0);
        } else if (python_node(n) == PY_identifier) {
            const struct binding *b = binding_at(s, n, ts_node_start_byte(n));
            n = b ? b->value : none;
        } else {
            break;
        }
    }
    return n;
}

static bool activation_of(const struct source_syntax *s, TSNode n, struct application *a)
{
    TSNode call = behind_names(s, n), arguments = python_field(call, FIELD_arguments);
    TSNode callee = python_field(call, FIELD_function), input = argument_at(arguments, 0);
    if (!name_has_word(name_of_call(s, call),
                       "silu swish gelu relu sigmoid tanh act activation fn nonlinearity "
                       "hardswish elu mish nonlin"))
        return false;
    if (ts_node_is_null(input)) /* self.gate(x).sigmoid() */
        input = python_field(callee, FIELD_object);
    return application_of(s, behind_names(s, input), a);
}

bool value_is_gated(const struct source_syntax *s, TSNode left, TSNode right)
{
    struct application gate, up;
    bool found =
        (activation_of(s, left, &gate) &&
         application_of(s, behind_names(s, right), &up)) ||
        (activation_of(s, right, &gate) && application_of(s, behind_names(s, left), &up));
    return found && share_input(s, &gate, &up) &&
           made_alike(s, gate.made, up.made, false);
}

/* x.unsqueeze(1).repeat(1, n, 1): copies along the new dimension alone. */
bool repeats_new_dimension(const struct source_syntax *s, TSNode call)
{
    enum { DIMENSIONS_MAX = 8 };
    TSNode callee = python_field(call, FIELD_function),
           made = python_field(callee, FIELD_object),
           maker = python_field(made, FIELD_function),
           counts = python_field(call, FIELD_arguments),
           at = argument_at(python_field(made, FIELD_arguments), 0);
    if (!slice_is(python_slice(s->text, python_field(callee, FIELD_attribute)),
                  "repeat") ||
        !slice_is(python_slice(s->text, python_field(maker, FIELD_attribute)),
                  "unsqueeze"))
        return false;
    int n = (int)python_children(counts);
    struct slice text = python_slice(s->text, at);
    bool from_end = text.len == 2 && text.s[0] == '-';
    if (n > DIMENSIONS_MAX || text.len != 1u + from_end)
        return false;
    int new = text.s[from_end] - '0';
    new = from_end ? n - new : new;
    for (int i = 0; i < n; i++)
        if (i != new &&
            !slice_is(python_slice(s->text, argument_at(counts, (uint32_t)i)), "1"))
            return false;
    return new >= 0 && new < n;
}
#endif
