/* Compiles the patterns of queries. A pattern's predicates are a flat list of steps: name,
 * arguments, DONE, name, … */
#ifdef GAIT_TREE_SITTER
#include "source/source_patterns.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "source/pattern_text.h"
#include "source/tree_memory.h"

#include <string.h>

static struct slice string_of(const TSQuery *q, uint32_t id)
{
    uint32_t len;
    const char *s = ts_query_string_value_for_id(q, id, &len);
    return (struct slice){s, len};
}

/* steps[0..n): the name, the arguments. */
static struct predicate compiled_predicate(const struct source_query *q,
                                           const TSQuery *from,
                                           const TSQueryPredicateStep *steps, uint32_t n)
{
    struct slice name = string_of(from, steps[0].value_id);
    struct predicate p = {.n = (int32_t)n - 1};
    struct slice base = {name.s, name.len ? name.len - 1 : 0};
    p.directive = name.len && name.s[name.len - 1] == '!';
    if (!p.directive && base.len > 4 && !memcmp(base.s, "not-", 4)) {
        p.negated = true;
        base = (struct slice){base.s + 4, base.len - 4};
    }
    p.which = p.directive ? directive_find(base) : condition_find(base);
    if (p.which < 0 || (!p.directive && p.n < condition_least(p.which)))
        BUG("a rule's query has a predicate #%.*s with %d arguments", (int)name.len,
            name.s, (int)p.n);
    p.arguments = arena_alloc(q->memory, n * sizeof *p.arguments);
    for (int32_t i = 0; i < p.n; i++) {
        bool capture = steps[i + 1].type == TSQueryPredicateStepTypeCapture;
        p.arguments[i] = (struct match_argument){.is_capture = capture};
        if (capture)
            p.arguments[i].capture = steps[i + 1].value_id;
        else
            p.arguments[i].text = string_of(from, steps[i + 1].value_id);
    }
    return p;
}

static uint32_t id_of_capture(const TSQuery *q, struct slice name)
{
    for (uint32_t i = 0; i < ts_query_capture_count(q); i++) {
        struct slice other;
        uint32_t len;
        other.s = ts_query_capture_name_for_id(q, i, &len);
        other.len = len;
        if (slice_equal(other, name))
            return i;
    }
    BUG("a rule's query has no @%.*s", (int)name.len, name.s);
}

/* Pattern `row` of a compiled query, which lives as long as q. */
static void compile_pattern(const struct source_query *q, struct source_pattern *p,
                            const TSQuery *from, uint32_t row)
{
    uint32_t count;
    const TSQueryPredicateStep *steps =
        ts_query_predicates_for_pattern(from, row, &count);
    p->hit = id_of_capture(from, (struct slice){"hit", 3});
    p->predicates = arena_alloc(q->memory, (count + 1) * sizeof *p->predicates);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (steps[i].type != TSQueryPredicateStepTypeDone)
            continue;
        p->predicates[p->n++] = compiled_predicate(q, from, steps + first, i - first);
        first = i + 1;
    }
}

static TSQuery *compile(const char *text, size_t len)
{
    uint32_t at;
    TSQueryError error;
    TSQuery *q = ts_query_new(tree_sitter_python(), text, (uint32_t)len, &at, &error);
    if (!q)
        BUG("a rule's query is wrong at: %.60s", text + at);
    return q;
}

/* --- patterns of calls, by the name that is called */

static uint32_t trigger_hash(struct slice name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.len; i++)
        h = (h ^ (unsigned char)name.s[i]) * 16777619u;
    return (h ^ h >> 15) % TRIGGER_HASH_SIZE;
}

static int32_t trigger_from(const struct source_query *q, int32_t row, struct slice name)
{
    while (row >= 0 && !slice_equal(q->triggers[row].name, name))
        row = q->triggers[row].next;
    return row;
}

int32_t source_trigger_first(const struct source_query *q, struct slice name)
{
    return trigger_from(q, q->trigger_of_hash[trigger_hash(name)], name);
}

int32_t source_trigger_next(const struct source_query *q, int32_t row)
{
    return trigger_from(q, q->triggers[row].next, q->triggers[row].name);
}

static void add_trigger(struct source_query *q, struct slice name, int32_t pattern)
{
    uint32_t h = trigger_hash(name);
    for (int32_t i = source_trigger_first(q, name); i >= 0; i = source_trigger_next(q, i))
        if (q->triggers[i].pattern == pattern)
            return;
    vec_grow(q->triggers, q->cap_triggers, q->n_triggers + 1);
    q->triggers[q->n_triggers] =
        (struct source_trigger){name, pattern, q->trigger_of_hash[h]};
    q->trigger_of_hash[h] = (int32_t)q->n_triggers++;
}

static void take_word(void *query, struct slice word)
{
    source_word_add(query, word);
}

static void add_pattern(struct source_query *q, struct strbuf *general, int32_t query,
                        struct slice text)
{
    struct predicate_text names;
    int32_t row = (int32_t)q->n_patterns++;
    vec_grow(q->patterns, q->cap_patterns, q->n_patterns);
    q->patterns[row] = (struct source_pattern){.query = query, .text = text};
    pattern_words(text, take_word, q);
    if (pattern_trigger(text, &names)) {
        for (int32_t i = 0; i < names.n; i++)
            add_trigger(q, names.strings[i], row);
        return;
    }
    strbuf_add(general, text.s, text.len);
    strbuf_puts(general, "\n");
    vec_grow(q->of_general, q->cap_general, q->n_general + 1);
    q->of_general[q->n_general++] = row;
}

const TSQuery *source_pattern_alone(const struct source_query *q, int32_t row)
{
    struct source_pattern *p = &q->patterns[row];
    pthread_mutex_lock(q->lock);
    if (!p->own) {
        p->own = compile(p->text.s, p->text.len);
        compile_pattern(q, p, p->own, 0);
    }
    pthread_mutex_unlock(q->lock);
    return p->own;
}

struct source_query *source_query_new(const char *const *queries, size_t n)
{
    struct source_query *q = mem_zalloc(1, sizeof *q);
    struct strbuf general;
    tree_memory_use();
    strbuf_init(&general);
    memset(q->trigger_of_hash, 0xff, sizeof q->trigger_of_hash);
    memset(q->word_of_hash, 0xff, sizeof q->word_of_hash);
    q->lock = mem_zalloc(1, sizeof *q->lock);
    q->memory = mem_zalloc(1, sizeof *q->memory);
    pthread_mutex_init(q->lock, NULL);
    arena_init(q->memory);
    for (size_t i = 0; i < n; i++) {
        struct slice rest = {queries[i], strlen(queries[i])}, pattern;
        while (pattern_text_next(&rest, &pattern))
            add_pattern(q, &general, (int32_t)i, pattern);
    }
    q->general = compile(general.s, general.len);
    for (size_t i = 0; i < q->n_general; i++)
        compile_pattern(q, &q->patterns[q->of_general[i]], q->general, (uint32_t)i);
    strbuf_release(&general);
    return q;
}

void source_query_compile_all(const struct source_query *q)
{
    for (size_t i = 0; i < q->n_triggers; i++)
        source_pattern_alone(q, q->triggers[i].pattern);
}

void source_query_free(struct source_query *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->n_patterns; i++)
        if (q->patterns[i].own)
            ts_query_delete(q->patterns[i].own);
    ts_query_delete(q->general);
    arena_release(q->memory);
    mem_free(q->memory);
    pthread_mutex_destroy(q->lock);
    mem_free(q->lock);
    mem_free(q->patterns);
    mem_free(q->of_general);
    mem_free(q->triggers);
    mem_free(q);
}
#endif
