/*
 * Matches a pattern at a node, by trying: each part in turn takes a child, and what must
 * still be matched (`rest`) is tried behind it. Once that ends, all parts fit.
 */
#ifdef GAIT_TREE_SITTER
#include "source/pattern.h"

#include "base/mem.h"

#include <string.h>

/* Of one pattern at one node, a fraction of a second. What people write takes some dozens,
 * a block of thousands of statements some for each. */
enum { TRIES_MAX = 5 * 1000 * 1000 };

struct matching {
    const struct pattern *pattern;
    const struct python_nodes *nodes;
    void (*take)(void *context, const TSNode *captures);
    void *context;
    int32_t tries;
    bool any; /* was taken, with these: */
    TSNode taken[PATTERN_CAPTURES_MAX];
    TSNode captures[PATTERN_CAPTURES_MAX];
};

/* What must match behind a node: part of the same parent, then of those above. */
struct rest {
    int32_t part, row; /* to begin at, -1: there is none left */
    const struct rest *above;
};

/* Without captures in it, a part may match in several ways that are all one. */
static bool is_taken(const struct matching *m)
{
    bool same = m->any;
    for (int32_t i = 0; i < m->pattern->n_captures && same; i++)
        same = ts_node_eq(m->taken[i], m->captures[i]);
    return same;
}

static bool try_parts(struct matching *m, struct rest r);

/* Answers whether all that was left has matched. */
static bool go_on(struct matching *m, const struct rest *r)
{
    if (r)
        return try_parts(m, *r);
    if (is_taken(m))
        return true;
    m->any = true;
    memcpy(m->taken, m->captures, (size_t)m->pattern->n_captures * sizeof *m->taken);
    m->take(m->context, m->captures);
    return true;
}

static bool is_of(const struct pattern_part *p, const struct python_row *n)
{
    switch (p->what) {
    case PATTERN_NODE:
    case PATTERN_TOKEN:
        return n->symbol == p->symbol;
    case PATTERN_ANY_NODE:
        return n->named && !n->error;
    default:
        return false;
    }
}

static bool try_node(struct matching *m, int32_t part, int32_t row,
                     const struct rest *rest);

static bool try_choices(struct matching *m, const struct pattern_part *choice,
                        int32_t row, const struct rest *rest)
{
    bool any = false;
    for (int32_t i = choice->first; i >= 0; i = m->pattern->parts[i].next)
        any |= try_node(m, i, row, rest);
    return any;
}

/* Does the part match this node, and all that is left what lies behind it? */
static bool try_node(struct matching *m, int32_t part, int32_t row,
                     const struct rest *rest)
{
    const struct pattern_part *p = &m->pattern->parts[part];
    const struct python_row *n = &m->nodes->rows[row];
    TSNode before[PATTERN_NAMES_MAX];
    if (++m->tries > TRIES_MAX || (p->what != PATTERN_CHOICE && !is_of(p, n)))
        return false;
    for (int32_t i = 0; i < p->n_captures; i++) {
        before[i] = m->captures[p->captures[i]];
        m->captures[p->captures[i]] = n->node;
    }
    bool any;
    if (p->what == PATTERN_CHOICE)
        any = try_choices(m, p, row, rest);
    else if (p->first >= 0)
        any = try_parts(m, (struct rest){p->first, n->first, rest});
    else
        any = go_on(m, rest);
    for (int32_t i = 0; i < p->n_captures; i++)
        m->captures[p->captures[i]] = before[i];
    return any;
}

static bool named_ones_follow(const struct matching *m, int32_t row)
{
    for (row = m->nodes->rows[row].next; row >= 0; row = m->nodes->rows[row].next)
        if (m->nodes->rows[row].named)
            return true;
    return false;
}

static bool stands_well(const struct matching *m, const struct pattern_part *p,
                        int32_t row)
{
    return (!p->field || p->field == m->nodes->rows[row].field) &&
           !(p->last && named_ones_follow(m, row));
}

/* A part that may stand any number of times, and those behind it. It holds no other. */
static bool try_repeated(struct matching *m, struct rest r)
{
    const struct pattern_part *p = &m->pattern->parts[r.part];
    bool any = false;
    for (int32_t row = r.row; m->tries <= TRIES_MAX;) {
        struct rest behind = {p->next, row, r.above};
        any |= go_on(m, p->next < 0 ? r.above : &behind);
        for (; row >= 0; row = m->nodes->rows[row].next, m->tries++) {
            const struct python_row *n = &m->nodes->rows[row];
            if (is_of(p, n) && stands_well(m, p, row))
                break;
            if (p->immediate && n->named)
                return any;
        }
        if (row < 0)
            return any;
        row = m->nodes->rows[row].next;
    }
    return any;
}

/* Part r.part and those behind it, from r.row on. */
static bool try_parts(struct matching *m, struct rest r)
{
    const struct pattern_part *p = &m->pattern->parts[r.part];
    struct rest behind = {p->next, r.row, r.above};
    const struct rest *left = p->next < 0 ? r.above : &behind;
    bool any = false;
    if (p->repeats)
        return try_repeated(m, r);
    for (int32_t row = r.row; row >= 0 && m->tries <= TRIES_MAX; row = behind.row) {
        behind.row = m->nodes->rows[row].next;
        any |= stands_well(m, p, row) && try_node(m, r.part, row, left);
        if (p->immediate && m->nodes->rows[row].named)
            break;
        m->tries++;
    }
    behind.row = r.row;
    return any || (p->optional && go_on(m, left));
}

bool pattern_match(const struct pattern *p, const struct python_nodes *nodes, int32_t row,
                   void (*take)(void *context, const TSNode *captures), void *context)
{
    struct matching m; /* all of it need not be cleared */
    m.pattern = p;
    m.nodes = nodes;
    m.take = take;
    m.context = context;
    m.tries = 0;
    m.any = false;
    memset(m.captures, 0, (size_t)p->n_captures * sizeof *m.captures);
    try_node(&m, 0, row, NULL);
    return m.tries <= TRIES_MAX;
}
#endif
