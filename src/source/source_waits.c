/* Work and waits of a file, found once when a rule first asks for them. */
#ifdef GAIT_TREE_SITTER
#include "source/source_waits.h"

#include "base/mem.h"
#include "source/source_calls.h"

#include <stdlib.h>
#include <string.h>

enum { CLIMB_MAX = 60, EVENTS_MAX = 100000, FUNCTIONS_MAX = 4000, BODY_MAX = 20000 };

/* --- work that takes long --- */

static bool asks_for_nan(struct slice text)
{
    enum { TEXT_MAX = 4000 };
    return text.len < TEXT_MAX &&
           (slice_has(text, "isnan(") || slice_has(text, "isfinite(") ||
            slice_has(text, "isinf("));
}

/* Looked at once: bodies may lie within each other. */
static const struct wait_function *function_at(const struct source_syntax *s, size_t i)
{
    enum { CHECK_MAX = 600 }; /* what does more is more than a check */
    const struct source_facts *f = s->facts;
    struct wait_function *fn = &s->waits->function[i];
    if (fn->asked)
        return fn;
    const struct source_place *p = &f->places[f->functions[i].place];
    struct slice body = {s->text + p->begin, p->end - p->begin};
    fn->asked = true;
    fn->works = body.len > BODY_MAX || slice_has(body, "backward(") ||
                slice_has(body, "forward(");
    fn->checks = body.len < CHECK_MAX && asks_for_nan(body) &&
                 (slice_has(body, "raise") || slice_has(body, "exit("));
    return fn;
}

/* A function of this file that goes through a model, or back. */
static bool own_function_works(const struct source_syntax *s, struct slice name)
{
    const struct source_facts *f = s->facts;
    for (size_t i = 0; i < f->n_functions && i < FUNCTIONS_MAX; i++)
        if (slice_is(name, f->functions[i].name) && function_at(s, i)->works)
            return true;
    return false;
}

/* loss_scaler(loss, optimizer): backward and step in one. */
static bool is_whole_step(const struct source_syntax *s, TSNode arguments)
{
    TSNode loss = argument_at(arguments, 0), optimizer = argument_at(arguments, 1);
    return !ts_node_is_null(optimizer) && python_node(loss) == PY_identifier &&
           name_has_word(python_slice(s->text, loss), "loss") &&
           value_kind(s, optimizer) == KIND_OPTIMIZER;
}

/* Net().cuda() looks like a tensor, but a tensor cannot be called. */
static bool is_module(const struct source_syntax *s, TSNode callee)
{
    bool own =
        python_node(callee) == PY_identifier ||
        slice_is(python_slice(s->text, python_field(callee, FIELD_object)), "self");
    enum value_kind kind = value_kind(s, callee);
    return kind == KIND_MODULE || (own && kind == KIND_TENSOR);
}

/* A model called; a loss function or a measure is a few small operations. */
static bool calls_model(const struct source_syntax *s, TSNode callee)
{
    return (is_module(s, callee) &&
            !name_has_word(
                python_last_name(s->text, callee),
                "criterion crit loss losses metric metrics acc accuracy fn")) ||
           slice_is(python_slice(s->text, callee), "self");
}

static bool is_long_work(const struct source_syntax *s, TSNode call)
{
    TSNode callee = python_field(call, FIELD_function),
           arguments = python_field(call, FIELD_arguments);
    struct slice name = python_last_name(s->text, callee);
    char full[FULL_NAME_MAX] = "";
    if (slice_is(name, "grad"))
        full_name(s, callee, full, sizeof full);
    bool trains = name_has_word(name, "train training") && !slice_is(name, "train") &&
                  !name_has_word(name, "loss losses log");
    if (name_has_word(name, "backward forward") || !strcmp(full, "torch.autograd.grad") ||
        calls_model(s, callee) || is_whole_step(s, arguments) ||
        (trains && python_children(arguments)))
        return true;
    if (slice_is(name, "step") &&
        value_kind(s, python_field(callee, FIELD_object)) == KIND_OPTIMIZER)
        return !ts_node_is_null(argument_at(arguments, 0)); /* a closure: passes */
    return own_function_works(s, name);
}

