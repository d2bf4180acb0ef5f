/* Ranks against collectives as inline SVG: a cell's opacity is its wait. */
#include "report/html_parts.h"

#include <math.h>

enum { CELL_WIDTH = 22, CELL_HEIGHT = 18, LEFT = 76, TOP = 22, LABEL_EVERY = 5 };

static void put_cell(struct strbuf *out, const struct heat *h, size_t row, size_t column)
{
    const struct heat_cell *cell = &h->cells[row * h->n_columns + column];
    bool known = isfinite(cell->frac);
    strbuf_printf(out,
                  "<rect class=\"%s\" x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\"",
                  known ? "t-communication" : "none", LEFT + column * CELL_WIDTH,
                  TOP + row * CELL_HEIGHT, CELL_WIDTH, CELL_HEIGHT);
    if (known) /* the least is still seen to be there */
        strbuf_printf(out, " fill-opacity=\"%.2f\"", 0.06 + 0.94 * cell->frac);
    strbuf_puts(out, "><title>");
    html_text(out, h->rows[row]);
    strbuf_printf(out, ", %zu. ", column + 1);
    html_text(out, h->columns[column]);
    strbuf_puts(out, known ? ": waited " : ": not known");
    html_text(out, cell->text);
    strbuf_puts(out, "</title></rect>");
}

void html_heat(struct strbuf *out, const struct heat *h)
{
    size_t width = LEFT + h->n_columns * CELL_WIDTH + 8;
    size_t height = TOP + h->n_rows * CELL_HEIGHT + 4;
    strbuf_printf(out,
                  "<div class=\"scroll\"><svg class=\"heat\" width=\"%zu\" "
                  "height=\"%zu\" role=\"img\" aria-label=\"waits of ranks, as in the "
                  "table above\">",
                  width, height);
    for (size_t c = 0; c < h->n_columns; c++)
        if (c == 0 || (c + 1) % LABEL_EVERY == 0)
            strbuf_printf(out, "<text class=\"mid\" x=\"%zu\" y=\"%d\">%zu</text>",
                          LEFT + c * CELL_WIDTH + CELL_WIDTH / 2, TOP - 7, c + 1);
    for (size_t r = 0; r < h->n_rows; r++) {
        strbuf_printf(out, "<text class=\"end\" x=\"%d\" y=\"%zu\">", LEFT - 8,
                      TOP + r * CELL_HEIGHT + 13);
        html_text(out, h->rows[r]);
        strbuf_puts(out, "</text>");
        for (size_t c = 0; c < h->n_columns; c++)
            put_cell(out, h, r, c);
    }
    strbuf_puts(out, "</svg></div>\n");
}
