/*
 * One pass over the tree, in the order of the text, with a cursor and a stack: makes the
 * places, functions, classes, bindings and links of source_facts.h.
 */
#ifdef GAIT_TREE_SITTER
#include "base/mem.h"
#include "source/source_calls.h"
#include "source/source_match.h"
#include "source/source_options.h"
#include "source/source_syntax.h"
#include "source/source_waits.h"

#include <stdio.h>
#include <string.h>

struct level {
    TSNode node;
    int32_t row;   /* in the syntax's nodes */
    int32_t place; /* where this node runs */
    int32_t body;  /* the place that its body is, -1: none, or not reached yet */
    bool skipped;  /* a block: most turns have left it before its next statement */
};

/* A name that was looked at already, and what it speaks of. */
struct seen_name {
    struct slice name;
    unsigned mentions;
};
enum { SEEN_NAMES = 512 };

struct walk {
    struct source_syntax *s;
    const struct source_query *query;
    struct level *stack;
    size_t depth, cap;
    struct seen_name *seen; /* (SEEN_NAMES) */
};

static int32_t add_place(struct walk *w, enum place_kind kind, int32_t parent, TSNode n)
{
    struct source_facts *f = w->s->facts;
    vec_grow(f->places, f->cap_places, f->n_places + 1);
    f->places[f->n_places] = (struct source_place){
        .kind = kind,
        .parent = parent,
        .line = python_line(n),
        .begin = ts_node_start_byte(n),
        .end = python_end(n),
        .row = -1,
    };
    return (int32_t)f->n_places++;
}

static const char *keep(struct walk *w, TSNode n)
{
    struct slice s = python_slice(w->s->text, n);
    return arena_strndup(&w->s->facts->text, s.s, s.len < 120 ? s.len : 120);
}

/* b: all but the name and the scope. */
static void bind(struct walk *w, TSNode target, struct binding b)
{
    struct source_syntax *s = w->s;
    if (python_node(target) == PY_subscript)
        binding_note_change(s, target, b.place);
    if (python_node(target) == PY_identifier) {
        b.name = python_slice(s->text, target);
        b.scope = source_function_of(s->facts, b.place);
        binding_add(s, b);
    } else if (python_node(target) == PY_attribute &&
               slice_is(python_slice(s->text, python_field(target, FIELD_object)),
                        "self")) {
        b.name = python_slice(s->text, python_field(target, FIELD_attribute));
        int32_t owner = source_class_of(s->facts, b.place);
        b.scope = SCOPE_CLASS(owner);
        if (owner >= 0)
            binding_add(s, b);
    }
}

/* What a name becomes that gets this value. */
static struct binding binding_to(const struct walk *w, TSNode value, int32_t place,
                                 uint32_t byte)
{
    return (struct binding){.byte = byte,
                            .place = place,
                            .kind = value_kind(w->s, value),
                            .shown = value_shown(w->s, value),
                            .value = value};
}

static bool is_pattern(enum python_node kind)
{
    return kind == PY_pattern_list || kind == PY_tuple_pattern || kind == PY_list_pattern;
}

/* What the names added since are parts of. */
static void note_whole(struct walk *w, size_t first, TSNode target, TSNode whole)
{
    struct source_syntax *s = w->s;
    for (size_t i = first; i < s->n_bindings; i++) {
        struct binding *b = &s->bindings[i];
        for (uint32_t k = 0; k < python_children(target) && k < 16; k++)
            if (slice_equal(b->name, python_slice(s->text, python_child(target, k)))) {
                b->whole = whole;
                b->item = (int32_t)k;
            }
    }
}

/* a, (b, c) = …: every name of a pattern gets the kind, none the value. */
static void bind_pattern(struct walk *w, TSNode target, struct binding b, int depth)
{
    enum { PATTERN_DEPTH_MAX = 8 };
    static const TSNode none = {0};
    b.value = none;
    if (!is_pattern(python_node(target))) {
        bind(w, target, b);
        return;
    }
    for (uint32_t i = 0; i < python_children(target) && i < 64; i++)
        if (depth < PATTERN_DEPTH_MAX)
            bind_pattern(w, python_child(target, i), b, depth + 1);
}

