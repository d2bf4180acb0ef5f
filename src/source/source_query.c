/* Reads a file: its facts, then the matches of all patterns, as source_patterns.c reads them. */
#ifdef GAIT_TREE_SITTER
#include "source/source_query.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "source/source_patterns.h"
#include "source/source_waits.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN_CHARACTERS_MAX = 200 };

bool source_available(void)
{
    return true;
}

TSNode match_node(const struct match *m, const struct match_argument *a)
{
    static const TSNode none = {0};
    return a->is_capture ? m->captures[a->capture] : none;
}

struct slice match_text(const struct match *m, const struct match_argument *a)
{
    return a->is_capture ? python_slice(m->syntax->text, match_node(m, a)) : a->text;
}

static bool predicates_hold(const struct match *m, const struct source_pattern *p)
{
    for (int32_t i = 0; i < p->n; i++) {
        const struct predicate *c = &p->predicates[i];
        if (!c->directive && !condition_is_late(c->which) &&
            !condition_holds(c->which, m, c))
            return false;
    }
    return true;
}

static bool is_control(const char *p)
{
    unsigned char c = (unsigned char)p[0];
    return c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)p[1] < 0xa0);
}

/* A byte order mark is no part of the first line. */
static uint32_t line_begin(const char *text, uint32_t at)
{
    uint32_t begin = at;
    while (begin && text[begin - 1] != '\n')
        begin--;
    return !begin && at >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : begin;
}

static int32_t characters(const char *text, uint32_t begin, uint32_t end)
{
    int32_t n = 0;
    for (; begin < end; begin++)
        n += ((unsigned char)text[begin] & 0xc0) != 0x80;
    return n;
}

/* The line that begins at byte `begin`, safe to print. */
static const char *shown_line(const struct source_syntax *s, uint32_t begin)
{
    struct strbuf out;
    strbuf_init(&out);
    int32_t shown = 0;
    for (size_t i = begin; i < s->len && s->text[i] != '\n' && s->text[i] != '\r';) {
        int seq = utf8_sequence_len(s->text + i, s->len - i);
        bool plain = seq && !is_control(s->text + i);
        const char *instead = s->text[i] == '\t' ? " " : "?";
        if (shown++ == SHOWN_CHARACTERS_MAX) {
            strbuf_puts(&out, "…");
            break;
        }
        strbuf_add(&out, plain ? s->text + i : instead, plain ? (size_t)seq : 1);
        i += seq ? (size_t)seq : 1;
    }
    const char *copy = arena_strdup(&s->facts->text, out.s);
    strbuf_release(&out);
    return copy;
}

static int32_t limited(int32_t n, int32_t most)
{
    return n < most ? n : most;
}

/* Where a chain of calls spans lines, its last line is where the cause is named. */
static void place_hit(const struct source_syntax *s, TSNode n, struct source_hit *hit)
{
    uint32_t begin = ts_node_start_byte(n), end = python_end(n);
    uint32_t line = line_begin(s->text, begin), last = line_begin(s->text, end);
    hit->begin = begin;
    hit->end = end;
    hit->line = (int32_t)ts_node_start_point(n).row + 1;
    hit->end_line = (int32_t)ts_node_end_point(n).row + 1;
    hit->column = characters(s->text, line, begin) + 1;
    hit->end_column = characters(s->text, last, end) + 1;
    hit->place = source_place_at(s->facts, begin);
    uint32_t shown_end = begin;
    while (shown_end < end && s->text[shown_end] != '\n' && s->text[shown_end] != '\r')
        shown_end++;
    int32_t width = characters(s->text, begin, shown_end);
    hit->source = shown_line(s, line);
    hit->caret = limited(hit->column - 1, SHOWN_CHARACTERS_MAX);
    hit->caret_width = limited(width > 0 ? width : 1, SHOWN_CHARACTERS_MAX);
}

static uint32_t blanks_before(const char *text, uint32_t at)
{
    uint32_t n = 0;
    while (n < at && (text[at - n - 1] == ' ' || text[at - n - 1] == '\t' ||
                      text[at - n - 1] == '\f'))
        n++;
    return n;
}

static void place_comments(struct source_file *f, const struct source_syntax *s)
{
    for (size_t i = 0; i < f->n_comments; i++) {
        struct source_comment *c = &f->comments[i];
        uint32_t end = c->end;
        while (end < s->len && s->text[end] != '\n')
            end++;
        c->line_begin = line_begin(s->text, c->begin);
        c->line_end = end + (end < s->len);
        c->blanks = blanks_before(s->text, c->begin);
        c->column = characters(s->text, c->line_begin, c->begin) + 1;
        c->source = shown_line(s, c->line_begin);
    }
}

static void take(struct source_file *f, const struct source_query *q,
                 const struct match *m, const struct source_pattern *p)
{
    TSNode n = m->captures[p->hit];
    if (ts_node_is_null(n) || !predicates_hold(m, p))
        return;
    vec_grow(f->hits, f->cap_hits, f->n_hits + 1);
    struct source_hit *h = &f->hits[f->n_hits++];
    *h = (struct source_hit){
        .query = p->query, .pattern = (int32_t)(p - q->patterns), .advice = ""};
    place_hit(m->syntax, n, h);
    for (int32_t i = 0; i < p->n; i++)
        if (p->predicates[i].directive)
            directive_apply(p->predicates[i].which, m, &p->predicates[i], h);
}

