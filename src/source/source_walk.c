/*
 * One pass over the tree with a cursor and a stack of places of its own. A place says in
 * which function and loop a node runs; it changes only at the fields named in
 * place_of_child().
 */
#ifdef GAIT_TREE_SITTER
#include "source/source_walk.h"

#include "base/mem.h"

#include <string.h>

struct place {
    int32_t function, loop;         /* where this node runs */
    int32_t own_function, own_loop; /* the row this node is itself, or -1 */
    bool periodic;
    bool own_periodic; /* this node is an if whose condition holds a % */
    bool is_while, is_lambda;
};

struct walk {
    struct source_facts *facts;
    const char *text;
    struct place *stack;
    size_t depth, cap;
};

static int32_t line_of(TSNode n)
{
    return (int32_t)ts_node_start_point(n).row + 1;
}

static int32_t end_line_of(TSNode n)
{
    return (int32_t)ts_node_end_point(n).row + 1;
}

static TSNode field(TSNode n, const char *name)
{
    return ts_node_child_by_field_name(n, name, (uint32_t)strlen(name));
}

static bool is_type(TSNode n, const char *type)
{
    return !strcmp(ts_node_type(n), type);
}

/* The last SOURCE_NAME_BYTES_MAX bytes of a node's text. */
static const char *text_of(struct walk *w, TSNode n)
{
    if (ts_node_is_null(n))
        return "";
    uint32_t begin = ts_node_start_byte(n), end = ts_node_end_byte(n);
    if (end - begin > SOURCE_NAME_BYTES_MAX)
        begin = end - SOURCE_NAME_BYTES_MAX;
    return arena_strndup(&w->facts->text, w->text + begin, end - begin);
}

static bool holds_modulo(struct walk *w, TSNode condition)
{
    if (ts_node_is_null(condition))
        return false;
    uint32_t begin = ts_node_start_byte(condition), end = ts_node_end_byte(condition);
    return memchr(w->text + begin, '%', end - begin) != NULL;
}

static int32_t add_function(struct walk *w, TSNode n)
{
    struct source_facts *f = w->facts;
    vec_grow(f->functions, f->cap_functions, f->n_functions + 1);
    f->functions[f->n_functions] = (struct source_function){text_of(w, field(n, "name")),
                                                            line_of(n), end_line_of(n)};
    return (int32_t)f->n_functions++;
}

static int32_t add_loop(struct walk *w, TSNode n, const struct place *p)
{
    struct source_facts *f = w->facts;
    vec_grow(f->loops, f->cap_loops, f->n_loops + 1);
    f->loops[f->n_loops] = (struct source_loop){.line = line_of(n),
                                                .end_line = end_line_of(n),
                                                .function = p->function,
                                                .parent = p->loop,
                                                .is_while = p->is_while,
                                                .periodic = p->periodic};
    return (int32_t)f->n_loops++;
}

static void add_call(struct walk *w, TSNode n, const struct place *p)
{
    struct source_facts *f = w->facts;
    TSNode callee = field(n, "function");
    bool method = !ts_node_is_null(callee) && is_type(callee, "attribute");
    vec_grow(f->calls, f->cap_calls, f->n_calls + 1);
    f->calls[f->n_calls++] = (struct source_call){
        .name = text_of(w, method ? field(callee, "attribute") : callee),
        .receiver = method ? text_of(w, field(callee, "object")) : "",
        .line = line_of(n),
        .begin_byte = ts_node_start_byte(n),
        .end_byte = ts_node_end_byte(n),
        .function = p->function,
        .loop = p->loop,
        .periodic = p->periodic};
}

