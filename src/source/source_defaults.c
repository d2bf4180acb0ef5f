/*
 * Branches that the program's own defaults do not take: conditions are worked out with
 * what parameters, fields and options of the command line are when nobody chooses.
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_calls.h"
#include "source/source_options.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEPTH_MAX = 12,
    CLIMB_MAX = 400,
    TEXT_MAX = 400,
    FOUND_MAX = 64,
    FILE_MAX = 1 << 18, /* each condition looks through the whole text */
};

static const struct default_value unknown = {.known = NOT_KNOWN};

static struct default_value value_of(const struct source_syntax *s, TSNode n, int depth);

static TSNode function_around(TSNode n)
{
    for (int i = 0; i < CLIMB_MAX && python_node(n) != PY_function_definition; i++)
        n = python_parent(n);
    return n;
}

static struct default_value number_of(struct slice text, double sign)
{
    char digits[32] = "", *end;
    if (!text.len || text.len >= sizeof digits)
        return unknown;
    memcpy(digits, text.s, text.len);
    double value = strtod(digits, &end);
    return *end ? unknown
                : (struct default_value){.known = IS_NUMBER, .number = sign * value};
}

struct default_value default_of_literal(const struct source_syntax *s, TSNode n)
{
    struct slice text = python_slice(s->text, n);
    switch (python_node(n)) {
    case PY_none:
        return (struct default_value){.known = IS_NONE};
    case PY_true:
    case PY_false:
        return (struct default_value){.known = IS_BOOL,
                                      .number = python_node(n) == PY_true};
    case PY_integer:
    case PY_float:
        return number_of(text, 1);
    case PY_unary_operator:
        return text.len > 1 && *text.s == '-'
                   ? number_of((struct slice){text.s + 1, text.len - 1}, -1)
                   : unknown;
    case PY_string:
        if (text.len < 2 || (*text.s != '"' && *text.s != '\''))
            return unknown;
        return (struct default_value){.known = IS_TEXT,
                                      .text = {text.s + 1, text.len - 2}};
    default:
        return unknown;
    }
}

/* The next place of a name as a whole word; NULL: none. */
static const char *next_word(const struct source_syntax *s, struct slice name,
                             const char *from)
{
    const char *end = s->text + s->len;
    while (name.len && from < end) {
        const char *at = memmem(from, (size_t)(end - from), name.s, name.len);
        if (!at)
            return NULL;
        from = at + name.len;
        if ((at == s->text || !python_is_name_byte(at[-1])) && from < end &&
            !python_is_name_byte(*from))
            return at;
    }
    return NULL;
}

/* How often a name, or a field of this name, is assigned in the file. */
static int assignments(const struct source_syntax *s, struct slice name, bool field)
{
    int n = 0;
    const char *end = s->text + s->len;
    for (const char *at = next_word(s, name, s->text); at && n < 2;
         at = next_word(s, name, at + 1)) {
        const char *after = at + name.len;
        while (after < end && *after == ' ')
            after++;
        bool dotted = at > s->text && at[-1] == '.';
        bool op = after < end && strchr("+-*/|&", *after) && after + 1 < end;
        after += op;
        bool is = after + 1 < end && *after == '=' && after[1] != '=';
        n += is && dotted == field;
    }
    return n;
}

/* Row of a parameter; -1: there is none of that name. */
static int32_t parameter_row(const struct source_syntax *s, TSNode parameters,
                             struct slice name)
{
    for (uint32_t i = 0; i < python_children(parameters) && i < 64; i++) {
        TSNode p = python_child(parameters, i);
        TSNode named = python_field(p, FIELD_name);
        if (slice_equal(python_slice(s->text, ts_node_is_null(named) ? p : named), name))
            return (int32_t)i;
    }
    return -1;
}

/* Does a call of this file give a parameter a value? */
static bool is_passed(const struct source_syntax *s, struct slice callee, uint32_t row,
                      struct slice name)
{
    TSNode root = ts_tree_root_node(s->tree);
    int found = 0;
    for (const char *at = next_word(s, callee, s->text); at && found < FOUND_MAX;
         at = next_word(s, callee, at + 1), found++) {
        if (at[callee.len] != '(')
            continue;
        uint32_t byte = (uint32_t)(at - s->text);
        TSNode n = ts_node_descendant_for_byte_range(root, byte, byte);
        if (python_node(python_parent(n)) == PY_attribute)
            n = python_parent(n);
        TSNode arguments = python_field(python_parent(n), FIELD_arguments);
        if (python_node(arguments) != PY_argument_list)
            continue;
        char word[80] = "";
        if (name.len < sizeof word)
            memcpy(word, name.s, name.len);
        if (arguments_splat(arguments) ||
            !ts_node_is_null(argument_named(s, arguments, word)) ||
            !ts_node_is_null(argument_at(arguments, row)))
            return true;
    }
    return found == FOUND_MAX;
}

