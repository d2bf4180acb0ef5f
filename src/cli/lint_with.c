#include "cli/lint_with.h"

#include "base/mem.h"
#include "base/path.h"
#include "load/load_runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- what is refuted leaves --- */

static bool is_refuted(const struct lint_finding *f)
{
    return f->cost->verdict == suspect_verdict_text[SUSPECT_REFUTED];
}

static void remove_refuted(struct lint_with *w, struct lint_result *lint)
{
    w->refuted = mem_zalloc(w->suspects.count[SUSPECT_REFUTED] + 1, sizeof *w->refuted);
    for (size_t i = 0; i < lint->n; i++) {
        struct lint_file *file = &lint->files[i];
        size_t kept = 0;
        for (size_t k = 0; k < file->n; k++) {
            if (is_refuted(&file->findings[k]))
                w->refuted[w->n_refuted++] =
                    (struct lint_refuted){file->path, file->findings[k]};
            else
                file->findings[kept++] = file->findings[k];
        }
        file->n = kept;
    }
}

/* --- what only a price makes a finding --- */

static bool is_unpriced(const struct lint_finding *f, const struct lint_settings *s,
                        const char *path)
{
    return f->cost->verdict != suspect_verdict_text[SUSPECT_PRICED] &&
           lint_settings_needs_price(s, f->rule, path);
}

static size_t verdict_of(const struct lint_finding *f)
{
    for (size_t i = 0; i < SUSPECT_COUNT; i++)
        if (f->cost->verdict == suspect_verdict_text[i])
            return i;
    BUG("%s is no verdict", f->cost->verdict);
}

static void remove_unpriced(struct lint_with *w, struct lint_result *lint,
                            const struct lint_settings *settings)
{
    for (size_t i = 0; i < lint->n; i++) {
        struct lint_file *file = &lint->files[i];
        size_t kept = 0;
        for (size_t k = 0; k < file->n; k++) {
            if (is_unpriced(&file->findings[k], settings, file->path))
                w->suspects.count[verdict_of(&file->findings[k])]--;
            else
                file->findings[kept++] = file->findings[k];
        }
        file->n = kept;
    }
}

enum status lint_with_run(struct lint_with *w, struct lint_result *lint,
                          const struct lint_settings *settings, const char *run_path,
                          struct err *err)
{
    struct run run;
    struct load_result loaded;
    struct load_options options = load_for_findings;
    run_init(&run);
    enum status st = load_runs(&run, &loaded, &run_path, 1, &options, err);
    if (!st) {
        struct analysis *a = analysis_new(&run);
        struct findings *f = findings_new(&run, a);
        *w = (struct lint_with){.run_path = run_path};
        suspects_init(&w->suspects, lint, &run, a, f);
        suspects_set_prices(&w->suspects, lint);
        remove_unpriced(w, lint, settings);
        remove_refuted(w, lint);
        findings_free(f);
        analysis_free(a);
    }
    run_release(&run);
    return st;
}

void lint_with_release(struct lint_with *w)
{
    suspects_release(&w->suspects);
    mem_free(w->refuted);
}

/* --- the most expensive first --- */

/* -1 where nothing is known. */
static double gain_ns(const struct lint_finding *f)
{
    return f->cost && isfinite(f->cost->gain_ns) ? f->cost->gain_ns : -1;
}

static double holds_ns(const struct lint_finding *f)
{
    return f->cost && isfinite(f->cost->holds_ns) ? f->cost->holds_ns : -1;
}

static int compare_cost(const struct lint_finding *x, const struct lint_finding *y)
{
    if (gain_ns(x) != gain_ns(y))
        return gain_ns(x) > gain_ns(y) ? -1 : 1;
    if (holds_ns(x) != holds_ns(y))
        return holds_ns(x) > holds_ns(y) ? -1 : 1;
    return 0;
}

static int compare_findings(const void *a, const void *b)
{
    const struct lint_finding *x = a, *y = b;
    int by_cost = compare_cost(x, y);
    if (by_cost)
        return by_cost;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->end > y->end) - (x->end < y->end);
}

/* By the first of each, which costs most. */
static int compare_files(const void *a, const void *b)
{
    const struct lint_file *x = a, *y = b;
    int by_cost = x->n && y->n ? compare_cost(x->findings, y->findings)
                               : (x->n < y->n) - (x->n > y->n);
    return by_cost ? by_cost : strcmp(x->path, y->path);
}

void lint_with_sort(struct lint_result *lint)
{
    for (size_t i = 0; i < lint->n; i++)
        if (lint->files[i].n)
            qsort(lint->files[i].findings, lint->files[i].n,
                  sizeof *lint->files[i].findings, compare_findings);
    if (lint->n)
        qsort(lint->files, lint->n, sizeof *lint->files, compare_files);
}

/* --- in words --- */

void lint_with_tell(struct strbuf *out, const struct lint_with *w, bool verbose)
{
    const size_t *n = w->suspects.count;
    for (size_t i = 0; verbose && i < w->n_refuted; i++) {
        const struct lint_finding *f = &w->refuted[i].finding;
        strbuf_printf(out, "%s:%d:%d: %s %s: left out, %s\n", w->refuted[i].path,
                      (int)f->line, (int)f->column, f->rule->code, f->rule->name,
                      f->cost->reason);
    }
    strbuf_printf(out, "With %s: %zu priced, %zu measured, %zu not measured",
                  path_name(w->run_path), n[SUSPECT_PRICED], n[SUSPECT_MEASURED],
                  n[SUSPECT_NOT_MEASURED]);
    if (n[SUSPECT_REFUTED])
        strbuf_printf(out, "; %zu harmless %s left out%s", n[SUSPECT_REFUTED],
                      n[SUSPECT_REFUTED] == 1 ? "one is" : "ones are",
                      verbose ? "" : " (-v says why)");
    strbuf_puts(out, ".\n");
}
