/* Tables on a terminal: columns as wide as they need, names give way where room is short.
 */
#include "base/names.h"
#include "base/text_fit.h"
#include "report/terminal_screen.h"

#include <stdio.h>
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

static bool wraps(const struct screen *s, const struct column *column)
{
    return column->wraps && !s->no_below;
}

/* A column that wraps gets what is left, and no more than the cells that fit need: the
 * others stand below their rows. */
static int make_room(const struct grid *t, size_t c, int *width, int over)
{
    int room = width[c] - over, title = text_columns(t->columns[c].title), widest = 0;
    for (size_t r = 0; r < t->n_rows; r++) {
        int columns = text_columns(t->cells[r * t->n_columns + c].text);
        if (columns && columns <= room)
            widest = larger(larger(widest, columns), title);
    }
    over -= width[c] - widest;
    width[c] = widest;
    return over;
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
    for (size_t c = 1; c < b->grid.n_columns && over > 0; c++)
        if (wraps(s, &b->grid.columns[c]))
            over = make_room(&b->grid, c, width, over);
    /* names give way first, those beside figures before the first column */
    for (size_t c = b->grid.n_columns; c-- > 0 && over > 0;) {
        if (c && (!b->grid.columns[c].is_name || wraps(s, &b->grid.columns[c])))
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

/* Names that differ must not look alike because they were cut. */
static void print_name(struct screen *s, const char *text, int columns,
                       struct names *printed)
{
    struct strbuf fitted;
    char number[24] = "";
    strbuf_init(&fitted);
    text_shorten(&fitted, text, columns);
    bool cut = strcmp(fitted.s, text) != 0;
    for (int k = 2; cut && names_find(printed, fitted.s, fitted.len) >= 0; k++) {
        int digits = snprintf(number, sizeof number, " #%d", k);
        strbuf_clear(&fitted);
        text_shorten(&fitted, text, columns - digits);
        strbuf_puts(&fitted, number);
    }
    names_add(printed, fitted.s, fitted.len);
    text_pad(s->out, fitted.s, columns, false);
    strbuf_release(&fitted);
}

static bool stands_below(const struct screen *s, const struct column *column,
                         const struct cell *cell, int width)
{
    return wraps(s, column) && text_columns(cell->text) > width;
}

static void print_below(struct screen *s, const char *text)
{
    enum { BELOW_INDENT = 5 }; /* under the words of a numbered row */
    strbuf_repeat(s->out, " ", BELOW_INDENT);
    text_wrap(s->out, text, s->columns, BELOW_INDENT);
    strbuf_putc(s->out, '\n');
}

static void print_row(struct screen *s, const struct grid *t, const struct cell *cells,
                      const int *width, struct names *printed)
{
    strbuf_repeat(s->out, " ", INDENT);
    print_name(s, cells[0].text, width[0], printed);
    for (size_t c = 1; c < t->n_columns; c++) {
        strbuf_repeat(s->out, " ", GAP);
        if (stands_below(s, &t->columns[c], &cells[c], width[c]))
            continue;
        if (t->columns[c].is_name)
            print_fitted(s, cells[c].text, width[c]);
        else
            text_pad(s->out, cells[c].text, width[c], t->columns[c].align == ALIGN_RIGHT);
    }
    trim_blanks(s->out);
    strbuf_putc(s->out, '\n');
    for (size_t c = 1; c < t->n_columns; c++)
        if (stands_below(s, &t->columns[c], &cells[c], width[c]))
            print_below(s, cells[c].text);
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
        if (width[c]) /* else all of its cells stand below */
            text_pad(s->out, t->columns[c].title, width[c],
                     t->columns[c].align == ALIGN_RIGHT);
    }
    trim_blanks(s->out);
    strbuf_putc(s->out, '\n');
    struct names printed;
    names_init(&printed);
    for (size_t r = 0; r < t->n_rows; r++)
        print_row(s, t, t->cells + r * t->n_columns, width, &printed);
    names_release(&printed);
    strbuf_release(&caption);
}
