/* Findings in 2 KB: docs/scripts.md, "Brief". */
#include "base/brief.h"
#include "base/mem.h"
#include "lint/lint_counts.h"
#include "lint/lint_json.h"

#include <math.h>
#include <stdlib.h>

/* A finding with its file. */
struct row {
    const struct lint_file *file;
    const struct lint_finding *finding;
};

static double gain_ns(const struct row *x)
{
    const struct lint_cost *c = x->finding->cost;
    return c && c->gain_ns > 0 ? c->gain_ns : 0; /* NAN too */
}

/* With a run the most expensive first; else as they are. */
static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (gain_ns(x) != gain_ns(y))
        return gain_ns(x) > gain_ns(y) ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->finding > y->finding) - (x->finding < y->finding);
}

/* (n) The caller frees it. */
static struct row *rows_of(const struct lint_result *r, size_t n)
{
    struct row *row = mem_zalloc(n + 1, sizeof *row);
    size_t at = 0;
    for (size_t i = 0; i < r->n; i++)
        for (size_t k = 0; k < r->files[i].n; k++)
            row[at++] = (struct row){&r->files[i], &r->files[i].findings[k]};
    if (n)
        qsort(row, n, sizeof *row, compare_rows);
    return row;
}

static void put_finding(struct brief *b, const struct row *x)
{
    const struct lint_finding *f = x->finding;
    brief_item(b);
    json_field_string(&b->w, "id", f->id.s);
    json_field_string(&b->w, "rule", f->rule->name);
    brief_text(b, "path", x->file->path, BRIEF_PLACE_BYTES);
    json_field_int(&b->w, "line", f->line);
    brief_text(b, "advice", f->advice, BRIEF_PLACE_BYTES);
    json_field_string(&b->w, "safety", lint_safety_word(f->safety));
    json_field_text_or_null(&b->w, "verdict", f->cost ? f->cost->verdict : NULL);
    brief_ms(b, "gain_ms", f->cost ? f->cost->gain_ns : NAN);
    brief_item_end(b);
}

/* Fixes are in the whole JSON; without them what counts is what a finding costs. */
static void put_next(struct brief *b, const struct lint_counts *c, const char *run,
                     const char *subject)
{
    if (c->safe)
        brief_next(b, "gait lint --json {}", subject, "PATH…");
    else if (run)
        brief_next(b, "gait analyze --brief {}", run, "RUN");
    else if (c->files)
        brief_next(b, "gait record -o run.gait -- python train.py", NULL, NULL);
    else
        brief_next(b, NULL, NULL, NULL);
}

static const char *first_unreadable(const struct lint_result *r,
                                    const struct lint_json_options *o)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->files[i].failure)
            return r->files[i].failure; /* names the file */
    return o->n_folders ? o->folders[0].why : NULL;
}

void lint_brief_write(struct strbuf *out, const struct lint_result *r,
                      const struct lint_json_options *o, const char *subject)
{
    struct lint_counts c = lint_counts_of(r);
    struct row *row = rows_of(r, c.findings);
    struct brief b;
    brief_begin(&b, out, "lint");
    json_field_int(&b.w, "files", (int64_t)c.files);
    json_field_int(&b.w, "unreadable", (int64_t)(c.unreadable + o->n_folders));
    brief_text(&b, "unreadable_why", first_unreadable(r, o), BRIEF_TEXT_BYTES);
    json_field_int(&b.w, "findings_total", (int64_t)c.findings);
    json_field_int(&b.w, "suppressed", (int64_t)c.suppressed);
    json_field_int(&b.w, "fixable", (int64_t)c.safe);
    json_field_int(&b.w, "fixable_unsafe", (int64_t)c.unsafe);
    json_field_int(&b.w, "fixed", (int64_t)o->fixed);
    put_next(&b, &c, o->run, subject);
    brief_list(&b, "findings");
    for (size_t i = 0; i < c.findings; i++)
        put_finding(&b, &row[i]);
    brief_list_end(&b);
    brief_end(&b);
    mem_free(row);
}