/* --- the search */

struct search {
    struct source_file *file;
    const struct source_query *query;
    const struct source_syntax *syntax;
    const struct source_pattern *pattern; /* that is tried */
    bool incomplete;                      /* time or room ran out */
};

static void take_match(void *search, const TSNode *captures)
{
    struct search *s = search;
    struct match m = {s->syntax, captures};
    s->incomplete |= work_limit_is_over(s->syntax->limit);
    if (!s->incomplete)
        take(s->file, s->query, &m, s->pattern);
}

static void try_pattern(struct search *s, int32_t pattern, int32_t node)
{
    s->pattern = &s->query->patterns[pattern];
    if (!pattern_match(&s->pattern->parts, &s->syntax->nodes, node, take_match, s))
        s->incomplete = true;
}

static void search_node(struct search *s, int32_t node)
{
    const struct source_query *q = s->query;
    int32_t row = source_begin_first(q, s->syntax->nodes.rows[node].symbol);
    for (; row >= 0; row = q->begins[row].next)
        try_pattern(s, q->begins[row].pattern, node);
}

static void search_name(struct search *s, int32_t call, struct slice callee)
{
    const struct source_query *q = s->query;
    int32_t row = callee.len ? source_trigger_first(q, callee) : -1;
    for (; row >= 0; row = source_trigger_next(q, row))
        try_pattern(s, q->triggers[row].pattern, call);
}

/* By the name that is called, and by what an import says it is. */
static void search_call(struct search *s, int32_t call)
{
    TSNode callee = python_field(s->syntax->nodes.rows[call].node, FIELD_function);
    bool plain = python_node(callee) == PY_identifier;
    struct slice name = python_slice(
        s->syntax->text, plain ? callee : python_field(callee, FIELD_attribute));
    search_name(s, call, name);
    char full[FULL_NAME_MAX];
    if (!plain)
        return;
    full_name(s->syntax, callee, full, sizeof full);
    const char *last = strrchr(full, '.');
    if (last && !slice_is(name, last + 1))
        search_name(s, call, (struct slice){last + 1, strlen(last + 1)});
}

/* False where time or room ran out before the end of the text. */
static bool run_query(struct source_file *f, const struct source_query *q,
                      const struct source_syntax *syntax)
{
    struct search s = {.file = f, .query = q, .syntax = syntax};
    *syntax->limit = work_limit_begin();
    for (size_t i = 0; i < syntax->nodes.n && !s.incomplete; i++) {
        search_node(&s, (int32_t)i);
        if (python_node(syntax->nodes.rows[i].node) == PY_call)
            search_call(&s, (int32_t)i);
        s.incomplete |= work_limit_is_over(syntax->limit);
    }
    return !s.incomplete;
}

static int compare_hits(const void *a, const void *b)
{
    const struct source_hit *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return (x->pattern > y->pattern) - (x->pattern < y->pattern);
}

static enum status read_tree(struct source_file *f, const struct source_query *q,
                             struct source_syntax *s, const char *name, struct err *err)
{
    enum status st = python_nodes_read(&s->nodes, s->tree, s->limit, name, err);
    if (st)
        return st;
    python_nodes_use(&s->nodes);
    st = source_syntax_read(s, q, name, err);
    if (!st)
        place_comments(f, s);
    if (!st && !(run_query(f, q, s) && wait_calls_note(s)))
        st = err_set(err, STATUS_INPUT, SOURCE_TOO_LONG, name);
    python_nodes_use(NULL);
    if (f->n_hits)
        qsort(f->hits, f->n_hits, sizeof *f->hits, compare_hits);
    return st;
}

enum status source_file_read(struct source_file *f, const struct source_query *q,
                             const char *text, size_t len, const char *name,
                             struct err *err)
{
    struct work_limit limit = work_limit_begin();
    struct source_syntax s = {
        .text = text, .len = len, .facts = &f->facts, .file = f, .limit = &limit};
    *f = (struct source_file){.hash = content_hash_of(text, len)};
    source_facts_init(&f->facts);
    enum status st = python_parse(&s.tree, text, len, name, err);
    if (!st) {
        limit = work_limit_begin();
        st = read_tree(f, q, &s, name, err);
        source_syntax_release(&s);
        python_nodes_release(&s.nodes);
        ts_tree_delete(s.tree);
    }
    if (st)
        source_file_release(f);
    return st;
}

void source_file_release(struct source_file *f)
{
    source_facts_release(&f->facts);
    mem_free(f->hits);
    mem_free(f->comments);
    mem_free(f->joined);
    *f = (struct source_file){0};
}

bool source_hit_holds(const struct source_query *q, const struct source_file *f,
                      const struct source_hit *hit,
                      const uint64_t job_words[SOURCE_WORD_SETS])
{
    const struct source_pattern *p = &q->patterns[hit->pattern];
    struct project_view v = {q, &f->facts, job_words, hit->place, hit->begin};
    for (int32_t i = 0; i < p->n; i++) {
        const struct predicate *c = &p->predicates[i];
        if (!c->directive && condition_is_late(c->which) &&
            !condition_holds_late(c->which, &v, c))
            return false;
    }
    return !hit->wait_turn ||
           !source_calls_wait(&f->facts, hit->place, hit->wait_turn, hit->wait_after);
}
#endif
