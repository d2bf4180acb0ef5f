#include "lint/lint_noqa.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "lint/lint_noqa_directive.h"

#include <stdlib.h>
#include <string.h>

enum { CARET_MAX = 200 }; /* a shown line is cut there */

struct noqa_pass { /* over one file */
    struct lint_result *result;
    struct lint_file *file;
    const struct lint_check_options *options;
    struct noqa_directives all;
    bool *ignored; /* (lint_rule_count) for the whole file */
};

static bool wants(const struct noqa_pass *p, const struct lint_rule *rule)
{
    const struct lint_check_options *o = p->options;
    return !o->wants || o->wants(o->context, rule, p->file->path);
}

/* Does it name this rule? What names it is used from here on. */
static bool use(struct noqa_pass *p, struct noqa_directive *d,
                const struct lint_rule *rule)
{
    if (d->blanket)
        return d->used = true;
    bool any = false;
    for (size_t i = 0; i < d->n_codes; i++) {
        struct noqa_code *c = &p->all.code[d->first_code + i];
        if (noqa_code_names(c, rule))
            any = c->used = true;
    }
    return any;
}

/* Once for each rule that has findings: a file may hold many directives. */
static void use_for_file(struct noqa_pass *p)
{
    bool *has = mem_zalloc(lint_rule_count + 1, sizeof *has);
    for (size_t i = 0; i < p->file->n; i++)
        has[p->file->findings[i].rule - lint_rules] = true;
    for (size_t i = 0; i < p->all.n; i++)
        for (size_t rule = 0; rule < lint_rule_count; rule++)
            if (has[rule] && p->all.directive[i].whole_file &&
                use(p, &p->all.directive[i], &lint_rules[rule]))
                p->ignored[rule] = true;
    mem_free(has);
}

static bool is_suppressed(struct noqa_pass *p, const struct lint_finding *f)
{
    const int32_t lines[] = {f->line, f->end_line, noqa_line(p->file, f->line),
                             noqa_line(p->file, f->end_line)};
    bool any = p->ignored[f->rule - lint_rules];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct noqa_directive *d = noqa_of_line(&p->all, lines[i]);
        if (d && use(p, d, f->rule))
            any = true;
    }
    return any;
}

static void remove_suppressed(struct noqa_pass *p)
{
    struct lint_file *file = p->file;
    size_t kept = 0;
    for (size_t i = 0; i < file->n; i++)
        if (!is_suppressed(p, &file->findings[i]))
            file->findings[kept++] = file->findings[i];
    file->suppressed += file->n - kept;
    file->n = kept;
}

/* Would it have been used if it had something to suppress? A prefix may name rules that
 * are off by default; those are not missed. */
static bool is_judged(const struct noqa_pass *p, const struct noqa_code *c)
{
    size_t named = 0, wanted = 0;
    for (size_t i = 0; i < lint_rule_count; i++) {
        const struct lint_rule *rule = &lint_rules[i];
        if (!noqa_code_names(c, rule))
            continue;
        named++;
        if (wants(p, rule))
            wanted++;
        else if (rule->on)
            return false;
    }
    return !named || wanted;
}

static bool is_unused(const struct noqa_pass *p, const struct noqa_code *c)
{
    return noqa_code_is_ours(c) && !c->used && is_judged(p, c);
}

/* "# noqa: GT001" says that what is unused in this line is wanted so. */
static bool keeps_unused(const struct noqa_pass *p, const struct noqa_directive *d,
                         const struct lint_rule *gt001)
{
    for (size_t i = 0; i < d->n_codes; i++) {
        const struct noqa_code *c = &p->all.code[d->first_code + i];
        bool whole = c->rule || c->len == strlen(gt001->code);
        if (whole && noqa_code_names(c, gt001))
            return true;
    }
    return false;
}

/* Bytes of the comment's text from..to become text. */
static struct lint_edit edit_within(const struct noqa_directive *d, size_t from,
                                    size_t to, const char *text)
{
    uint32_t begin = d->comment->begin;
    return (struct lint_edit){begin + (uint32_t)from, begin + (uint32_t)to, text};
}

/* The whole directive goes; other words of the comment stay. */
static struct lint_edit edit_away(const struct noqa_directive *d)
{
    const struct lint_comment *c = d->comment;
    size_t len = c->end - c->begin, rest = d->end;
    rest += strspn(c->text + rest, " \t");
    if (rest < len && c->text[rest] == '#')
        return edit_within(d, d->begin, rest, "");
    rest += strspn(c->text + rest, " \t-:,;.");
    if (rest < len)
        return edit_within(d, d->begin, rest, "# ");
    size_t begin = d->begin;
    while (begin && (c->text[begin - 1] == ' ' || c->text[begin - 1] == '\t'))
        begin--;
    if (begin)
        return edit_within(d, begin, len, "");
    if (c->alone)
        return (struct lint_edit){c->line_begin, c->line_end, ""};
    return (struct lint_edit){c->begin - c->blanks, c->end, ""};
}

struct unused_text {
    struct strbuf kept;   /* codes as they are written, with what separates them */
    struct strbuf unused; /* codes with ", " between them */
};

