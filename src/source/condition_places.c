/* Conditions of rules on where a node stands: loops, branches and functions around it. */
#ifdef GAIT_TREE_SITTER
#include "source/condition_list.h"

#include <stdlib.h>
#include <string.h>

bool condition_in_module(const struct match *m, const struct predicate *p)
{
    const struct source_facts *f = m->syntax->facts;
    int32_t c = source_class_of(f, place_of_node(m, match_node(m, &p->arguments[0])));
    return c >= 0 && f->classes[c].is_module;
}

/* Is there a node of these kinds around, within the same function? */
bool condition_inside(const struct match *m, const struct predicate *p)
{
    TSNode n = python_parent(match_node(m, &p->arguments[0]));
    for (int i = 0; i < 60 && !ts_node_is_null(n); i++, n = python_parent(n)) {
        if (python_node(n) == PY_function_definition)
            return false;
        for (int32_t k = 1; k < p->n; k++)
            if (slice_is(p->arguments[k].text, python_type(n)))
                return true;
    }
    return false;
}

/* Has the function or class around a name with one of these words? */
bool condition_in_function_word(const struct match *m, const struct predicate *p)
{
    const struct source_facts *f = m->syntax->facts;
    int32_t fn = source_function_of(f, place_of_node(m, match_node(m, &p->arguments[0])));
    char words[200];
    text_terminated(p->arguments[1].text, words, sizeof words);
    int32_t c = source_class_of(f, place_of_node(m, match_node(m, &p->arguments[0])));
    if (c >= 0 &&
        name_has_word((struct slice){f->classes[c].name, strlen(f->classes[c].name)},
                      words))
        return true;
    return fn >= 0 && name_has_word((struct slice){f->functions[fn].name,
                                                   strlen(f->functions[fn].name)},
                                    words);
}

/* (#in-context-word? @a "timer"): a with around it, in the same turn, has such a word. */
bool condition_in_context_word(const struct match *m, const struct predicate *p)
{
    enum { CLIMB_MAX = 100 };
    TSNode n = match_node(m, &p->arguments[0]);
    char words[200];
    text_terminated(p->arguments[1].text, words, sizeof words);
    for (int i = 0; i < CLIMB_MAX && !ts_node_is_null(n); i++, n = python_parent(n)) {
        enum python_node k = python_node(n);
        if (k == PY_for_statement || k == PY_while_statement ||
            k == PY_function_definition)
            return false;
        if (k == PY_with_statement &&
            name_has_word(text_head(python_slice(m->syntax->text, python_child(n, 0))),
                          words))
            return true;
    }
    return false;
}

/* Is one of these words the name of what a statement calls, or part of it? */
static bool calls_word(const struct match *m, TSNode statement, const char *words)
{
    const struct source_syntax *s = m->syntax;
    uint32_t begin = ts_node_start_byte(statement), end = python_end(statement);
    for (size_t i = 0; i < s->n_calls; i++) {
        uint32_t at = ts_node_start_byte(s->calls[i]);
        if (at >= begin && at < end &&
            name_has_word(text_head(python_slice(
                              s->text, python_field(s->calls[i], FIELD_function))),
                          words))
            return true;
    }
    return false;
}

/* (#beside-call? @a "barrier"): one of the two statements before or behind it, in its
 * block, calls something with such a word. */
bool condition_beside_call(const struct match *m, const struct predicate *p)
{
    enum { AWAY_MAX = 2 };
    TSNode n = match_node(m, &p->arguments[0]);
    char words[200];
    text_terminated(p->arguments[1].text, words, sizeof words);
    while (!ts_node_is_null(n) && python_node(n) != PY_expression_statement)
        n = python_parent(n);
    TSNode before = n, after = n;
    for (int i = 0; i < AWAY_MAX && !ts_node_is_null(n); i++) {
        before = ts_node_is_null(before) ? before : ts_node_prev_named_sibling(before);
        after = ts_node_is_null(after) ? after : ts_node_next_named_sibling(after);
        if ((!ts_node_is_null(before) && calls_word(m, before, words)) ||
            (!ts_node_is_null(after) && calls_word(m, after, words)))
            return true;
    }
    return false;
}

bool condition_in_loop(const struct match *m, const struct predicate *p)
{
    return source_in_loop(m->syntax->facts,
                          place_of_node(m, match_node(m, &p->arguments[0])));
}

/* Is a place within a loop always passed? */
static bool unconditional(const struct source_facts *f, int32_t place, int32_t loop)
{
    for (; place > loop; place = f->places[place].parent)
        if (f->places[place].kind == PLACE_BRANCH)
            return false;
    return true;
}