static struct place place_of_child(const struct place *parent, const char *field_name)
{
    struct place p = {.function = parent->function,
                      .loop = parent->loop,
                      .own_function = -1,
                      .own_loop = -1,
                      .periodic = parent->periodic};
    if (!field_name)
        return p;
    bool body = !strcmp(field_name, "body");
    bool condition = !strcmp(field_name, "condition");
    if (body && (parent->own_function >= 0 || parent->is_lambda)) {
        /* Defined here, run elsewhere. */
        p.function = parent->own_function >= 0 ? parent->own_function : p.function;
        p.loop = -1;
        p.periodic = false;
    } else if (parent->own_loop >= 0 && (body || (condition && parent->is_while))) {
        p.loop = parent->own_loop;
        p.periodic = false;
    } else if (parent->own_periodic && !strcmp(field_name, "consequence")) {
        p.periodic = true;
    }
    return p;
}

static void note_node(struct walk *w, TSNode n, struct place *p)
{
    if (!ts_node_is_named(n) || ts_node_is_missing(n)) {
        if (ts_node_is_missing(n) && !w->facts->error_line)
            w->facts->error_line = line_of(n);
        return;
    }
    const char *type = ts_node_type(n);
    if (ts_node_is_error(n) && !w->facts->error_line)
        w->facts->error_line = line_of(n);
    p->is_while = !strcmp(type, "while_statement");
    p->is_lambda = !strcmp(type, "lambda");
    if (!strcmp(type, "call"))
        add_call(w, n, p);
    else if (p->is_while || !strcmp(type, "for_statement"))
        p->own_loop = add_loop(w, n, p);
    else if (!strcmp(type, "function_definition"))
        p->own_function = add_function(w, n);
    else if (!strcmp(type, "if_statement") || !strcmp(type, "elif_clause"))
        p->own_periodic = holds_modulo(w, field(n, "condition"));
}

static void enter(struct walk *w, TSTreeCursor *cursor)
{
    static const struct place outside = {-1, -1, -1, -1, false, false, false, false};
    const struct place *parent = w->depth ? &w->stack[w->depth - 1] : &outside;
    struct place p = place_of_child(parent, ts_tree_cursor_current_field_name(cursor));
    note_node(w, ts_tree_cursor_current_node(cursor), &p);
    vec_grow(w->stack, w->cap, w->depth + 1);
    w->stack[w->depth++] = p;
}

/* To the next node in the order of the text; false after the last one. */
static bool advance(struct walk *w, TSTreeCursor *cursor)
{
    if (ts_tree_cursor_goto_first_child(cursor))
        return true;
    for (;;) {
        w->depth--;
        if (ts_tree_cursor_goto_next_sibling(cursor))
            return true;
        if (!w->depth || !ts_tree_cursor_goto_parent(cursor))
            return false;
    }
}

/* scheduler.step() once an epoch does not make the loop of epochs a training step. */
static bool call_trains(const struct source_call *c)
{
    if (!*c->receiver)
        return false;
    if (!strcmp(c->name, "backward"))
        return true;
    return !strcmp(c->name, "step") && !strcasestr(c->receiver, "sched");
}

static void mark_training_loops(struct source_facts *f)
{
    for (size_t i = 0; i < f->n_calls; i++)
        if (f->calls[i].loop >= 0 && call_trains(&f->calls[i]))
            f->loops[f->calls[i].loop].trains = true;
}

enum status source_walk(struct source_facts *f, const TSTree *tree, const char *text,
                        const char *name, struct err *err)
{
    *f = (struct source_facts){0};
    arena_init(&f->text);
    struct walk w = {.facts = f, .text = text};
    TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
    do
        enter(&w, &cursor);
    while (w.depth <= SOURCE_DEPTH_MAX && advance(&w, &cursor));
    bool too_deep = w.depth > SOURCE_DEPTH_MAX;
    ts_tree_cursor_delete(&cursor);
    mem_free(w.stack);
    mark_training_loops(f);
    if (!too_deep)
        return STATUS_OK;
    source_facts_release(f);
    return err_set(err, STATUS_INPUT,
                   "%s is nested more than %d levels deep; is it a program that a person "
                   "wrote?",
                   name, SOURCE_DEPTH_MAX);
}
#endif