static void bind_each(struct walk *w, TSNode targets, TSNode values, int32_t place,
                      uint32_t byte)
{
    for (uint32_t i = 0; i < python_children(targets) && i < 64; i++)
        bind(w, python_child(targets, i),
             binding_to(w, python_child(values, i), place, byte));
}

static void note_assignment(struct walk *w, TSNode n, int32_t place)
{
    TSNode target = python_field(n, FIELD_left), value = python_field(n, FIELD_right);
    uint32_t end = python_end(n);
    if (ts_node_is_null(value))
        return;
    source_option_assigned(w->s, target, value);
    if (!is_pattern(python_node(target))) {
        struct binding b = binding_to(w, value, place, end);
        if (python_node(n) == PY_augmented_assignment) {
            enum value_kind old = value_kind(w->s, target);
            if (old == KIND_TENSOR || old == KIND_HOST)
                binding_note_change(w->s, target, place);
            b.shown |= value_shown(w->s, target);
            b.kind = b.kind == KIND_TENSOR || old == KIND_TENSOR ? KIND_TENSOR
                     : b.kind == KIND_NUMBER                     ? old
                                                                 : b.kind;
        }
        bind(w, target, b);
        return;
    }
    if (python_node(value) == PY_expression_list &&
        python_children(value) == python_children(target)) {
        bind_each(w, target, value, place, end);
        return;
    }
    struct binding b = binding_to(w, value, place, end);
    bool spreads = b.kind == KIND_TENSOR || b.kind == KIND_HOST || b.kind == KIND_ARRAY;
    /* x.shape unpacked gives numbers; a Python list may hold anything */
    bool shape = python_node(value) == PY_attribute || python_node(value) == PY_call;
    if (!spreads && !(b.kind == KIND_NUMBER && shape))
        b.kind = KIND_UNKNOWN;
    size_t first = w->s->n_bindings;
    bind_pattern(w, target, b, 0);
    note_whole(w, first, target, value);
}

/* dataset, self.trainset, enumerate(dataset): its samples lie on the host. */
static bool is_dataset(const struct walk *w, TSNode over)
{
    struct slice text = python_slice(w->s->text, over);
    return text.len < 100 &&
           name_has_word(text, "dataset datasets trainset testset valset");
}

static void note_loop_target(struct walk *w, TSNode target, TSNode over, int32_t place);

/* for a, b in zip(xs, ys): each as if it went over its own. */
static bool note_zipped(struct walk *w, TSNode target, TSNode over, int32_t place)
{
    TSNode arguments = python_field(over, FIELD_arguments);
    struct slice name = python_slice(w->s->text, python_field(over, FIELD_function));
    uint32_t n = python_children(target);
    if (!slice_is(name, "zip") || !is_pattern(python_node(target)) || n > 8)
        return false;
    TSNode all = python_child(arguments, 0);
    if (python_node(all) == PY_list_splat) { /* zip(*x.sort()) */
        enum value_kind kind = value_kind(w->s, python_child(all, 0));
        if (kind != KIND_HOST && kind != KIND_TENSOR)
            kind = KIND_UNKNOWN;
        bind_pattern(
            w, target,
            (struct binding){.byte = python_end(over), .place = place, .kind = kind}, 0);
        return true;
    }
    for (uint32_t i = 0; i < n; i++)
        if (ts_node_is_null(argument_at(arguments, i)))
            return false;
    for (uint32_t i = 0; i < n; i++)
        note_loop_target(w, python_child(target, i), argument_at(arguments, i), place);
    return true;
}

