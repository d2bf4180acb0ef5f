#include "top/top_curve.h"

#include "base/mem.h"
#include "base/units.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DOTS_X = 2, DOTS_Y = 4, LABEL_COLUMNS = 9 };

static double value_at(const struct live_curve *c, int i, enum top_curve_what what)
{
    return what == TOP_CURVE_LOSS ? c->point[i].loss : c->point[i].tokens_per_s;
}

struct range {
    double least, most;
};

static struct range range_of(const struct live_curve *c, enum top_curve_what what)
{
    struct range r = {INFINITY, -INFINITY};
    for (int i = 0; i < c->n; i++) {
        double v = value_at(c, i, what);
        r.least = isfinite(v) ? fmin(r.least, v) : r.least;
        r.most = isfinite(v) ? fmax(r.most, v) : r.most;
    }
    if (what == TOP_CURVE_SPEED && r.most >= 0)
        r.least = 0; /* what is twice as high is twice as fast */
    return r;
}

/* The curve where `frac` of its steps are done, between the two points beside it. */
static double value_between(const struct live_curve *c, enum top_curve_what what,
                            double frac)
{
    double first = (double)c->point[0].step, last = (double)c->point[c->n - 1].step;
    double at = first + frac * (last - first);
    int i = 0;
    while (i + 2 < c->n && (double)c->point[i + 1].step < at)
        i++;
    double from = (double)c->point[i].step, to = (double)c->point[i + 1].step;
    double part = to > from ? fmin(1, fmax(0, (at - from) / (to - from))) : 0;
    return value_at(c, i, what) * (1 - part) + value_at(c, i + 1, what) * part;
}

/* Dots of a letter are numbered down its two columns, the lowest pair last. */
static uint8_t dot_bit(int x, int y)
{
    static const uint8_t bit[DOTS_Y][DOTS_X] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    return bit[y % DOTS_Y][x % DOTS_X];
}

static void draw(uint8_t *cells, int columns, int rows, const struct live_curve *c,
                 enum top_curve_what what, struct range range)
{
    int before = -1, high = rows * DOTS_Y - 1, wide = columns * DOTS_X;
    for (int x = 0; x < wide; x++) {
        double v = value_between(c, what, wide > 1 ? (double)x / (wide - 1) : 0);
        if (!isfinite(v)) {
            before = -1;
            continue;
        }
        double part = range.most > range.least
                          ? (range.most - v) / (range.most - range.least)
                          : 0.5;
        int y = (int)lround(fmin(1, fmax(0, part)) * high), step = before < y ? 1 : -1;
        /* a steep piece is a line down or up to it */
        for (int at = before < 0 ? y : before; at != y + step; at += step) {
            if (before >= 0 && at == before && at != y)
                continue;
            cells[at / DOTS_Y * columns + x / DOTS_X] |= dot_bit(x, at);
            if (at == y)
                break;
        }
        before = y;
    }
}

static void label(char out[32], double v, enum top_curve_what what)
{
    if (what == TOP_CURVE_LOSS)
        snprintf(out, 32, "%.4g", v);
    else
        snprintf(out, 32, "%s", unit_count(v).s);
}

static void put_cells(struct top_rows *r, const uint8_t *cell, int columns)
{
    struct strbuf line;
    strbuf_init(&line);
    for (int x = 0; x < columns; x++) { /* U+2800 + dots */
        char letter[4] = {(char)0xe2, (char)(0xa0 | cell[x] >> 6),
                          (char)(0x80 | (cell[x] & 0x3f)), '\0'};
        strbuf_puts(&line, cell[x] ? letter : " ");
    }
    while (line.len && line.s[line.len - 1] == ' ')
        line.s[--line.len] = '\0';
    top_put_short(r, "36", line.s);
    strbuf_release(&line);
}

static void put_title(struct top_rows *r, const struct live_curve *c,
                      enum top_curve_what what)
{
    top_row_begin(r, 0);
    top_put(r, "1", "%s", what == TOP_CURVE_LOSS ? "loss" : "tokens/s");
    if (c->stride > 1)
        top_put(r, "", "  a point is the mean of %lld steps", (long long)c->stride);
}

static void put_steps(struct top_rows *r, const struct live_curve *c)
{
    char first[32], last[32];
    snprintf(first, sizeof first, "%lld", (long long)c->point[0].step);
    snprintf(last, sizeof last, "step %lld", (long long)c->point[c->n - 1].step);
    top_row_begin(r, 0);
    top_put(r, "", "%*s%s", LABEL_COLUMNS + 1, "", first);
    int gap = top_room(r) - (int)strlen(last);
    if (gap > 0)
        top_put(r, "", "%*s%s", gap, "", last);
}

void top_curve(struct top_rows *r, const struct live_curve *c, enum top_curve_what what,
               int rows)
{
    int high = rows - 2, wide = r->columns - LABEL_COLUMNS - 1;
    struct range range = range_of(c, what);
    put_title(r, c, what);
    if (c->n < 2 || range.most < range.least) {
        top_put(r, "", "  the curve begins with the second step");
        return;
    }
    uint8_t *cells = mem_zalloc((size_t)high * (size_t)wide, 1);
    draw(cells, wide, high, c, what, range);
    for (int y = 0; y < high; y++) {
        char text[32] = "";
        if (y == 0 || y == high - 1)
            label(text, y ? range.least : range.most, what);
        top_row_begin(r, 0);
        top_put(r, "", "%*s ", LABEL_COLUMNS, text);
        put_cells(r, cells + y * wide, wide);
    }
    put_steps(r, c);
    mem_free(cells);
}
