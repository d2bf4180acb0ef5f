#include "lint/lint_rows.h"

#include "base/mem.h"

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

/* By row, then in the order of the text. */
static int compare_rows(const void *a, const void *b)
{
    const struct lint_finding *const *x = a, *const *y = b;
    if ((*x)->row != (*y)->row)
        return (*x)->row < (*y)->row ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* row[0..n) are one row: the first of them gets the lines of the others. */
static void merge_row(struct arena *a, struct lint_finding *const *row, size_t n)
{
    struct lint_finding *first = row[0];
    int32_t *lines = arena_alloc(a, n * sizeof *lines);
    size_t n_lines = 0;
    for (size_t i = 1; i < n; i++)
        if (comes_first(row[i], first))
            first = row[i];
    for (size_t i = 0; i < n; i++) {
        int32_t line = row[i]->line;
        if (line != first->line && (!n_lines || lines[n_lines - 1] != line))
            lines[n_lines++] = line;
    }
    first->also_lines = lines;
    first->n_also = n_lines;
}

static void merge_file(struct arena *a, struct lint_file *file)
{
    struct lint_finding **in_rows = mem_zalloc(file->n + 1, sizeof(void *));
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < file->n; i++)
        if (file->findings[i].row)
            in_rows[n++] = &file->findings[i];
    qsort(in_rows, n, sizeof(void *), compare_rows);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && in_rows[end]->row == in_rows[i]->row;)
            end++;
        merge_row(a, in_rows + i, end - i);
    }
    mem_free(in_rows);
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