/* Does a name get its value before the innermost loop around, and keep it between turns? */
static bool is_carried(const struct match *m, TSNode n)
{
    const struct source_facts *f = m->syntax->facts;
    int32_t loop = place_of_node(m, n);
    while (loop > 0 && f->places[loop].kind != PLACE_LOOP &&
           f->places[loop].kind != PLACE_FUNCTION)
        loop = f->places[loop].parent;
    if (f->places[loop].kind != PLACE_LOOP)
        return false;
    if (python_node(n) == PY_attribute)
        return true; /* an object's field lives on */
    const struct binding *b =
        binding_of(m->syntax, python_slice(m->syntax->text, n), loop, UINT32_MAX);
    bool before = false;
    for (; b; b = b->previous >= 0 ? &m->syntax->bindings[b->previous] : NULL) {
        bool within = b->byte > f->places[loop].begin && b->byte <= f->places[loop].end;
        bool plain = python_node(python_parent(b->value)) == PY_assignment;
        if (within && plain && b->byte < ts_node_start_byte(n) &&
            unconditional(f, b->place, loop))
            return false; /* made anew in every turn */
        before |= !within;
    }
    return before;
}

bool condition_carried(const struct match *m, const struct predicate *p)
{
    return is_carried(m, match_node(m, &p->arguments[0]));
}

/* Is one of these targets carried into the next turn, with a graph behind it? */
static bool target_carries_graph(const struct match *m, TSNode target, TSNode value)
{
    if (python_node(target) == PY_identifier)
        return is_carried(m, target) && value_kind(m->syntax, target) != KIND_NUMBER &&
               value_may_have_graph(m->syntax, value);
    if (python_node(target) == PY_attribute || python_node(target) == PY_subscript)
        return false;
    for (uint32_t i = 0; i < python_children(target); i++)
        if (target_carries_graph(m, python_child(target, i), value))
            return true;
    return false;
}

static bool some_graph_carried(const struct match *m, TSNode n, int depth)
{
    enum { DEPTH_MAX = 200 };
    if (depth > DEPTH_MAX)
        return true; /* not known */
    TSNode value = python_field(n, FIELD_right);
    if (python_node(n) == PY_assignment && !ts_node_is_null(value))
        return target_carries_graph(m, python_field(n, FIELD_left), value);
    for (uint32_t i = 0; i < python_children(n); i++)
        if (some_graph_carried(m, python_child(n, i), depth + 1))
            return true;
    return false;
}

/* (#carries-graph? @a): does the innermost loop around hand a graph on to its next turn? */
bool condition_carries_graph(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    while (!ts_node_is_null(n) && python_node(n) != PY_for_statement &&
           python_node(n) != PY_while_statement &&
           python_node(n) != PY_function_definition)
        n = python_parent(n);
    if (ts_node_is_null(n) || python_node(n) == PY_function_definition)
        return false;
    return some_graph_carried(m, python_field(n, FIELD_body), 0);
}

/* How often a name stands in s->text[begin..end), at most `most` times. */
static int uses_of(const struct source_syntax *s, struct slice name, uint32_t begin,
                   uint32_t end, int most)
{
    int n = 0;
    const char *at = s->text + begin, *stop = s->text + end;
    while (n < most && at < stop &&
           (at = memmem(at, (size_t)(stop - at), name.s, name.len))) {
        bool starts_here = at == s->text || !python_is_name_byte(at[-1]);
        const char *behind = at + name.len;
        n += starts_here && (behind == s->text + s->len || !python_is_name_byte(*behind));
        at = behind;
    }
    return n;
}

/* The stretch of text in which a local name is seen: its function, or the file. */
static void scope_of(const struct match *m, TSNode n, uint32_t *begin, uint32_t *end)
{
    const struct source_facts *f = m->syntax->facts;
    int32_t fn = source_function_of(f, place_of_node(m, n));
    const struct source_place *p = &f->places[fn >= 0 ? f->functions[fn].place : 0];
    *begin = p->begin;
    *end = p->end < m->syntax->len ? p->end : (uint32_t)m->syntax->len;
}

/* Is a name given a value here and then nowhere used? */
bool condition_unused(const struct match *m, const struct predicate *p)
{
    TSNode n = match_node(m, &p->arguments[0]);
    struct slice name = python_slice(m->syntax->text, n);
    uint32_t begin, end;
    if (python_node(n) != PY_identifier || !name.len)
        return false;
    scope_of(m, n, &begin, &end);
    return uses_of(m->syntax, name, begin, end, 2) == 1;
}

