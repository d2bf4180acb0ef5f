#include "report/roofline_text.h"

#include "report/roofline_axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 64, ROWS = 15, LETTERS_MAX = 26 };

struct canvas {
    struct log_axes axes;
    char cell[ROWS][COLUMNS + 1];
};

static int column_of(const struct canvas *c, double x)
{
    double at = (log10(x) - c->axes.x_min) / (c->axes.x_max - c->axes.x_min);
    return (int)lround(at * (COLUMNS - 1));
}

static int row_of(const struct canvas *c, double y)
{
    double at = (log10(y) - c->axes.y_min) / (c->axes.y_max - c->axes.y_min);
    return ROWS - 1 - (int)lround(at * (ROWS - 1));
}

/* The first that is put into a cell stays. */
static void put(struct canvas *c, int column, int row, char what)
{
    if (column >= 0 && column < COLUMNS && row >= 0 && row < ROWS &&
        c->cell[row][column] == ' ')
        c->cell[row][column] = what;
}

/* What can be reached at this intensity; NAN: no ceiling is known. */
static double roof_at(const struct roofline *r, double x)
{
    return fmin(r->peak_flop_per_s, x * r->peak_bytes_per_s);
}

static void draw_roof(struct canvas *c, const struct roofline *r)
{
    for (int i = 0; i < COLUMNS; i++) {
        double at = (double)i / (COLUMNS - 1);
        double x = pow(10, c->axes.x_min + at * (c->axes.x_max - c->axes.x_min));
        double y = roof_at(r, x);
        if (isfinite(y) && y > 0)
            put(c, i, row_of(c, y), y < r->peak_flop_per_s ? '/' : '-');
    }
}

/* The power of ten whose tick stands at this row; NAN: none. */
static double tick_of(const struct canvas *c, int row)
{
    for (int p = (int)c->axes.y_min; p <= (int)c->axes.y_max; p++)
        if (row_of(c, pow(10, p)) == row)
            return pow(10, p);
    return NAN;
}

static void put_rows(struct strbuf *out, const struct canvas *c, double unit)
{
    for (int i = 0; i < ROWS; i++) {
        double tick = tick_of(c, i);
        if (isfinite(tick))
            strbuf_printf(out, "%9g |", tick / unit);
        else
            strbuf_puts(out, "          |");
        size_t len = COLUMNS;
        while (len && c->cell[i][len - 1] == ' ')
            len--;
        strbuf_printf(out, "%.*s\n", (int)len, c->cell[i]);
    }
}

static void put_x_axis(struct strbuf *out, const struct canvas *c)
{
    char ticks[COLUMNS + 16];
    memset(ticks, ' ', sizeof ticks);
    for (int p = (int)c->axes.x_min; p <= (int)c->axes.x_max; p++) {
        char tick[16];
        int len = snprintf(tick, sizeof tick, "%g", pow(10, p));
        int at = column_of(c, pow(10, p));
        memcpy(ticks + at, tick, (size_t)len);
    }
    size_t len = sizeof ticks;
    while (len && ticks[len - 1] == ' ')
        len--;
    strbuf_puts(out, "          +");
    for (int i = 0; i < COLUMNS; i++)
        strbuf_putc(out, '-');
    strbuf_printf(out, "\n           %.*s\n", (int)len, ticks);
}

void roofline_text(struct strbuf *out, const struct roofline *r, size_t letters)
{
    struct canvas c;
    size_t n = r->n < letters ? r->n : letters;
    n = n < LETTERS_MAX ? n : LETTERS_MAX;
    if (!roofline_axes(&c.axes, r))
        return;
    for (int i = 0; i < ROWS; i++) {
        memset(c.cell[i], ' ', COLUMNS);
        c.cell[i][COLUMNS] = '\0';
    }
    for (size_t i = 0; i < n; i++)
        put(&c, column_of(&c, r->point[i].flop_per_byte),
            row_of(&c, r->point[i].flop_per_s), (char)('A' + i));
    draw_roof(&c, r);
    strbuf_printf(out, "  %s\n", r->unit);
    put_rows(out, &c, r->unit_flop_per_s);
    put_x_axis(out, &c);
    strbuf_puts(out, "           FLOP a byte (counted)\n");
    if (*r->peak_label || *r->slope_label)
        strbuf_printf(out, "  - %s   / %s\n", r->peak_label, r->slope_label);
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, "  %c %s: %s\n", (char)('A' + i), r->point[i].name,
                      r->point[i].text);
}