static void note_loop_target(struct walk *w, TSNode target, TSNode over, int32_t place)
{
    if (note_zipped(w, target, over, place))
        return;
    uint32_t byte = python_end(over);
    TSNode callee = python_field(over, FIELD_function);
    struct slice name = python_slice(w->s->text, callee);
    enum value_kind kind = value_kind(w->s, over);
    bool counted = slice_is(name, "enumerate");
    if (counted)
        kind = value_kind(w->s, argument_at(python_field(over, FIELD_arguments), 0));
    kind = kind == KIND_LOADER                        ? KIND_HOST
           : slice_is(name, "range")                  ? KIND_NUMBER
           : kind == KIND_TENSOR || kind == KIND_HOST ? kind
                                                      : KIND_UNKNOWN;
    if (kind == KIND_UNKNOWN && is_dataset(w, over))
        kind = KIND_HOST;
    struct binding number = {.byte = byte, .place = place, .kind = KIND_NUMBER},
                   item = number;
    item.kind = kind;
    item.shown = kind == KIND_TENSOR && value_shown(w->s, over);
    if (!counted || !is_pattern(python_node(target))) {
        bind_pattern(w, target, item, 0);
        return;
    }
    bind_pattern(w, python_child(target, 0), number, 0);
    bind_pattern(w, python_child(target, 1), item, 0);
}