/* Has the innermost loop around one of these words? */
bool condition_loop_has(const struct match *m, const struct predicate *p)
{
    const struct source_facts *f = m->syntax->facts;
    int32_t loop = source_loop_of(f, place_of_node(m, match_node(m, &p->arguments[0])));
    enum { LOOKED_AT_MAX = 200000 };
    if (loop < 0 || f->places[loop].end - f->places[loop].begin > LOOKED_AT_MAX)
        return loop >= 0;
    for (int32_t i = 1; i < p->n; i++)
        if (uses_of(m->syntax, p->arguments[i].text, f->places[loop].begin,
                    f->places[loop].end, 1))
            return true;
    return false;
}

/* Over what a loader gives; or after model.eval(), and what it gives is not gone back
 * through behind the loop. */
bool condition_over_data(const struct match *m, const struct predicate *p)
{
    struct source_facts *f = m->syntax->facts;
    int32_t loop = source_loop_of(f, place_of_node(m, match_node(m, &p->arguments[0])));
    return loop >= 0 && (f->places[loop].over_data ||
                         (f->places[loop].starts_in_eval &&
                          !source_turn_of(f, f->places[loop].parent)->backward));
}

/* (#counting-loop? @a): the innermost loop around goes over range(…), or is a while. */
bool condition_counting_loop(const struct match *m, const struct predicate *p)
{
    const struct source_facts *f = m->syntax->facts;
    int32_t loop = source_loop_of(f, place_of_node(m, match_node(m, &p->arguments[0])));
    return loop >= 0 && f->places[loop].counted;
}

/* Is a name bound in this loop, or a parameter of a function without one? */
static bool may_change(const struct match *m, TSNode name, int32_t loop)
{
    const struct source_facts *f = m->syntax->facts;
    const struct binding *b =
        binding_of(m->syntax, python_slice(m->syntax->text, name), place_of_node(m, name),
                   ts_node_start_byte(name));
    if (!b)
        return false;
    int32_t fn = source_function_of(f, place_of_node(m, name));
    bool parameter = fn >= 0 && b->byte < f->places[f->functions[fn].place].begin;
    if (ts_node_is_null(b->value) && !parameter)
        return true; /* the target of a loop, a with or a pattern */
    if (loop < 0)
        return b->scope >= 0;
    return b->byte >= f->places[loop].begin && b->byte <= f->places[loop].end;
}

static bool is_constant_in(struct inquiry *q, TSNode n, int32_t loop)
{
    if (q->budget-- <= 0 || q->depth > 20)
        return false;
    if (python_node(n) == PY_identifier && may_change(q->m, n, loop))
        return false;
    bool constant = true;
    q->depth++;
    for (uint32_t i = 0; constant && i < python_children(n); i++)
        constant = is_constant_in(q, python_child(n, i), loop);
    q->depth--;
    return constant;
}

/* (#constant? @a): the same in every turn of the loops around: no name of it is bound
 * there. */
bool condition_constant(const struct match *m, const struct predicate *p)
{
    const struct source_facts *f = m->syntax->facts;
    struct inquiry q = {.m = m, .budget = 100};
    TSNode n = match_node(m, &p->arguments[0]);
    int32_t loop = -1, around = source_loop_of(f, place_of_node(m, n));
    for (; around >= 0; around = source_loop_of(f, f->places[around].parent))
        loop = around;
    return !ts_node_is_null(n) && is_constant_in(&q, n, loop);
}

/* optimizer.step() or scaler.step(optimizer) */
static bool is_optimizer_step(const struct match *m, TSNode statement)
{
    const struct source_syntax *s = m->syntax;
    TSNode call = python_child(statement, 0), callee = python_field(call, FIELD_function);
    TSNode object = python_field(callee, FIELD_object);
    if (!slice_is(python_slice(s->text, python_field(callee, FIELD_attribute)), "step"))
        return false;
    TSNode first = argument_at(python_field(call, FIELD_arguments), 0);
    return !name_has_word(text_head(python_slice(s->text, object)),
                          "scheduler sched lr") &&
           (value_kind(s, object) == KIND_OPTIMIZER ||
            value_kind(s, first) == KIND_OPTIMIZER);
}

/* Does a later statement of the same block take the optimizer's step? */
bool condition_before_optimizer(const struct match *m, const struct predicate *p)
{
    enum { LOOKED_AT_MAX = 200 };
    TSNode n = match_node(m, &p->arguments[0]);
    while (!ts_node_is_null(n) && python_node(n) != PY_expression_statement)
        n = python_parent(n);
    for (int i = 0; i < LOOKED_AT_MAX && !ts_node_is_null(n); i++) {
        n = ts_node_next_named_sibling(n);
        if (!ts_node_is_null(n) && python_node(n) == PY_expression_statement &&
            is_optimizer_step(m, n))
            return true;
    }
    return false;
}
#endif