/* What a parameter is unless a caller chooses. None is no choice: it says that something
 * may be left out. */
static struct default_value of_parameter(const struct source_syntax *s, TSNode function,
                                         struct slice name)
{
    TSNode parameters = python_field(function, FIELD_parameters);
    int32_t row = parameter_row(s, parameters, name);
    if (row < 0)
        return unknown;
    TSNode given = python_field(python_child(parameters, (uint32_t)row), FIELD_value);
    struct default_value v = default_of_literal(s, given);
    struct slice callee = python_slice(s->text, python_field(function, FIELD_name));
    TSNode self = python_child(parameters, 0);
    bool method = slice_is(python_slice(s->text, self), "self");
    if (slice_is(callee, "__init__")) {
        TSNode around = function;
        for (int i = 0; i < CLIMB_MAX && python_node(around) != PY_class_definition; i++)
            around = python_parent(around);
        callee = python_slice(s->text, python_field(around, FIELD_name));
    }
    if (v.known == IS_NONE ||
        is_passed(s, callee, (uint32_t)row - (method ? 1 : 0), name))
        return unknown;
    return v;
}

/* add_argument("--name", action="store_true"), click.option("--name", default=…) */
struct default_value default_of_option_call(const struct source_syntax *s, TSNode call)
{
    TSNode arguments = python_field(call, FIELD_arguments);
    struct slice method = python_called(s->text, call);
    if (!slice_is(method, "add_argument") && !slice_is(method, "option"))
        return unknown;
    TSNode given = argument_named(s, arguments, "default");
    struct slice action = python_slice(s->text, argument_named(s, arguments, "action"));
    if (!ts_node_is_null(given))
        return default_of_literal(s, given);
    if (arguments_splat(arguments) ||
        !ts_node_is_null(argument_named(s, arguments, "required")))
        return unknown;
    if (action.len)
        return slice_has(action, "store_true") || slice_has(action, "store_false")
                   ? (struct default_value){.known = IS_BOOL,
                                            .number = slice_has(action, "store_false")}
                   : unknown;
    return slice_is(method, "option") ? unknown
                                      : (struct default_value){.known = IS_NONE};
}

bool default_same(const struct default_value *a, const struct default_value *b)
{
    bool texts = a->known == IS_TEXT && b->known == IS_TEXT;
    if (texts)
        return slice_equal(a->text, b->text);
    bool numbers = (a->known == IS_NUMBER || a->known == IS_BOOL) &&
                   (b->known == IS_NUMBER || b->known == IS_BOOL);
    return numbers ? a->number == b->number : a->known == b->known;
}

/* Is "--name" the text of an option, at its name's first byte? */
static bool is_option_at(const struct source_syntax *s, const char *at, size_t len)
{
    return at - s->text > 3 && at[-1] == '-' && at[-2] == '-' &&
           (at[-3] == '"' || at[-3] == '\'') && (at[len] == '"' || at[len] == '\'');
}

/* The default of an option of the command line that this file defines. */
static struct default_value of_option(const struct source_syntax *s, struct slice name)
{
    struct default_value v = unknown;
    char dashed[80];
    if (name.len >= sizeof dashed || assignments(s, name, true))
        return unknown;
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < name.len; i++)
            dashed[i] = k && name.s[i] == '_' ? '-' : name.s[i];
        struct slice word = {dashed, name.len};
        if (k && slice_equal(word, name))
            break;
        for (const char *at = next_word(s, word, s->text); at;
             at = next_word(s, word, at + 1)) {
            if (!is_option_at(s, at, word.len))
                continue;
            uint32_t byte = (uint32_t)(at - s->text);
            TSNode n =
                ts_node_descendant_for_byte_range(ts_tree_root_node(s->tree), byte, byte);
            for (int i = 0; i < 8 && python_node(n) != PY_call; i++)
                n = python_parent(n);
            struct default_value found = default_of_option_call(s, n);
            if (found.known == NOT_KNOWN ||
                (v.known != NOT_KNOWN && !default_same(&v, &found)))
                return unknown;
            v = found;
        }
    }
    return v;
}

/* What says where a program runs, or what it is asked to do at all, is no option that is
 * off: a launcher or the command line sets it. */