/* --- waits that stay --- */

/* GradScaler.step() reads whether a gradient is infinite. */
static bool is_scaler_step(const struct source_syntax *s, TSNode call)
{
    TSNode callee = python_field(call, FIELD_function),
           object = python_field(callee, FIELD_object),
           optimizer = argument_at(python_field(call, FIELD_arguments), 0);
    if (!slice_is(python_last_name(s->text, callee), "step") ||
        ts_node_is_null(optimizer) ||
        !name_has_word(python_last_name(s->text, object), "scaler"))
        return false;
    uint32_t byte = ts_node_start_byte(object);
    int32_t place = source_place_at(s->facts, byte);
    const struct binding *b =
        python_node(object) == PY_identifier
            ? binding_of(s, python_last_name(s->text, object), place, byte)
            : binding_of_self(s, python_last_name(s->text, object), place, byte);
    TSNode made = b ? python_field(b->value, FIELD_arguments) : object;
    TSNode enabled = b ? argument_named(s, made, "enabled") : (TSNode){0};
    return ts_node_is_null(enabled) || source_is_true_by_default(s, enabled);
}

/* A function of this file that stops the program for what is not finite. */
static bool is_check(const struct source_syntax *s, struct slice name)
{
    const struct source_facts *f = s->facts;
    for (size_t i = 0; i < f->n_functions && i < FUNCTIONS_MAX; i++)
        if (slice_is(name, f->functions[i].name) && function_at(s, i)->checks)
            return true;
    return false;
}

/* Is an expression part of the condition of an if, a while or an assert? */
static bool is_asked(TSNode n)
{
    for (int i = 0; i < CLIMB_MAX && !ts_node_is_null(n); i++) {
        TSNode up = python_parent(n);
        enum python_node kind = python_node(up);
        TSNode condition = python_field(up, FIELD_condition);
        if (!ts_node_is_null(condition) && ts_node_eq(condition, n))
            return true;
        if (!strcmp(python_type(up), "assert_statement"))
            return true;
        if (kind == PY_block || kind == PY_function_definition ||
            kind == PY_expression_statement || kind == PY_lambda)
            return false;
        n = up;
    }
    return false;
}

/* if isnan(loss): …, or a function that asks and raises. */
static bool is_finite_check(const struct source_syntax *s, TSNode call)
{
    static const char *const asks[] = {"isnan", "isfinite", "isinf", NULL};
    struct slice name = python_called(s->text, call);
    TSNode arguments = python_field(call, FIELD_arguments);
    if (!slice_is_any(name, asks))
        return python_children(arguments) && is_check(s, name);
    TSNode first = argument_at(arguments, 0);
    char full[FULL_NAME_MAX];
    full_name(s, python_field(call, FIELD_function), full, sizeof full);
    enum value_kind of = value_kind(s, first);
    if (!strncmp(full, "numpy.", 6)) /* else it asks for what was read */
        return of == KIND_TENSOR && value_shown(s, first) && is_asked(call);
    if (!strncmp(full, "math.", 5))
        return of == KIND_TENSOR && is_asked(call);
    bool on_host = of == KIND_ARRAY || (of == KIND_HOST && python_node(first) != PY_call);
    return !on_host && is_asked(call); /* torch.tensor(x.item()) was read for it */
}

/* nonzero(), unique(), masked_select(): the host needs the result's size. */
static bool is_counted_shape(const struct source_syntax *s, TSNode call)
{
    static const char *const counted[] = {
        "nonzero", "unique", "unique_consecutive", "masked_select", "argwhere", NULL};
    TSNode callee = python_field(call, FIELD_function),
           first = argument_at(python_field(call, FIELD_arguments), 0);
    struct slice name = python_last_name(s->text, callee);
    char full[FULL_NAME_MAX];
    if (!slice_is_any(name, counted) && !slice_is(name, "where"))
        return false;
    full_name(s, callee, full, sizeof full);
    bool of_torch = !strncmp(full, "torch.", 6);
    TSNode value = of_torch ? first : python_field(callee, FIELD_object);
    if (!strcmp(full, "torch.where") &&
        python_children(python_field(call, FIELD_arguments)) == 1)
        return value_kind(s, first) == KIND_TENSOR;
    return slice_is_any(name, counted) && value_kind(s, value) == KIND_TENSOR;
}