static void sort_codes(struct unused_text *t, const struct noqa_pass *p,
                       const struct noqa_directive *d)
{
    const char *first = d->comment->text + d->codes_begin, *last = first;
    strbuf_init(&t->kept);
    strbuf_init(&t->unused);
    for (size_t i = 0; i < d->n_codes; i++) {
        const struct noqa_code *c = &p->all.code[d->first_code + i];
        if (is_unused(p, c)) {
            strbuf_puts(&t->unused, t->unused.len ? ", " : "");
            strbuf_add(&t->unused, c->s, c->len);
        } else {
            const char *before = t->kept.len ? last : first;
            size_t blanks = t->kept.len ? (size_t)(c->s - before) : strspn(first, " \t");
            strbuf_add(&t->kept, before, blanks);
            strbuf_add(&t->kept, c->s, c->len);
        }
        last = c->s + c->len;
    }
}

static int32_t characters(const char *s, size_t len)
{
    int32_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)s[i] & 0xc0) != 0x80;
    return n;
}

static int32_t limited(int32_t n)
{
    return n < CARET_MAX ? n : CARET_MAX;
}

static void add_finding(struct noqa_pass *p, const struct noqa_directive *d,
                        const struct lint_rule *rule, struct lint_edit edit,
                        const char *advice)
{
    struct lint_file *file = p->file;
    const struct lint_comment *c = d->comment;
    struct lint_edit *kept = arena_alloc(&p->result->text, sizeof *kept);
    int32_t width = characters(c->text + d->begin, d->end - d->begin);
    int32_t column = c->column + characters(c->text, d->begin);
    *kept = edit;
    vec_grow(file->findings, file->cap, file->n + 1);
    file->findings[file->n++] = (struct lint_finding){
        .rule = rule,
        .begin = c->begin + (uint32_t)d->begin,
        .end = c->begin + (uint32_t)d->end,
        .line = c->line,
        .column = column,
        .end_line = c->line,
        .end_column = column + width,
        .source = c->source,
        .caret = limited(column - 1),
        .caret_width = limited(width),
        .advice = arena_strdup(&p->result->text, advice),
        .safety = LINT_SAFE,
        .edits = kept,
        .n_edits = 1,
    };
}

static void report_codes(struct noqa_pass *p, const struct noqa_directive *d,
                         const struct lint_rule *rule)
{
    struct unused_text t;
    struct strbuf advice;
    struct lint_edit edit;
    sort_codes(&t, p, d);
    strbuf_init(&advice);
    if (t.unused.len) {
        if (t.kept.len)
            edit = edit_within(d, d->codes_begin, d->end,
                               arena_strdup(&p->result->text, t.kept.s));
        else
            edit = edit_away(d);
        strbuf_printf(&advice, "remove %s: nothing %s suppressed", t.unused.s,
                      d->whole_file ? "in this file is" : "here is");
        add_finding(p, d, rule, edit, advice.s);
    }
    strbuf_release(&advice);
    strbuf_release(&t.kept);
    strbuf_release(&t.unused);
}

static bool all_rules_are_judged(const struct noqa_pass *p)
{
    for (size_t i = 0; i < lint_rule_count; i++)
        if (lint_rules[i].on && !wants(p, &lint_rules[i]))
            return false;
    return true;
}

static void report_unused(struct noqa_pass *p, const struct lint_rule *rule)
{
    bool all_ignored = false;
    for (size_t i = 0; i < p->all.n; i++) {
        const struct noqa_directive *d = &p->all.directive[i];
        all_ignored |= d->whole_file && d->blanket;
        if (d->whole_file && keeps_unused(p, d, rule))
            return;
    }
    for (size_t i = 0; i < p->all.n; i++) {
        const struct noqa_directive *d = &p->all.directive[i];
        bool judged = d->blanket ? d->whole_file && !d->used && all_rules_are_judged(p)
                                 : !all_ignored && !keeps_unused(p, d, rule);
        if (judged && d->blanket)
            add_finding(p, d, rule, edit_away(d),
                        "remove the comment: nothing in this file is suppressed");
        else if (judged)
            report_codes(p, d, rule);
    }
}

static int compare_findings(const void *a, const void *b)
{
    const struct lint_finding *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return (x->rule > y->rule) - (x->rule < y->rule);
}

static void apply_to_file(struct lint_result *r, struct lint_file *file,
                          const struct lint_check_options *o,
                          const struct lint_rule *gt001)
{
    struct noqa_pass p = {.result = r, .file = file, .options = o};
    noqa_read(&p.all, file);
    p.ignored = mem_zalloc(lint_rule_count + 1, sizeof *p.ignored);
    use_for_file(&p);
    remove_suppressed(&p);
    size_t before = file->n;
    if (gt001 && !file->failure && !file->error_line && wants(&p, gt001))
        report_unused(&p, gt001);
    if (file->n > before)
        qsort(file->findings, file->n, sizeof *file->findings, compare_findings);
    mem_free(p.ignored);
    noqa_release(&p.all);
}

size_t lint_noqa_apply(struct lint_result *r, const struct lint_check_options *o)
{
    const struct lint_rule *gt001 = lint_rule_find("GT001");
    size_t suppressed = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->files[i].n_comments)
            apply_to_file(r, &r->files[i], o, gt001);
        suppressed += r->files[i].suppressed;
    }
    return suppressed;
}