bool default_is_left_open(struct slice name)
{
    return name_has_word(
        name, "cuda gpu gpus device devices rank distributed dist ddp world local multi "
              "parallel do train training mode phase stage task test eval evaluate "
              "inference resume pretrained checkpoint");
}

static struct default_value of_name(const struct source_syntax *s, TSNode n, int depth)
{
    struct slice name = python_slice(s->text, n);
    uint32_t byte = ts_node_start_byte(n);
    const struct binding *b = binding_of(s, name, source_place_at(s->facts, byte), byte);
    if (!b)
        return unknown;
    if (ts_node_is_null(b->value)) {
        TSNode function = function_around(n);
        bool parameter = b->scope >= 0 && b->previous < 0 &&
                         b->byte < ts_node_start_byte(python_field(function, FIELD_body));
        return parameter && b->byte >= ts_node_start_byte(function)
                   ? of_parameter(s, function, name)
                   : unknown;
    }
    if (b->previous >= 0 || assignments(s, name, false) > 1)
        return unknown;
    bool constant = b->scope == SCOPE_MODULE && *name.s >= 'A' && *name.s <= 'Z';
    return constant || python_node(b->value) == PY_attribute
               ? value_of(s, b->value, depth + 1)
               : unknown;
}

/* self.x, which __init__ sets to a parameter; args.x, an option of the command line. */
static struct default_value of_field(const struct source_syntax *s, TSNode n)
{
    struct slice name = python_slice(s->text, python_field(n, FIELD_attribute));
    TSNode object = python_field(n, FIELD_object);
    if (!slice_is(python_slice(s->text, object), "self"))
        return of_option(s, name);
    uint32_t byte = ts_node_start_byte(n);
    const struct binding *b =
        binding_of_self(s, name, source_place_at(s->facts, byte), byte);
    if (!b || b->previous >= 0 || python_node(b->value) != PY_identifier ||
        assignments(s, name, true) > 1)
        return unknown;
    TSNode function = function_around(b->value);
    struct slice given = python_slice(s->text, b->value);
    return slice_is(python_slice(s->text, python_field(function, FIELD_name)), "__init__")
               ? of_parameter(s, function, given)
               : unknown;
}

static struct default_value value_of(const struct source_syntax *s, TSNode n, int depth)
{
    if (ts_node_is_null(n) || depth > DEPTH_MAX)
        return unknown;
    enum python_node kind = python_node(n);
    if (kind == PY_parenthesized_expression)
        return value_of(s, python_child(n, 0), depth + 1);
    if (kind != PY_identifier && kind != PY_attribute)
        return default_of_literal(s, n);
    TSNode last = kind == PY_attribute ? python_field(n, FIELD_attribute) : n;
    if (default_is_left_open(python_slice(s->text, last)))
        return unknown;
    return kind == PY_identifier ? of_name(s, n, depth) : of_field(s, n);
}

enum truth default_truth(const struct default_value *v)
{
    switch (v->known) {
    case IS_NONE:
        return IS_FALSE;
    case IS_BOOL:
    case IS_NUMBER:
        return v->number != 0 ? IS_TRUE : IS_FALSE;
    case IS_TEXT:
        return v->text.len ? IS_TRUE : IS_FALSE;
    default:
        return MAYBE;
    }
}

enum truth default_compared(const struct default_value *a, const char *op,
                            const struct default_value *b)
{
    if (a->known == NOT_KNOWN || b->known == NOT_KNOWN)
        return MAYBE;
    bool numbers = (a->known == IS_NUMBER || a->known == IS_BOOL) &&
                   (b->known == IS_NUMBER || b->known == IS_BOOL);
    if (!strcmp(op, "==") || !strcmp(op, "is"))
        return default_same(a, b);
    if (!strcmp(op, "!=") || !strcmp(op, "is not"))
        return !default_same(a, b);
    if (!numbers)
        return MAYBE;
    if (!strcmp(op, ">"))
        return a->number > b->number;
    if (!strcmp(op, ">="))
        return a->number >= b->number;
    if (!strcmp(op, "<"))
        return a->number < b->number;
    return strcmp(op, "<=") != 0 ? MAYBE : a->number <= b->number;
}

static enum truth compared(const struct source_syntax *s, TSNode n, int depth)
{
    if (ts_node_child_count(n) != 3)
        return MAYBE;
    struct default_value a = value_of(s, ts_node_child(n, 0), depth),
                         b = value_of(s, ts_node_child(n, 2), depth);
    return default_compared(&a, python_type(ts_node_child(n, 1)), &b);
}