/* x.item(), x.cpu(), int(x) of what is needed at once. */
static bool is_needed_read(const struct source_syntax *s, TSNode call)
{
    static const char *const reads[] = {"item", "tolist", "cpu", NULL};
    static const char *const numbers[] = {"int", "float", "bool", NULL};
    TSNode callee = python_field(call, FIELD_function);
    struct slice name = python_last_name(s->text, callee);
    bool method = python_node(callee) == PY_attribute && slice_is_any(name, reads);
    TSNode value = method ? python_field(callee, FIELD_object)
                          : argument_at(python_field(call, FIELD_arguments), 0);
    return (method ||
            (python_node(callee) == PY_identifier && slice_is_any(name, numbers))) &&
           value_kind(s, value) == KIND_TENSOR && value_shown(s, value) &&
           value_needed_now(s, call);
}

static bool is_staying_wait(const struct source_syntax *s, TSNode call)
{
    /* the time between two events is there once the device has reached the second */
    static const char *const always[] = {"barrier", "synchronize", "elapsed_time", NULL};
    struct slice name = python_called(s->text, call);
    bool scales_and_steps = is_whole_step(s, python_field(call, FIELD_arguments)) &&
                            name_has_word(name, "scaler");
    return is_scaler_step(s, call) || scales_and_steps || is_finite_check(s, call) ||
           is_counted_shape(s, call) || slice_is_any(name, always) ||
           is_needed_read(s, call);
}

/* Does Python go one way or the other by a value of the device? */
static bool chooses_by_device(const struct source_syntax *s, TSNode n, int depth)
{
    enum { DEPTH_MAX = 12 };
    if (depth > DEPTH_MAX || ts_node_is_null(n))
        return false;
    switch (python_node(n)) {
    case PY_parenthesized_expression:
    case PY_boolean_operator:
    case PY_not_operator:
        for (uint32_t i = 0; i < python_children(n); i++)
            if (chooses_by_device(s, python_child(n, i), depth + 1))
                return true;
        return false;
    case PY_call:
    case PY_comparison_operator:
    case PY_unary_operator:
    case PY_subscript:
        return value_kind(s, n) == KIND_TENSOR && value_shown(s, n);
    default:
        return false;
    }
}

/* A comparison, or what is made of such: mask[i], a & b, ~mask. */
static bool makes_mask(const struct source_syntax *s, TSNode n, int depth)
{
    static const char *const by[] = {"eq",    "ne",       "gt",          "lt",
                                     "ge",    "le",       "bool",        "isnan",
                                     "isinf", "isfinite", "logical_and", "logical_or",
                                     "byte",  "isin",     "logical_not", NULL};
    enum { DEPTH_MAX = 6 };
    if (ts_node_is_null(n) || depth > DEPTH_MAX)
        return false;
    struct slice op = python_slice(s->text, python_field(n, FIELD_operator));
    uint32_t byte = ts_node_start_byte(n);
    switch (python_node(n)) {
    case PY_comparison_operator:
        return true;
    case PY_call:
        return slice_is_any(python_called(s->text, n), by);
    case PY_unary_operator:
        return slice_is(op, "~") || makes_mask(s, python_child(n, 0), depth + 1);
    case PY_parenthesized_expression:
        return makes_mask(s, python_child(n, 0), depth + 1);
    case PY_binary_operator:
        return (slice_is(op, "&") || slice_is(op, "|")) &&
               makes_mask(s, python_field(n, FIELD_left), depth + 1);
    case PY_subscript:
        return makes_mask(s, python_field(n, FIELD_value), depth + 1);
    case PY_identifier: {
        const struct binding *b = binding_of(s, python_slice(s->text, n),
                                             source_place_at(s->facts, byte), byte);
        return b && b->byte <= byte && makes_mask(s, b->value, depth + 1);
    }
    default:
        return false;
    }
}