static enum value_kind kind_of_annotation(struct slice type)
{
    if (name_has_word(type, "Tensor") && !memmem(type.s, type.len, "[", 1))
        return KIND_TENSOR;
    static const char *const plain[] = {"int", "float", "bool", "str"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (slice_is(type, plain[i]))
            return KIND_NUMBER;
    if (memmem(type.s, type.len, "DataLoader", 10))
        return KIND_LOADER;
    if (memmem(type.s, type.len, "Module", 6))
        return KIND_MODULE;
    return KIND_UNKNOWN;
}

/* An undocumented argument of forward() is a tensor. */
static void note_parameter(struct walk *w, TSNode p, int32_t place, bool forward)
{
    TSNode name = p, type = python_field(p, FIELD_type),
           value = python_field(p, FIELD_value);
    enum value_kind kind = forward ? KIND_TENSOR : KIND_UNKNOWN;
    if (python_node(p) == PY_typed_parameter)
        name = python_child(p, 0);
    else if (python_node(p) != PY_identifier)
        name = python_field(p, FIELD_name);
    if (!ts_node_is_null(type))
        source_note_annotation(w->s, type);
    if (!ts_node_is_null(type))
        kind = kind_of_annotation(python_slice(w->s->text, type));
    else if (!ts_node_is_null(value))
        kind = python_node(value) == PY_none ? KIND_UNKNOWN : value_kind(w->s, value);
    if (python_node(name) == PY_identifier &&
        !slice_is(python_slice(w->s->text, name), "self"))
        bind(w, name,
             (struct binding){.byte = ts_node_start_byte(p),
                              .place = place,
                              .kind = kind,
                              .shown = !ts_node_is_null(type)});
}

static void note_parameters(struct walk *w, TSNode parameters, int32_t place,
                            bool forward)
{
    for (uint32_t i = 0; i < python_children(parameters) && i < 256; i++)
        note_parameter(w, python_child(parameters, i), place, forward);
}

/* The function whose body the walk reaches, with its decorators. */
static TSNode decorated(const struct walk *w, TSNode function)
{
    if (w->depth < 2)
        return function;
    TSNode around = w->stack[w->depth - 2].node;
    return python_node(around) == PY_decorated_definition ? around : function;
}

/* A class's own method is noted as "def f": x.f() may be that one. */
static void note_own_method(struct walk *w, TSNode name)
{
    enum { METHOD_MAX = 80 };
    char method[METHOD_MAX];
    struct slice s = python_slice(w->s->text, name);
    if (s.len + sizeof "def " > sizeof method)
        return;
    snprintf(method, sizeof method, "def %.*s", (int)s.len, s.s);
    source_fact_note(w->query, method, w->s->facts->words);
}

static int32_t open_function(struct walk *w, TSNode n, int32_t parent)
{
    struct source_facts *f = w->s->facts;
    TSNode name = python_field(n, FIELD_name), body = python_field(n, FIELD_body);
    int32_t place = add_place(w, PLACE_FUNCTION, parent, body);
    vec_grow(f->functions, f->cap_functions, f->n_functions + 1);
    vec_grow(w->s->returns, w->s->cap_returns, f->n_functions + 1);
    vec_grow(w->s->returned, w->s->cap_returned, f->n_functions + 1);
    bool method = f->places[parent].kind == PLACE_CLASS;
    if (method)
        note_own_method(w, name);
    struct source_function *fn = &f->functions[f->n_functions];
    *fn = (struct source_function){.name = keep(w, name),
                                   .place = place,
                                   .owner = method ? f->places[parent].row : -1,
                                   .line = python_line(n),
                                   .first_line = python_line(decorated(w, n)),
                                   .end_line = python_end_line(n)};
    f->places[place].row = (int32_t)f->n_functions;
    w->s->returned[f->n_functions] = (TSNode){0};
    w->s->returns[f->n_functions++] = KIND_UNKNOWN;
    source_note_function(w->s, n, fn);
    bool forward = fn->roles & ROLE_FORWARD;
    note_parameters(w, python_field(n, FIELD_parameters), place, forward);
    return place;
}

static int32_t open_class(struct walk *w, TSNode n, int32_t parent)
{
    struct source_facts *f = w->s->facts;
    int32_t place = add_place(w, PLACE_CLASS, parent, python_field(n, FIELD_body));
    vec_grow(f->classes, f->cap_classes, f->n_classes + 1);
    f->classes[f->n_classes] = (struct source_class){
        .name = keep(w, python_field(n, FIELD_name)), .place = place};
    f->places[place].row = (int32_t)f->n_classes;
    source_note_class(w->s, n, &f->classes[f->n_classes++]);
    return place;
}

static int32_t open_branch(struct walk *w, TSNode n, int32_t parent, TSNode body)
{
    int32_t place = add_place(w, PLACE_BRANCH, parent, body);
    bool off = source_branch_is_off(w->s, n, body);
    w->s->facts->places[place].off = off;
    w->s->facts->places[place].on = source_branch_is_on(w->s, n);
    w->s->facts->places[place].seldom = off || python_node(n) == PY_except_clause ||
                                        source_branch_is_seldom(w->s, n, body);
    if (!off)
        source_choice_note(w->s, n, body, place);
    TSNode condition = python_field(n, FIELD_condition);
    TSNode first = python_node(n) == PY_if_statement ? n : python_parent(n);
    if (python_node(first) == PY_if_statement)
        w->s->facts->places[place].chain = ts_node_start_byte(first) + 1;
    w->s->facts->places[place].is_main =
        python_node(condition) == PY_comparison_operator &&
        slice_is(python_slice(w->s->text, python_child(condition, 0)), "__name__");
    w->s->facts->places[place].every_nth = source_branch_is_counted(w->s, n);
    return place;
}

static int32_t open_context(struct walk *w, TSNode n, int32_t parent)
{
    int32_t place = add_place(w, PLACE_CONTEXT, parent, python_field(n, FIELD_body));
    TSNode header = python_child(n, 0);
    w->s->facts->places[place].no_grad =
        source_names_no_grad(python_slice(w->s->text, header));
    return place;
}

static void note_comprehension_targets(struct walk *w, TSNode n, int32_t place)
{
    for (uint32_t i = 0; i < python_children(n) && i < 16; i++) {
        TSNode c = python_child(n, i);
        if (!strcmp(python_type(c), "for_in_clause"))
            note_loop_target(w, python_field(c, FIELD_left), python_field(c, FIELD_right),
                             place);
    }
}

static unsigned mentions_of(struct slice text)
{
    bool evaluation =
        name_has_word(text, "val vali valid validate validation eval evaluate "
                            "evaluation evaluator test testing tester dev "
                            "heldout evaluating validating infer inference");
    bool saving =
        name_has_word(text, "save saves saved saver saving checkpoint checkpoints "
                            "checkpointer ckpt snapshot dump export callback "
                            "callbacks hooks hook");
    return (evaluation ? MENTIONS_EVALUATION : 0u) | (saving ? MENTIONS_SAVING : 0u);
}

static bool counts_epochs(struct walk *w, TSNode n)
{
    static const char words[] = "epoch epochs ep eps e";
    static const enum python_field fields[] = {FIELD_left, FIELD_right, FIELD_condition};
    for (size_t i = 0; i < 3; i++) {
        struct slice text = python_slice(w->s->text, python_field(n, fields[i]));
        if (text.len < 200 && name_has_word(text, words))
            return true;
    }
    return false;
}

static bool loops_over_data(const struct source_syntax *s, TSNode over)
{
    return value_kind(s, over) == KIND_LOADER ||
           name_has_word(python_slice(s->text, over),
                         "loader loaders dataloader dataloaders dl iter iterator dataset "
                         "batches valloader testloader");
}

static int32_t open_loop(struct walk *w, TSNode n, int32_t parent)
{
    bool is_for = python_node(n) == PY_for_statement;
    TSNode body = python_field(n, FIELD_body);
    if (is_for)
        note_loop_target(w, python_field(n, FIELD_left), python_field(n, FIELD_right),
                         parent);
    int32_t place = add_place(w, PLACE_LOOP, parent,
                              is_for ? body : python_field(n, FIELD_condition));
    struct source_place *p = &w->s->facts->places[place];
    p->end = python_end(body);
    p->counts_epochs = counts_epochs(w, n);
    p->counted =
        !is_for || name_has_word(python_slice(w->s->text, python_field(n, FIELD_right)),
                                 "range trange arange count");
    p->starts_in_eval = source_turn_of(w->s->facts, parent)->in_eval;
    p->over_parts = is_for && source_is_over_parts(w->s, python_field(n, FIELD_right));
    p->over_data = is_for && loops_over_data(w->s, python_field(n, FIELD_right));
    p->evaluates =
        source_turn_of(w->s->facts, parent)->in_eval ||
        (is_for && name_has_word(python_slice(w->s->text, python_field(n, FIELD_right)),
                                 "val valid validation test eval dev"));
    return place;
}

static int32_t open_comprehension(struct walk *w, TSNode n, int32_t parent)
{
    int32_t place = add_place(w, PLACE_COMPREHENSION, parent, n);
    note_comprehension_targets(w, n, place);
    return place;
}

/* The place that a node's body is: opened when the walk reaches it, so that places stay
 * in the order of the text. -1: this field of the node is no place of its own. */
static int32_t open_body(struct walk *w, TSNode n, int32_t parent, const char *field)
{
    bool body = field && !strcmp(field, "body");
    switch (python_node(n)) {
    case PY_function_definition:
    case PY_lambda:
        return body ? open_function(w, n, parent) : -1;
    case PY_class_definition:
        return body ? open_class(w, n, parent) : -1;
    case PY_for_statement:
        return body ? open_loop(w, n, parent) : -1;
    case PY_while_statement:
        return field && !strcmp(field, "condition") ? open_loop(w, n, parent) : -1;
    case PY_with_statement:
        return body ? open_context(w, n, parent) : -1;
    case PY_else_clause:
        return body ? open_branch(w, n, parent, python_field(n, FIELD_body)) : -1;
    case PY_if_statement:
    case PY_elif_clause:
        return field && !strcmp(field, "consequence")
                   ? open_branch(w, n, parent, python_field(n, FIELD_consequence))
                   : -1;
    case PY_except_clause:
        return open_branch(w, n, parent, n);
    case PY_list_comprehension:
    case PY_set_comprehension:
    case PY_generator_expression:
    case PY_dictionary_comprehension:
        return open_comprehension(w, n, parent);
    default:
        return -1;
    }
}

static void note_return(struct walk *w, TSNode n, int32_t place)
{
    int32_t fn = source_function_of(w->s->facts, place);
    TSNode value = python_child(n, 0);
    if (fn < 0 || ts_node_is_null(value))
        return;
    w->s->returned[fn] = value;
    if (python_node(value) == PY_expression_list)
        value = python_child(value, 0);
    enum value_kind kind = value_kind(w->s, value);
    if (kind != KIND_NUMBER || w->s->returns[fn] == KIND_UNKNOWN)
        w->s->returns[fn] = kind;
}

static struct seen_name *seen_name(struct walk *w, struct slice name)
{
    return &w->seen[slice_hash(name, 0) % SEEN_NAMES];
}

/* A word that a rule asks for: a name, or a text that is this word alone. Most names
 * stand in a file many times. */
static void note_word(struct walk *w, TSNode n, int32_t place)
{
    struct slice name = python_slice(w->s->text, n);
    struct source_facts *f = w->s->facts;
    enum { NAME_BYTES_MAX = 200 };
    if (!name.len || name.len > NAME_BYTES_MAX)
        return;
    struct seen_name *seen = seen_name(w, name);
    if (!slice_equal(seen->name, name)) {
        source_words_note(w->query, name, f->words);
        *seen = (struct seen_name){name, mentions_of(name)};
    }
    source_mention(f, place, seen->mentions);
}

/* x.f(…) is noted as "f()" too: half is a common name of other things. */
static void note_method(struct walk *w, TSNode call)
{
    enum { METHOD_MAX = 80 };
    char method[METHOD_MAX];
    TSNode callee = python_field(call, FIELD_function);
    struct slice name = python_slice(w->s->text, python_field(callee, FIELD_attribute));
    if (!name.len || name.len + 3 > sizeof method)
        return;
    memcpy(method, name.s, name.len);
    memcpy(method + name.len, "()", 3);
    source_fact_note(w->query, method, w->s->facts->words);
}

/* x=True of a call, x.y = False, {"x": None}: a setting, noted as "x=True". What is not
 * a literal is noted as "x=?". */
static void note_setting(struct walk *w, TSNode name, TSNode value)
{
    enum { SETTING_MAX = 80 };
    char setting[SETTING_MAX];
    if (python_node(name) == PY_attribute)
        name = python_field(name, FIELD_attribute);
    else if (python_node(name) == PY_string)
        name = python_child(name, 1);
    struct slice key = python_slice(w->s->text, name),
                 to = python_slice(w->s->text, value);
    enum python_node kind = python_node(value);
    bool literal = kind == PY_true || kind == PY_false || kind == PY_none;
    bool where_device = (kind == PY_call || kind == PY_comparison_operator) &&
                        to.len < 60 && memmem(to.s, to.len, "cuda", 4) != NULL;
    if (where_device) /* true where it matters */
        to = (struct slice){"True", 4};
    else if (!literal)
        to = (struct slice){"?", 1};
    if (!key.len || key.len + to.len + 2 > sizeof setting)
        return;
    memcpy(setting, key.s, key.len);
    setting[key.len] = '=';
    memcpy(setting + key.len + 1, to.s, to.len);
    setting[key.len + 1 + to.len] = '\0';
    source_fact_note(w->query, setting, w->s->facts->words);
}

static void note_comment(struct walk *w, TSNode n)
{
    struct source_file *f = w->s->file;
    struct slice text = python_slice(w->s->text, n);
    enum { COMMENT_BYTES_MAX = 1 << 16 };
    if (text.len && text.s[text.len - 1] == '\r')
        text.len--;
    const char *kept =
        arena_strndup(&f->facts.text, text.s,
                      text.len < COMMENT_BYTES_MAX ? text.len : COMMENT_BYTES_MAX);
    if (!strcasestr(kept, "noqa"))
        return;
    vec_grow(f->comments, f->cap_comments, f->n_comments + 1);
    uint32_t begin = ts_node_start_byte(n);
    f->comments[f->n_comments++] = (struct source_comment){
        .begin = begin,
        .end = begin + (uint32_t)text.len,
        .line = python_line(n),
        .text = kept,
    };
}

/* Of a string or a backslash that goes on in later lines. */
static void note_joined(struct walk *w, TSNode n)
{
    struct source_file *f = w->s->file;
    int32_t line = python_line(n), end_line = (int32_t)ts_node_end_point(n).row + 1;
    if (end_line == line)
        return;
    if (f->n_joined && line <= f->joined[f->n_joined - 1].end_line) {
        struct source_joined *last = &f->joined[f->n_joined - 1];
        if (last->end_line < end_line) /* begins where the last one ends, or in it */
            last->end_line = end_line;
        return;
    }
    vec_grow(f->joined, f->cap_joined, f->n_joined + 1);
    f->joined[f->n_joined++] = (struct source_joined){line, end_line};
}

/* An error node holds what was read before it as well: whole statements, then the tokens
 * of the one that fits nothing. */
static int32_t error_line(TSNode error)
{
    enum { LOOKED_AT_MAX = 1000 };
    uint32_t n = ts_node_child_count(error);
    for (uint32_t i = 0; i < n && i < LOOKED_AT_MAX; i++) {
        TSNode c = ts_node_child(error, i);
        if (!ts_node_is_named(c) || ts_node_is_error(c))
            return python_line(c);
    }
    return python_line(error);
}

static void note_node(struct walk *w, TSNode n, int32_t place)
{
    struct source_facts *f = w->s->facts;
    if ((ts_node_is_missing(n) || ts_node_is_error(n)) && !f->error_line)
        f->error_line = error_line(n);
    switch (python_node(n)) {
    case PY_assignment:
    case PY_augmented_assignment:
        note_assignment(w, n, place);
        note_setting(w, python_field(n, FIELD_left), python_field(n, FIELD_right));
        break;
    case PY_keyword_argument:
        note_setting(w, python_field(n, FIELD_name), python_field(n, FIELD_value));
        break;
    case PY_return_statement:
        note_return(w, n, place);
        break;
    case PY_as_pattern:
        bind_pattern(w, python_child(python_field(n, FIELD_alias), 0),
                     (struct binding){.byte = python_end(n), .place = place}, 0);
        break;
    case PY_identifier:
    case PY_string_content:
        note_word(w, n, place);
        break;
    case PY_comment:
        note_comment(w, n);
        break;
    case PY_string:
    case PY_line_continuation:
        note_joined(w, n);
        break;
    case PY_subscript:
        source_note_subscript(w->s, n);
        break;
    case PY_call:
        vec_grow(w->s->calls, w->s->cap_calls, w->s->n_calls + 1);
        w->s->calls[w->s->n_calls++] = n;
        note_method(w, n);
        source_note_call(w->s, n, place);
        break;
    case PY_import_statement:
    case PY_import_from_statement:
        source_note_import(w->s, n);
        break;
    default:
        if (!strcmp(python_type(n), "pair"))
            note_setting(w, python_field(n, FIELD_key), python_field(n, FIELD_value));
        break;
    }
}

/* Once a while's, handler's or comprehension's place is open, all that follows is in it. */
static bool stays_open(TSNode n, const char *field)
{
    switch (python_node(n)) {
    case PY_while_statement:
        return field && !strcmp(field, "body");
    case PY_except_clause:
    case PY_list_comprehension:
    case PY_set_comprehension:
    case PY_generator_expression:
    case PY_dictionary_comprehension:
        return true;
    default:
        return false;
    }
}

/* What follows `if step % 100 != 0: continue` in its block. */
static int32_t open_rest(struct walk *w, const struct level *block, TSNode first)
{
    int32_t place = add_place(w, PLACE_BRANCH, block->place, first);
    w->s->facts->places[place].end = python_end(block->node);
    w->s->facts->places[place].seldom = true;
    return place;
}

static int32_t place_of_child(struct walk *w, const char *field, TSNode n)
{
    struct level *parent = &w->stack[w->depth - 1];
    if (parent->body >= 0 && stays_open(parent->node, field))
        return parent->body;
    if (parent->skipped && parent->body < 0)
        return parent->body = open_rest(w, parent, n);
    if (parent->body >= 0 && python_node(parent->node) == PY_block)
        return parent->body;
    int32_t body =
        parent->body < 0 ? open_body(w, parent->node, parent->place, field) : -1;
    if (body >= 0)
        parent->body = body;
    return body >= 0 ? body : parent->place;
}

/* A statement of a module or block, without a body. */
static void note_statement(struct walk *w, TSNode n)
{
    struct source_facts *f = w->s->facts;
    static const enum python_field bodies[] = {FIELD_body, FIELD_consequence,
                                               FIELD_definition};
    if (!ts_node_is_named(n) || python_node(n) == PY_comment)
        return;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (!ts_node_is_null(python_field(n, bodies[i])))
            return;
    vec_grow(f->statements, f->cap_statements, f->n_statements + 1);
    f->statements[f->n_statements++] = (struct source_statement){
        ts_node_start_byte(n), python_end(n), python_line(n), python_end_line(n)};
}

/* Opens a node; those that do not hold it are closed. */
static void enter(struct walk *w, int32_t row)
{
    const struct python_row *r = &w->s->nodes.rows[row];
    TSNode n = r->node;
    while (w->depth && w->stack[w->depth - 1].row != r->parent)
        w->depth--;
    int32_t place =
        w->depth
            ? place_of_child(
                  w, ts_language_field_name_for_id(tree_sitter_python(), r->field), n)
            : add_place(w, PLACE_MODULE, -1, n);
    if (!w->depth) {
        w->s->facts->places[0].begin = 0;
        w->s->facts->places[0].end = UINT32_MAX;
    }
    if (r->named || ts_node_is_missing(n))
        note_node(w, n, place);
    if (w->depth == 1 ||
        (w->depth && python_node(w->stack[w->depth - 1].node) == PY_block))
        note_statement(w, n);
    vec_grow(w->stack, w->cap, w->depth + 1);
    if (w->depth && python_node(n) == PY_if_statement &&
        python_node(w->stack[w->depth - 1].node) == PY_block)
        w->stack[w->depth - 1].skipped |= source_branch_skips_most(w->s, n);
    w->stack[w->depth++] =
        (struct level){.node = n, .row = row, .place = place, .body = -1};
}

/* A forward that ends on the host is none that a loss goes back through: it shapes what an
 * evaluation puts out. */
static void drop_host_forwards(const struct source_syntax *s)
{
    struct source_facts *f = s->facts;
    for (size_t i = 0; i < f->n_functions; i++)
        if (s->returns[i] == KIND_HOST || s->returns[i] == KIND_ARRAY)
            f->functions[i].roles &= ~(unsigned)ROLE_FORWARD;
}

enum status source_syntax_read(struct source_syntax *s, const struct source_query *q,
                               const char *name, struct err *err)
{
    struct walk w = {.s = s, .query = q, .seen = mem_zalloc(SEEN_NAMES, sizeof *w.seen)};
    bool too_long = false;
    memset(s->binding_of_hash, 0xff, sizeof s->binding_of_hash);
    memset(s->import_of_hash, 0xff, sizeof s->import_of_hash);
    for (size_t i = 0; i < s->nodes.n && !too_long; i++) {
        enter(&w, (int32_t)i);
        too_long = work_limit_is_over(s->limit);
    }
    mem_free(w.stack);
    mem_free(w.seen);
    source_options_note(s);
    drop_host_forwards(s);
    s->waits = mem_zalloc(1, sizeof *s->waits);
    s->kinds = mem_zalloc(KINDS_KEPT, sizeof *s->kinds);
    if (too_long)
        return err_set(err, STATUS_INPUT, SOURCE_TOO_LONG, name);
    return STATUS_OK;
}

void source_syntax_release(struct source_syntax *s)
{
    mem_free(s->bindings);
    mem_free(s->imports);
    mem_free(s->returns);
    mem_free(s->returned);
    mem_free(s->gradients);
    mem_free(s->actions);
    mem_free(s->calls);
    mem_free(s->kinds);
    wait_events_free(s->waits);
}
#endif
