/*
 * tree-sitter finds matches; the predicates in a query are the caller's to judge. A
 * pattern's predicates are a flat list of steps: name, arguments, DONE, name, …
 */
#ifdef GAIT_TREE_SITTER
#include "source/lint_query.h"

#include "base/clock.h"

#include <string.h>

/* More states at once than any honest source needs; above it tree-sitter drops some. */
enum { MATCH_LIMIT = 4096 };
enum { QUERIES_MAX = 64 }; /* of all rules */

struct slice {
    const char *s;
    size_t len;
};

struct matching {
    TSQuery *query;
    const TSQueryMatch *match;
    const char *text;
};

static bool slice_equal(struct slice a, struct slice b)
{
    return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

/* Looks at the beginning only: nested calls would make the whole quadratic. */
static bool slice_contains(struct slice a, struct slice b)
{
    enum { LOOK_BYTES_MAX = 256 };
    a.len = a.len < LOOK_BYTES_MAX ? a.len : LOOK_BYTES_MAX;
    return memmem(a.s, a.len, b.s, b.len) != NULL;
}

static struct slice string_of(const TSQuery *q, uint32_t id)
{
    uint32_t len;
    const char *s = ts_query_string_value_for_id(q, id, &len);
    return (struct slice){s, len};
}

static bool capture_of(const struct matching *m, uint32_t id, TSNode *out)
{
    for (uint16_t i = 0; i < m->match->capture_count; i++)
        if (m->match->captures[i].index == id) {
            *out = m->match->captures[i].node;
            return true;
        }
    return false;
}

static struct slice argument(const struct matching *m, TSQueryPredicateStep step)
{
    if (step.type == TSQueryPredicateStepTypeString)
        return string_of(m->query, step.value_id);
    TSNode n;
    if (!capture_of(m, step.value_id, &n))
        return (struct slice){"", 0};
    uint32_t begin = ts_node_start_byte(n);
    return (struct slice){m->text + begin, ts_node_end_byte(n) - begin};
}

/* steps[0..n): the name, the capture, the texts. */
static bool predicate_holds(const struct matching *m, const TSQueryPredicateStep *steps,
                            uint32_t n)
{
    struct slice name = string_of(m->query, steps[0].value_id);
    bool contains = slice_equal(name, (struct slice){"contains?", 9});
    bool known = contains || slice_equal(name, (struct slice){"eq?", 3}) ||
                 slice_equal(name, (struct slice){"any-of?", 7});
    if (!known || n < 3)
        BUG("a rule's query has a predicate #%.*s with %u arguments", (int)name.len,
            name.s, (unsigned)n - 1);
    struct slice subject = argument(m, steps[1]);
    for (uint32_t i = 2; i < n; i++) {
        struct slice wanted = argument(m, steps[i]);
        if (contains ? slice_contains(subject, wanted) : slice_equal(subject, wanted))
            return true;
    }
    return false;
}

static bool predicates_hold(const struct matching *m)
{
    uint32_t count;
    const TSQueryPredicateStep *steps =
        ts_query_predicates_for_pattern(m->query, m->match->pattern_index, &count);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].type != TSQueryPredicateStepTypeDone)
            continue;
        if (!predicate_holds(m, steps + first, i - first))
            return false;
        first = i + 1;
    }
    return true;
}

static uint32_t id_of_hit(const TSQuery *q)
{
    for (uint32_t i = 0; i < ts_query_capture_count(q); i++) {
        uint32_t len;
        const char *name = ts_query_capture_name_for_id(q, i, &len);
        if (len == 3 && !memcmp(name, "hit", 3))
            return i;
    }
    BUG("a rule's query has no @hit");
}

static TSQuery *compile(const char *query)
{
    uint32_t error_offset;
    TSQueryError error;
    TSQuery *q = ts_query_new(tree_sitter_python(), query, (uint32_t)strlen(query),
                              &error_offset, &error);
    if (!q)
        BUG("a rule's query is wrong at byte %u: %.40s", (unsigned)error_offset,
            query + error_offset);
    return q;
}

/* Compiling takes longer than running over a source: each query is compiled once, and
 * stays until the process ends. */
static TSQuery *compiled(const char *query)
{
    static struct {
        const char *text;
        TSQuery *query;
    } known[QUERIES_MAX];
    size_t i = 0;
    while (i < QUERIES_MAX && known[i].text && known[i].text != query)
        i++;
    if (i == QUERIES_MAX)
        BUG("more than %d queries", QUERIES_MAX);
    if (!known[i].text) {
        known[i].query = compile(query);
        known[i].text = query;
    }
    return known[i].query;
}

bool lint_query_run(const char *query, TSNode root, const char *text,
                    void (*found)(void *context, TSNode hit), void *context)
{
    TSQuery *q = compiled(query);
    uint32_t hit_id = id_of_hit(q);
    TSQueryCursor *cursor = ts_query_cursor_new();
    ts_query_cursor_set_match_limit(cursor, MATCH_LIMIT);
    ts_query_cursor_set_timeout_micros(cursor, PYTHON_PARSE_MICROS_MAX);
    int64_t begin_ns = clock_now_ns();
    ts_query_cursor_exec(cursor, q, root);
    TSQueryMatch match;
    while (ts_query_cursor_next_match(cursor, &match)) {
        struct matching m = {q, &match, text};
        TSNode hit;
        if (predicates_hold(&m) && capture_of(&m, hit_id, &hit))
            found(context, hit);
    }
    /* The cursor does not say that its time was over; the clock does. */
    bool in_time = clock_now_ns() - begin_ns < PYTHON_PARSE_MICROS_MAX * INT64_C(1000);
    bool complete = in_time && !ts_query_cursor_did_exceed_match_limit(cursor);
    ts_query_cursor_delete(cursor);
    return complete;
}
#endif
