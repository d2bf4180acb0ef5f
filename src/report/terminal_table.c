/* Tables on a terminal: columns as wide as they need, names give way where room is short.
 */
#include "report/terminal_screen.h"
#include "report/text_fit.h"

#include <string.h>

enum { NAME_COLUMNS_MIN = 12, TABLE_COLUMNS_MAX = 16 };

bool terminal_same_columns(const struct grid *a, const struct grid *b)
{
    if (a->n_columns != b->n_columns)
        return false;
    for (size_t i = 0; i < a->n_columns; i++)
        if (strcmp(a->columns[i].title, b->columns[i].title) != 0)
            return false;
    return true;
}

/* The title of a table stands where the header of its first column would. */
static void table_caption(struct strbuf *out, const struct block *b)
{
    strbuf_puts(out, b->title);
    const struct grid *t = &b->grid;
    if (t->n_rows < t->total_rows)
        strbuf_printf(out, " (%zu of %zu)", t->n_rows - t->sum_rows,
                      t->total_rows - t->sum_rows);
}

static void widen(int *width, const struct block *b)
{
    const struct grid *t = &b->grid;
    struct strbuf caption;
    strbuf_init(&caption);
    table_caption(&caption, b);
    width[0] = larger(width[0], text_columns(caption.s) - INDENT);
    strbuf_release(&caption);
    for (size_t c = 0; c < t->n_columns; c++) {
        if (c)
            width[c] = larger(width[c], text_columns(t->columns[c].title));
        for (size_t r = 0; r < t->n_rows; r++)
            width[c] =
                larger(width[c], text_columns(t->cells[r * t->n_columns + c].text));
    }
}

/* Tables of the same columns share their widths, so that they read as one. */
static void measure_table(const struct screen *s, const struct block *b, int *width)
{
    memset(width, 0, TABLE_COLUMNS_MAX * sizeof *width);
    for (size_t i = 0; i < s->view->n; i++) {
        const struct block *other = &s->view->blocks[i];
        if (other->kind == BLOCK_TABLE && terminal_same_columns(&other->grid, &b->grid))
            widen(width, other);
    }
    int over = INDENT + width[0] - s->columns;
    for (size_t c = 1; c < b->grid.n_columns; c++)
        over += width[c] + GAP;
    /* names give way first, those beside figures before the first column */
    for (size_t c = b->grid.n_columns; c-- > 0 && over > 0;) {
        if (c && !b->grid.columns[c].is_name)
            continue;
        int given = width[c] - larger(width[c] - over, NAME_COLUMNS_MIN);
        given = larger(given, 0);
        width[c] -= given;
        over -= given;
    }
}

static void trim_blanks(struct strbuf *out)
{
    while (out->len && out->s[out->len - 1] == ' ')
        out->s[--out->len] = '\0';
}

static void print_fitted(struct screen *s, const char *text, int columns)
{
    struct strbuf fitted;
    strbuf_init(&fitted);
    text_shorten(&fitted, text, columns);
    text_pad(s->out, fitted.s, columns, false);
    strbuf_release(&fitted);
}

static void print_row(struct screen *s, const struct grid *t, const struct cell *cells,
                      const int *width)
{
    strbuf_repeat(s->out, " ", INDENT);
    print_fitted(s, cells[0].text, width[0]);
    for (size_t c = 1; c < t->n_columns; c++) {
        strbuf_repeat(s->out, " ", GAP);
        if (t->columns[c].is_name)
            print_fitted(s, cells[c].text, width[c]);
        else
            text_pad(s->out, cells[c].text, width[c], t->columns[c].align == ALIGN_RIGHT);
    }
    trim_blanks(s->out);
    strbuf_putc(s->out, '\n');
}

void terminal_table(struct screen *s, const struct block *b)
{
    const struct grid *t = &b->grid;
    int width[TABLE_COLUMNS_MAX];
    struct strbuf caption;
    if (t->n_columns > TABLE_COLUMNS_MAX)
        BUG("a table of %zu columns", t->n_columns);
    measure_table(s, b, width);
    strbuf_init(&caption);
    table_caption(&caption, b);
    print_fitted(s, caption.s, width[0] + INDENT);
    for (size_t c = 1; c < t->n_columns; c++) {
        strbuf_repeat(s->out, " ", GAP);
        text_pad(s->out, t->columns[c].title, width[c],
                 t->columns[c].align == ALIGN_RIGHT);
    }
    trim_blanks(s->out);
    strbuf_putc(s->out, '\n');
    for (size_t r = 0; r < t->n_rows; r++)
        print_row(s, t, t->cells + r * t->n_columns, width);
    strbuf_release(&caption);
}
