/* Runs every rule over one source; a hit becomes a finding where its place counts. */
#include "source/lint.h"

#include "base/mem.h"

void lint_report_release(struct lint_report *r)
{
    arena_release(&r->text);
    mem_free(r->findings);
}

#ifdef GAIT_TREE_SITTER
#include "base/json_writer.h"
#include "base/strbuf.h"
#include "source/lint_query.h"
#include "source/source_walk.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 120 };

struct linting {
    struct lint_report *report;
    const struct source_facts *facts;
    const struct lint_rule *rule;
    const struct lint_form *form;
    const char *text;
    size_t len;
};

static bool is_control(const char *p)
{
    unsigned char c = (unsigned char)p[0];
    return c < ' ' || c == 0x7f || (c == 0xc2 && (unsigned char)p[1] < 0xa0);
}

/* The line around byte `at`, as struct lint_finding promises. */
static const char *line_text(struct linting *l, size_t at)
{
    size_t begin = at, end = at;
    while (begin && l->text[begin - 1] != '\n')
        begin--;
    while (end < l->len && l->text[end] != '\n' && l->text[end] != '\r')
        end++;
    while (begin < end && (l->text[begin] == ' ' || l->text[begin] == '\t'))
        begin++;
    struct strbuf out;
    strbuf_init(&out);
    for (size_t i = begin; i < end && out.len < LINE_BYTES_MAX;) {
        int seq = utf8_sequence_len(l->text + i, end - i);
        bool shown = seq && !is_control(l->text + i);
        strbuf_add(&out, shown ? l->text + i : "?", shown ? (size_t)seq : 1);
        i += seq ? (size_t)seq : 1;
    }
    if (out.len >= LINE_BYTES_MAX)
        strbuf_puts(&out, "…");
    const char *copy = arena_strdup(&l->report->text, out.s);
    strbuf_release(&out);
    return copy;
}

/* The call at exactly these bytes, or NULL. Calls are in the order of the tree: begin
 * ascending, then end descending. */
static const struct source_call *call_at(const struct source_facts *f, uint32_t begin,
                                         uint32_t end)
{
    size_t low = 0, high = f->n_calls;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct source_call *c = &f->calls[mid];
        if (c->begin_byte < begin || (c->begin_byte == begin && c->end_byte > end))
            low = mid + 1;
        else
            high = mid;
    }
    const struct source_call *c = low < f->n_calls ? &f->calls[low] : NULL;
    return c && c->begin_byte == begin && c->end_byte == end ? c : NULL;
}

static bool place_counts(const struct linting *l, TSNode hit)
{
    if (l->rule->where == LINT_WHERE_ANYWHERE)
        return true;
    const struct source_call *call =
        call_at(l->facts, ts_node_start_byte(hit), ts_node_end_byte(hit));
    return call && source_call_in_training_step(l->facts, call);
}

static void take_hit(void *context, TSNode hit)
{
    struct linting *l = context;
    struct lint_report *r = l->report;
    if (!place_counts(l, hit))
        return;
    vec_grow(r->findings, r->cap, r->n + 1);
    /* Where a chain of calls spans lines, its end is where the cause stands. */
    r->findings[r->n++] = (struct lint_finding){
        .rule = l->rule,
        .form = l->form,
        .line = (int32_t)ts_node_end_point(hit).row + 1,
        .byte = ts_node_end_byte(hit) - 1,
    };
}

static int compare_findings(const void *a, const void *b)
{
    const struct lint_finding *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->rule != y->rule)
        return x->rule < y->rule ? -1 : 1;
    return (x->form > y->form) - (x->form < y->form);
}

static bool same_cause(const struct lint_finding *a, const struct lint_finding *b)
{
    return a->line == b->line && a->rule == b->rule;
}

/* float(loss.item()) is two hits and one finding. */
static void sort_and_unite(struct linting *l)
{
    struct lint_report *r = l->report;
    size_t kept = 0;
    if (r->n)
        qsort(r->findings, r->n, sizeof *r->findings, compare_findings);
    for (size_t i = 0; i < r->n; i++) {
        struct lint_finding f = r->findings[i];
        if (kept && same_cause(&f, &r->findings[kept - 1]))
            continue;
        f.text = line_text(l, f.byte);
        r->findings[kept++] = f;
    }
    r->n = kept;
}

/* False where time or room ran out. */
static bool run_forms(struct linting *l, const TSTree *tree)
{
    for (size_t i = 0; i < LINT_FORMS_MAX && l->rule->forms[i].query; i++) {
        l->form = &l->rule->forms[i];
        if (!lint_query_run(l->form->query, ts_tree_root_node(tree), l->text, take_hit,
                            l))
            return false;
    }
    return true;
}

/* On OK the caller releases *r. */
static enum status run_rules(struct lint_report *r, const struct source_facts *facts,
                             const TSTree *tree, struct linting l, const char *name,
                             struct err *err)
{
    *r = (struct lint_report){.error_line = facts->error_line};
    arena_init(&r->text);
    l.report = r;
    l.facts = facts;
    for (size_t i = 0; i < lint_rule_count; i++) {
        l.rule = &lint_rules[i];
        if (run_forms(&l, tree))
            continue;
        lint_report_release(r);
        return err_set(err, STATUS_INPUT, "%s takes too long to check; split the file",
                       name);
    }
    sort_and_unite(&l);
    return STATUS_OK;
}

enum status lint_text(struct lint_report *r, const char *text, size_t len,
                      const char *name, struct err *err)
{
    TSTree *tree;
    enum status st = python_parse(&tree, text, len, name, err);
    if (st)
        return st;
    struct source_facts facts;
    st = source_walk(&facts, tree, text, name, err);
    if (!st) {
        st = run_rules(r, &facts, tree, (struct linting){.text = text, .len = len}, name,
                       err);
        source_facts_release(&facts);
    }
    ts_tree_delete(tree);
    return st;
}
#endif
