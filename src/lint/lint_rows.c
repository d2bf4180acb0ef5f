#include "lint/lint_rows.h"

#include <stdlib.h>

/* Which of a row is told: one that runs whenever any of them does, then the first that
 * runs. What stands before all work of a loop's turn runs behind that of the turn before. */
static bool comes_first(const struct lint_finding *a, const struct lint_finding *b)
{
    if (a->row_depth != b->row_depth)
        return a->row_depth < b->row_depth;
    if (a->row_wraps != b->row_wraps)
        return b->row_wraps;
    return a->begin < b->begin;
}

static struct lint_finding *first_of_row(struct lint_file *file, int32_t row)
{
    struct lint_finding *first = NULL;
    for (size_t i = 0; i < file->n; i++) {
        struct lint_finding *f = &file->findings[i];
        if (f->row == row && (!first || comes_first(f, first)))
            first = f;
    }
    return first;
}

/* The lines of the others; they are in the order of the text already. */
static void take_lines(struct arena *a, const struct lint_file *file,
                       struct lint_finding *first)
{
    int32_t *lines = arena_alloc(a, file->n * sizeof *lines + 1);
    size_t n = 0;
    for (size_t i = 0; i < file->n; i++) {
        const struct lint_finding *f = &file->findings[i];
        bool known = f->line == first->line || (n && lines[n - 1] == f->line);
        if (f->row == first->row && !known)
            lines[n++] = f->line;
    }
    first->also_lines = lines;
    first->n_also = n;
}

static void merge_file(struct arena *a, struct lint_file *file)
{
    size_t kept = 0;
    for (size_t i = 0; i < file->n; i++) {
        struct lint_finding *f = &file->findings[i];
        if (f->row && first_of_row(file, f->row) == f)
            take_lines(a, file, f);
    }
    for (size_t i = 0; i < file->n; i++)
        if (!file->findings[i].row || file->findings[i].also_lines)
            file->findings[kept++] = file->findings[i];
    file->n = kept;
}

void lint_rows_merge(struct lint_result *r)
{
    for (size_t i = 0; i < r->n; i++)
        merge_file(&r->text, &r->files[i]);
}

void lint_rows_tell(struct strbuf *out, const struct lint_finding *f)
{
    for (size_t i = 0; i < f->n_also; i++)
        strbuf_printf(out, "%s%d",
                      !i                   ? f->n_also > 1 ? "lines " : "line "
                      : i + 1 == f->n_also ? " and "
                                           : ", ",
                      (int)f->also_lines[i]);
    if (f->n_also)
        strbuf_printf(out, " wait%s for the same work", f->n_also > 1 ? "" : "s");
}
