/*
 * Where values go: which hold a graph for backward, which are backpropagated, which a
 * simulator is given. An expression is followed through the names it is made of, at most
 * BUDGET nodes of it.
 */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <string.h>

enum { BUDGET = 200, DEPTH_MAX = 24 };

enum graph { GRAPH_NONE, GRAPH_UNKNOWN, GRAPH_KEPT };

struct pursuit {
    const struct source_syntax *s;
    int budget, depth;
};

static int32_t place_of(const struct source_syntax *s, TSNode n)
{
    return source_place_at(s->facts, ts_node_start_byte(n));
}

static bool same_span(TSNode a, TSNode b)
{
    return ts_node_start_byte(a) == ts_node_start_byte(b) &&
           python_end(a) == python_end(b);
}

/* Is n computed from this node, or from the text of `name`, ""? */
static bool computed_from(struct pursuit *p, TSNode n, struct slice name, TSNode part)
{
    if (ts_node_is_null(n) || p->budget-- <= 0 || p->depth >= DEPTH_MAX)
        return false;
    if (!ts_node_is_null(part) && same_span(n, part))
        return true;
    enum python_node kind = python_node(n);
    struct slice text = python_slice(p->s->text, n);
    bool named = kind == PY_identifier || kind == PY_attribute || kind == PY_subscript;
    if (named && name.len && slice_equal(text, name))
        return true;
    bool found = false;
    p->depth++;
    if (kind == PY_identifier) {
        int32_t place = place_of(p->s, n);
        const struct binding *b = binding_of(p->s, text, place, ts_node_start_byte(n));
        for (; b && !found && p->budget > 0;
             b = b->previous >= 0 ? &p->s->bindings[b->previous] : NULL)
            found = computed_from(p, b->value, name, part);
    }
    for (uint32_t i = 0; !found && i < python_children(n) && i < 32; i++)
        found = computed_from(p, python_child(n, i), name, part);
    p->depth--;
    return found;
}

/* A local name lives in its function, a field in its class. */
static bool same_scope(const struct source_facts *f, int32_t a, int32_t b, bool field)
{
    return field ? source_class_of(f, a) == source_class_of(f, b)
                 : source_function_of(f, a) == source_function_of(f, b);
}

static bool reaches_backward(const struct source_syntax *s, TSNode n)
{
    enum { GRADIENTS_MAX = 64 };
    static const TSNode none = {0};
    int32_t place = place_of(s, n);
    bool field = python_node(n) != PY_identifier;
    for (size_t i = 0; i < s->n_gradients && i < GRADIENTS_MAX; i++) {
        struct pursuit p = {.s = s, .budget = BUDGET};
        if (same_scope(s->facts, place, s->gradients[i].place, field) &&
            computed_from(&p, s->gradients[i].of, python_slice(s->text, n), none))
            return true;
    }
    return false;
}

bool condition_backpropagated(const struct match *m, const struct predicate *p)
{
    return reaches_backward(m->syntax, match_node(m, &p->arguments[0]));
}

/* (#drives-simulator? @a): env.step() gets it, in the same function; or the function
 * around is one that chooses an action. */
bool condition_drives_simulator(const struct match *m, const struct predicate *p)
{
    enum { ACTIONS_MAX = 32 };
    const struct source_syntax *s = m->syntax;
    TSNode n = match_node(m, &p->arguments[0]);
    int32_t fn = source_function_of(s->facts, place_of(s, n));
    const char *name = fn < 0 ? "" : s->facts->functions[fn].name;
    if (name_has_word((struct slice){name, strlen(name)}, "act action actions"))
        return true;
    for (size_t i = 0; i < s->n_actions && i < ACTIONS_MAX; i++) {
        struct pursuit q = {.s = s, .budget = BUDGET};
        if (source_function_of(s->facts, s->actions[i].place) == fn &&
            computed_from(&q, s->actions[i].of, (struct slice){"", 0}, n))
            return true;
    }
    return false;
}

