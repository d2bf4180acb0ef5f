#include "evidence/line_rows.h"

#include "base/mem.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const struct line_row *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

struct line_row *line_rows_of(const struct run *run)
{
    size_t n = run->lines.table.n;
    struct line_row *all = mem_alloc((n + 1) * sizeof *all);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct line_row){run->lines.file[i], run->lines.line[i], (int32_t)i};
    if (n)
        qsort(all, n, sizeof *all, compare);
    return all;
}

size_t line_rows_end(const struct line_row *l, size_t n, size_t first)
{
    size_t end = first + 1;
    while (end < n && l[end].file == l[first].file && l[end].number == l[first].number)
        end++;
    return end;
}
