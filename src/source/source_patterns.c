/* Reads the patterns and predicates of queries, and where each is to be tried. */
#ifdef GAIT_TREE_SITTER
#include "source/source_patterns.h"

#include "base/mem.h"
#include "source/tree_memory.h"

#include <ctype.h>
#include <string.h>

/* --- predicates */

/* "a" of "\"a\"": what stands behind a backslash, as it is. */
static struct slice unescaped(struct arena *memory, struct slice s)
{
    if (!memchr(s.s, '\\', s.len))
        return s;
    char *copy = arena_strndup(memory, s.s, s.len);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        i += s.s[i] == '\\' && i + 1 < s.len;
        copy[n++] = s.s[i];
    }
    return (struct slice){copy, n};
}

static struct predicate predicate_of(const struct source_query *q,
                                     const struct pattern *parts,
                                     const struct predicate_text *text)
{
    struct slice name = text->name;
    struct predicate p = {.n = text->n};
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
    p.arguments = arena_alloc(q->memory, (size_t)p.n * sizeof *p.arguments + 1);
    for (int32_t i = 0; i < p.n; i++) {
        const struct predicate_argument *from = &text->arguments[i];
        p.arguments[i] = (struct match_argument){.is_capture = from->is_capture};
        if (from->is_capture)
            p.arguments[i].capture = pattern_capture(parts, from->text);
        else
            p.arguments[i].text = unescaped(q->memory, from->text);
    }
    return p;
}

static void read_predicates(const struct source_query *q, struct source_pattern *p,
                            struct slice text)
{
    struct predicate_text each;
    struct slice rest = text;
    size_t n = 0;
    while (predicate_next(&rest, &each))
        n++;
    p->predicates = arena_alloc(q->memory, n * sizeof *p->predicates + 1);
    for (rest = text; predicate_next(&rest, &each);)
        p->predicates[p->n++] = predicate_of(q, &p->parts, &each);
}

/* Each word that job-has? and file-has? ask for. */
static void add_words(struct source_query *q, struct slice text)
{
    struct predicate_text p;
    while (predicate_next(&text, &p)) {
        bool asks = slice_is(p.name, "job-has?") || slice_is(p.name, "not-job-has?") ||
                    slice_is(p.name, "file-has?") || slice_is(p.name, "not-file-has?");
        for (int32_t i = 0; asks && i < p.n; i++)
            source_word_add(q, p.arguments[i].text);
    }
}

/* --- patterns of calls, by the name that is called */