/* What ends a graph: the values behind it are numbers, indices or copies without one. */
static bool cuts_graph(struct slice name)
{
    static const char *const list[] = {
        "detach",  "item",  "tolist",   "numpy",   "data",  "argmax", "argmin",
        "argsort", "eq",    "ne",       "gt",      "lt",    "ge",     "le",
        "long",    "int",   "bool",     "byte",    "size",  "numel",  "dim",
        "isnan",   "isinf", "isfinite", "nonzero", "topk",  "len",    "one_hot",
        "max",     "sort",  "grad",     "shape",   "dtype", "device"};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (slice_is(name, list[i]))
            return true;
    return false;
}

static enum graph graph_of(struct pursuit *p, TSNode n);

/* What backward starts from is computed from weights, counts and masks as well: of names
 * that nothing else tells about, only a loss surely has a graph, or what is shown to be
 * a tensor that a call made. */
static bool is_part_of_loss(const struct source_syntax *s, TSNode n, struct slice name)
{
    uint32_t byte = ts_node_start_byte(n);
    const struct binding *b = python_node(n) == PY_identifier
                                  ? binding_of(s, name, place_of(s, n), byte)
                                  : NULL;
    bool computed = b && b->kind == KIND_TENSOR && python_node(b->value) == PY_call;
    return (computed || name_has_word(name, "loss losses nll elbo objective")) &&
           reaches_backward(s, n);
}

static enum graph graph_of_parts(struct pursuit *p, TSNode n)
{
    enum graph most = GRAPH_NONE;
    for (uint32_t i = 0; i < python_children(n) && i < 32 && most < GRAPH_KEPT; i++) {
        TSNode part = python_child(n, i);
        if (python_node(part) == PY_keyword_argument)
            part = python_field(part, FIELD_value);
        enum graph g = graph_of(p, part);
        most = g > most ? g : most;
    }
    return most;
}

static enum graph graph_of_name(struct pursuit *p, TSNode n)
{
    const struct source_syntax *s = p->s;
    uint32_t byte = ts_node_start_byte(n);
    const struct binding *b =
        binding_of(s, python_slice(s->text, n), place_of(s, n), byte);
    if (!b || b->kind == KIND_NUMBER || b->kind == KIND_ARRAY || b->kind == KIND_HOST ||
        source_without_grad(s->facts, b->place))
        return GRAPH_NONE;
    enum graph g = b->byte <= byte && !ts_node_is_null(b->value) ? graph_of(p, b->value)
                                                                 : GRAPH_UNKNOWN;
    return g == GRAPH_UNKNOWN && is_part_of_loss(s, n, python_slice(s->text, n))
               ? GRAPH_KEPT
               : g;
}

/* metric_fn(x), accuracy(x): may return anything. */
static bool may_return_number(struct slice name)
{
    return name_has_word(name, "metric metrics acc accuracy score psnr ssim iou dice") ||
           (name_has_word(name, "fn func fct function") && !name_has_word(name, "loss"));
}

static enum graph graph_of_call(struct pursuit *p, TSNode n)
{
    TSNode callee = python_field(n, FIELD_function),
           arguments = python_field(n, FIELD_arguments);
    char full[FULL_NAME_MAX];
    full_name(p->s, callee, full, sizeof full);
    bool method = python_node(callee) == PY_attribute;
    struct slice name = python_called(p->s->text, n);
    if (cuts_graph(name))
        return GRAPH_NONE;
    if (value_kind(p->s, n) == KIND_NUMBER)
        return GRAPH_NONE;
    if (source_without_grad(p->s->facts, place_of(p->s, n)))
        return GRAPH_NONE;
    if (value_kind(p->s, callee) == KIND_MODULE)
        return may_return_number(name) ? GRAPH_UNKNOWN : GRAPH_KEPT;
    if (!strncmp(full, "torch.", 6) || (!method && slice_is(name, "sum")))
        return graph_of_parts(p, arguments);
    enum graph of =
        method ? graph_of(p, python_field(callee, FIELD_object)) : GRAPH_UNKNOWN;
    bool of_object = value_kind(p->s, python_field(callee, FIELD_object)) == KIND_UNKNOWN;
    return of == GRAPH_NONE && of_object ? GRAPH_UNKNOWN : of; /* self.encode(x) */
}