static enum truth by_default(const struct source_syntax *s, TSNode n, int depth)
{
    if (ts_node_is_null(n) || depth > DEPTH_MAX)
        return MAYBE;
    switch (python_node(n)) {
    case PY_parenthesized_expression:
        return by_default(s, python_child(n, 0), depth + 1);
    case PY_not_operator: {
        enum truth t = by_default(s, python_field(n, FIELD_argument), depth + 1);
        return t == MAYBE ? MAYBE : t == IS_TRUE ? IS_FALSE : IS_TRUE;
    }
    case PY_boolean_operator: {
        enum truth a = by_default(s, python_field(n, FIELD_left), depth + 1),
                   b = by_default(s, python_field(n, FIELD_right), depth + 1);
        bool and =
            slice_is(python_slice(s->text, python_field(n, FIELD_operator)), "and");
        enum truth strong = and? IS_FALSE : IS_TRUE;
        return a == strong || b == strong ? strong : a == b ? a : MAYBE;
    }
    case PY_comparison_operator:
        return compared(s, n, depth + 1);
    default: {
        struct default_value v = value_of(s, n, depth + 1);
        return default_truth(&v);
    }
    }
}

/* Is something called whose name begins so: train(…), trainer.fit(…), train_model(…)? */
static bool calls_name(struct slice text, const char *name)
{
    const char *at = text.s, *end = text.s + text.len;
    size_t n = strlen(name);
    while (at < end && (at = memmem(at, (size_t)(end - at), name, n))) {
        for (at += n; at < end && python_is_name_byte(*at);)
            at++;
        if (at < end && *at == '(')
            return true;
    }
    return false;
}

/* A training, or a call of one: the program would do nothing without it. */
bool default_holds_training(const struct source_syntax *s, TSNode body)
{
    struct slice text = python_slice(s->text, body);
    return (slice_has(text, "for ") && slice_has(text, "backward(")) ||
           calls_name(text, "train") || slice_has(text, "fit(") ||
           slice_has(text, "main(") || slice_has(text, "learn(") ||
           slice_has(text, "run(");
}

/* Is a branch of the chain surely taken, other than that of n? */
static bool other_is_taken(const struct source_syntax *s, TSNode chain, TSNode n)
{
    bool all_else_off = true;
    for (uint32_t i = 0; i < python_children(chain) && i < 64; i++) {
        TSNode c = python_child(chain, i);
        if (ts_node_eq(c, n))
            continue;
        if (python_node(c) == PY_else_clause)
            return all_else_off;
        if (python_node(c) == PY_elif_clause) {
            enum truth t = by_default(s, python_field(c, FIELD_condition), 0);
            if (t == IS_TRUE)
                return true;
            all_else_off &= t == IS_FALSE;
        }
    }
    return false;
}

bool source_branch_is_off(const struct source_syntax *s, TSNode n, TSNode body)
{
    bool first = python_node(n) == PY_if_statement;
    TSNode chain = first ? n : python_parent(n);
    if (python_node(chain) != PY_if_statement || s->len > FILE_MAX ||
        python_slice(s->text, python_field(chain, FIELD_condition)).len > TEXT_MAX)
        return false;
    TSNode condition = python_field(n, FIELD_condition);
    if (!first && by_default(s, python_field(chain, FIELD_condition), 0) == IS_TRUE)
        return true;
    for (uint32_t i = 0; !first && i < python_children(chain) && i < 64; i++) {
        TSNode c = python_child(chain, i);
        if (ts_node_eq(c, n))
            break;
        if (python_node(c) == PY_elif_clause &&
            by_default(s, python_field(c, FIELD_condition), 0) == IS_TRUE)
            return true; /* an earlier one is taken */
    }
    if (ts_node_is_null(condition) || by_default(s, condition, 0) != IS_FALSE)
        return false;
    return !default_holds_training(s, body) || other_is_taken(s, chain, n);
}

bool source_branch_is_on(const struct source_syntax *s, TSNode n)
{
    TSNode condition = python_field(n, FIELD_condition);
    return python_node(n) == PY_if_statement && s->len <= FILE_MAX &&
           python_slice(s->text, condition).len <= TEXT_MAX &&
           by_default(s, condition, 0) == IS_TRUE;
}

bool source_is_true_by_default(const struct source_syntax *s, TSNode n)
{
    return s->len <= FILE_MAX && by_default(s, n, 0) == IS_TRUE;
}
#endif