/* weight[mask] of a layer: a tensor, whatever has the layer. */
static bool is_weight(const struct source_syntax *s, TSNode n)
{
    static const char *const names[] = {"weight", "bias", "data", NULL};
    return python_node(n) == PY_attribute &&
           slice_is_any(python_slice(s->text, python_field(n, FIELD_attribute)), names);
}

/* x[mask] = y, x[mask] = y[mask] */
static bool takes_tensor(const struct source_syntax *s, TSNode assignment)
{
    TSNode right = python_field(assignment, FIELD_right);
    return value_kind(s, right) == KIND_TENSOR ||
           (python_node(right) == PY_subscript &&
            makes_mask(s, python_field(right, FIELD_subscript), 0));
}

/* x[x > 0], x[mask] where the mask is a comparison: the host needs the number of its hits.
 * x[mask] = 0 does not, x[mask] = y does. */
static bool is_masked(const struct source_syntax *s, TSNode n)
{
    TSNode value = python_field(n, FIELD_value), up = python_parent(n);
    TSNode index = python_field(n, FIELD_subscript), left = python_field(up, FIELD_left);
    bool target = python_node(up) != PY_binary_operator && !ts_node_is_null(left) &&
                  ts_node_eq(left, n);
    enum value_kind by = value_kind(s, index), of = value_kind(s, value);
    bool on_device = of == KIND_TENSOR || (of == KIND_UNKNOWN && is_weight(s, value));
    if (!on_device || (by != KIND_TENSOR && by != KIND_HOST) ||
        (target && !takes_tensor(s, up)))
        return false;
    return makes_mask(s, index, 0);
}

/* --- all of a file --- */

static void add(struct wait_events *w, const struct source_syntax *s, TSNode n, bool work)
{
    if (w->n >= EVENTS_MAX)
        return;
    vec_grow(w->event, w->cap, w->n + 1);
    w->event[w->n++] = (struct wait_event){
        .at = python_end(n),
        .place = source_place_at(s->facts, ts_node_start_byte(n)),
        .is_work = work,
    };
}

static void look_at(struct wait_events *w, const struct source_syntax *s,
                    const struct python_row *row)
{
    TSNode n = row->node, condition;
    switch (python_node_of_symbol(row->symbol)) {
    case PY_if_statement:
    case PY_elif_clause:
    case PY_while_statement:
        condition = python_field(n, FIELD_condition);
        if (chooses_by_device(s, condition, 0))
            add(w, s, condition, false);
        break;
    case PY_conditional_expression:
        if (chooses_by_device(s, python_child(n, 1), 0))
            add(w, s, python_child(n, 1), false);
        break;
    case PY_subscript:
        if (is_masked(s, n))
            add(w, s, n, false);
        break;
    default:
        break;
    }
}

static int compare_events(const void *a, const void *b)
{
    const struct wait_event *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

const struct wait_events *wait_events_of(const struct source_syntax *s)
{
    struct wait_events *w = s->waits;
    if (w->found)
        return w;
    w->found = true;
    w->function = mem_zalloc(s->facts->n_functions + 1, sizeof *w->function);
    for (size_t i = 0; i < s->n_calls && !work_limit_is_over(s->limit); i++) {
        if (is_long_work(s, s->calls[i]))
            add(w, s, s->calls[i], true);
        if (is_staying_wait(s, s->calls[i]))
            add(w, s, s->calls[i], false);
    }
    for (size_t i = 0; i < s->nodes.n && !work_limit_is_over(s->limit); i++)
        look_at(w, s, &s->nodes.rows[i]);
    if (w->n)
        qsort(w->event, w->n, sizeof *w->event, compare_events);
    wait_stretches_find(s, w);
    return w;
}

void wait_events_free(struct wait_events *w)
{
    if (w) {
        mem_free(w->event);
        mem_free(w->function);
    }
    mem_free(w);
}
#endif