static enum graph graph_inside(struct pursuit *p, TSNode n)
{
    struct slice name;
    switch (python_node(n)) {
    case PY_identifier:
        return graph_of_name(p, n);
    case PY_call:
        return graph_of_call(p, n);
    case PY_attribute:
        name = python_slice(p->s->text, python_field(n, FIELD_attribute));
        if (cuts_graph(name))
            return GRAPH_NONE;
        return is_part_of_loss(p->s, n, name)
                   ? GRAPH_KEPT
                   : graph_of(p, python_field(n, FIELD_object));
    case PY_subscript:
        return graph_of(p, python_field(n, FIELD_value));
    case PY_binary_operator:
    case PY_unary_operator:
    case PY_parenthesized_expression:
    case PY_conditional_expression:
    case PY_list:
    case PY_tuple:
        return graph_of_parts(p, n);
    default:
        return GRAPH_NONE;
    }
}

static enum graph graph_of(struct pursuit *p, TSNode n)
{
    if (ts_node_is_null(n) || p->budget-- <= 0 || p->depth >= DEPTH_MAX)
        return GRAPH_UNKNOWN;
    p->depth++;
    enum graph g = graph_inside(p, n);
    p->depth--;
    return g;
}

bool condition_has_graph(const struct match *m, const struct predicate *p)
{
    struct pursuit q = {.s = m->syntax, .budget = BUDGET};
    return graph_of(&q, match_node(m, &p->arguments[0])) == GRAPH_KEPT;
}

/* The loop around a place that takes steps itself, and not as a loop of epochs; -1. */
static int32_t step_around(const struct source_facts *f, int32_t place)
{
    for (int32_t loop = source_loop_of(f, place); loop >= 0;
         loop = source_loop_of(f, f->places[loop].parent))
        if (source_loop_trains(&f->places[loop]) && !f->places[loop].counts_epochs)
            return loop;
    return -1;
}

static bool holds_byte(const struct source_place *p, uint32_t byte)
{
    return p->begin < byte && byte <= p->end;
}

/* (#outlives-step? @total): a name that is set before all loops that take steps, to a
 * number, list or tensor, and not set again in them, under whatever branch. */
bool condition_outlives_step(const struct match *m, const struct predicate *p)
{
    const struct source_syntax *s = m->syntax;
    const struct source_facts *f = s->facts;
    TSNode n = match_node(m, &p->arguments[0]);
    while (python_node(n) == PY_subscript)
        n = python_field(n, FIELD_value);
    int32_t place = place_of(s, n), loop = source_loop_of(f, place);
    if (python_node(n) != PY_identifier || loop < 0)
        return false;
    const struct binding *b = binding_of(s, python_slice(s->text, n), place, UINT32_MAX);
    bool before = false;
    for (; b; b = b->previous >= 0 ? &s->bindings[b->previous] : NULL) {
        if (python_node(python_parent(b->value)) == PY_augmented_assignment)
            continue;
        bool within = holds_byte(&f->places[loop], b->byte);
        bool in_step = step_around(f, b->place) >= 0;
        if (within || in_step)
            return false;
        if (ts_node_is_null(b->value) || value_kind(s, b->value) == KIND_UNKNOWN)
            return false; /* a parameter, a queue of limited length: who knows */
        before = true;
    }
    return before;
}

bool value_may_have_graph(const struct source_syntax *s, TSNode n)
{
    struct pursuit q = {.s = s, .budget = BUDGET};
    return graph_of(&q, n) != GRAPH_NONE;
}
#endif