static uint32_t trigger_hash(struct slice name)
{
    return slice_hash(name, 0) % TRIGGER_HASH_SIZE;
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

/* "cat" of "torch.cat"; "" where it does not end in a name. */
static struct slice last_name(struct slice text)
{
    size_t n = 0;
    while (n < text.len && (isalnum((unsigned char)text.s[text.len - n - 1]) ||
                            text.s[text.len - n - 1] == '_'))
        n++;
    return (struct slice){text.s + text.len - n, n};
}

static int32_t part_of_field(const struct pattern *p, int32_t first, const char *field)
{
    TSFieldId id = ts_language_field_id_for_name(tree_sitter_python(), field,
                                                 (uint32_t)strlen(field));
    while (first >= 0 && p->parts[first].field != id)
        first = p->parts[first].next;
    return first;
}

static bool is_captured_as(const struct pattern_part *part, int32_t capture)
{
    for (int32_t i = 0; i < part->n_captures; i++)
        if (part->captures[i] == capture)
            return true;
    return false;
}

/* Is it what a call calls, or the name behind its last point? */
static bool is_callee(const struct pattern *p, int32_t capture)
{
    const struct pattern_part *root = &p->parts[0];
    if (root->what != PATTERN_NODE ||
        strcmp(ts_language_symbol_name(tree_sitter_python(), root->symbol), "call") != 0)
        return false;
    int32_t callee = part_of_field(p, root->first, "function");
    if (callee < 0)
        return false;
    int32_t name = part_of_field(p, p->parts[callee].first, "attribute");
    return is_captured_as(&p->parts[callee], capture) ||
           (name >= 0 && is_captured_as(&p->parts[name], capture));
}

/* Does this condition name all that a call may call, as in
 *   ((call function: (_) @f) @hit (#is? @f "torch.cat" "torch.stack"))
 * so that the pattern need not be tried at others? */
static bool names_callee(const struct pattern *parts, const struct predicate_text *p)
{
    bool names = slice_is(p->name, "eq?") || slice_is(p->name, "any-of?") ||
                 slice_is(p->name, "is?");
    if (!names || p->n < 2 || !p->arguments[0].is_capture ||
        !is_callee(parts, pattern_capture(parts, p->arguments[0].text)))
        return false;
    for (int32_t i = 1; i < p->n; i++)
        if (p->arguments[i].is_capture || !last_name(p->arguments[i].text).len)
            return false;
    return true;
}

/* False where the pattern does not say what is called. */
static bool add_at_names(struct source_query *q, int32_t row, struct slice text)
{
    struct predicate_text p;
    bool named = false;
    while (!named && predicate_next(&text, &p))
        named = names_callee(&q->patterns[row].parts, &p);
    for (int32_t i = 1; named && i < p.n; i++)
        add_trigger(q, last_name(p.arguments[i].text), row);
    return named;
}

/* --- all others, by the kind of node that they begin with */

int32_t source_begin_first(const struct source_query *q, TSSymbol symbol)
{
    return symbol < PYTHON_SYMBOLS_MAX ? q->begin_of_symbol[symbol] : -1;
}

static void add_at_kind(struct source_query *q, TSSymbol symbol, int32_t row)
{
    int32_t *first = &q->begin_of_symbol[symbol];
    if (*first >= 0 && q->begins[*first].pattern == row)
        return;
    vec_grow(q->begins, q->cap_begins, q->n_begins + 1);
    q->begins[q->n_begins] = (struct source_begin){row, *first};
    *first = (int32_t)q->n_begins++;
}

static void add_at_kinds(struct source_query *q, int32_t row)
{
    const struct pattern *p = &q->patterns[row].parts;
    bool choice = p->parts[0].what == PATTERN_CHOICE;
    for (int32_t i = choice ? p->parts[0].first : 0; i >= 0; i = p->parts[i].next) {
        if (p->parts[i].what != PATTERN_NODE)
            BUG("a rule's pattern begins with any node");
        add_at_kind(q, p->parts[i].symbol, row);
    }
}

static void add_pattern(struct source_query *q, int32_t query, struct slice text)
{
    int32_t row = (int32_t)q->n_patterns++;
    vec_grow(q->patterns, q->cap_patterns, q->n_patterns);
    struct source_pattern *p = &q->patterns[row];
    *p = (struct source_pattern){.query = query};
    pattern_read(&p->parts, text);
    read_predicates(q, p, text);
    p->hit = pattern_capture(&p->parts, (struct slice){"hit", 3});
    add_words(q, text);
    if (!add_at_names(q, row, text))
        add_at_kinds(q, row);
}

struct source_query *source_query_new(const char *const *queries, size_t n)
{
    struct source_query *q = mem_zalloc(1, sizeof *q);
    tree_memory_use();
    memset(q->trigger_of_hash, 0xff, sizeof q->trigger_of_hash);
    memset(q->begin_of_symbol, 0xff, sizeof q->begin_of_symbol);
    memset(q->word_of_hash, 0xff, sizeof q->word_of_hash);
    q->memory = mem_zalloc(1, sizeof *q->memory);
    arena_init(q->memory);
    for (size_t i = 0; i < n; i++) {
        struct slice rest = {queries[i], strlen(queries[i])}, pattern;
        while (pattern_next(&rest, &pattern))
            add_pattern(q, (int32_t)i, pattern);
    }
    return q;
}

void source_query_free(struct source_query *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < q->n_patterns; i++)
        pattern_release(&q->patterns[i].parts);
    arena_release(q->memory);
    mem_free(q->memory);
    mem_free(q->patterns);
    mem_free(q->triggers);
    mem_free(q->begins);
    mem_free(q);
}
#endif
