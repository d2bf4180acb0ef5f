/*
 * The roofline as inline SVG: operators by what they do for a byte and by how fast they
 * were, under the ceilings of memory and arithmetic. Both axes are powers of ten.
 */
#include "report/html_parts.h"

#include <math.h>

enum {
    WIDTH = 720,
    HEIGHT = 340,
    LEFT = 64,
    RIGHT = 20,
    TOP = 18,
    BOTTOM = 42,
    DECADES_MAX = 24,
};

struct log_axes {
    double x_min, x_max, y_min, y_max; /* powers of ten */
};

static double place_x(const struct log_axes *a, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(x) - a->x_min) / (a->x_max - a->x_min);
}

static double place_y(const struct log_axes *a, double y)
{
    double room = HEIGHT - TOP - BOTTOM;
    return HEIGHT - BOTTOM - room * (log10(y) - a->y_min) / (a->y_max - a->y_min);
}

static void include(double *min, double *max, double value)
{
    if (!isfinite(value) || value <= 0)
        return;
    *min = fmin(*min, floor(log10(value)));
    *max = fmax(*max, ceil(log10(value)));
}

static bool axes_of(struct log_axes *a, const struct roofline *r)
{
    *a = (struct log_axes){INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < r->n; i++) {
        include(&a->x_min, &a->x_max, r->point[i].flop_per_byte);
        include(&a->y_min, &a->y_max, r->point[i].flop_per_s);
    }
    include(&a->x_min, &a->x_max, r->peak_flop_per_s / r->peak_bytes_per_s);
    include(&a->y_min, &a->y_max, r->peak_flop_per_s);
    if (!isfinite(a->x_max - a->x_min) || !isfinite(a->y_max - a->y_min))
        return false;
    a->x_max += a->x_max == a->x_min;
    a->y_max += a->y_max == a->y_min;
    return a->x_max - a->x_min <= DECADES_MAX && a->y_max - a->y_min <= DECADES_MAX;
}

static void put_grid(struct strbuf *out, const struct log_axes *a)
{
    for (int p = (int)a->y_min; p <= (int)a->y_max; p++) {
        double y = place_y(a, pow(10, p));
        strbuf_printf(out,
                      "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                      "<text class=\"end\" x=\"%d\" y=\"%.1f\">%.4g</text>",
                      LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4, pow(10, p - 12));
    }
    for (int p = (int)a->x_min; p <= (int)a->x_max; p++) {
        double x = place_x(a, pow(10, p));
        strbuf_printf(out,
                      "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                      "<text class=\"mid\" x=\"%.1f\" y=\"%d\">%.4g</text>",
                      x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, pow(10, p));
    }
}

/* Up the memory's slope to the ridge, then along the peak; each alone where the other is
 * not known. */
static void put_ceilings(struct strbuf *out, const struct log_axes *a,
                         const struct roofline *r)
{
    double left = pow(10, a->x_min), right = pow(10, a->x_max), low = pow(10, a->y_min);
    double peak = r->peak_flop_per_s, slope = r->peak_bytes_per_s;
    if (!isfinite(peak))
        return;
    strbuf_puts(out, "<polyline class=\"line s-other\" points=\"");
    if (isfinite(slope)) {
        double from = fmax(left, low / slope), ridge = peak / slope;
        strbuf_printf(out, "%.1f,%.1f %.1f,%.1f ", place_x(a, from),
                      place_y(a, from * slope), place_x(a, ridge), place_y(a, peak));
    } else {
        strbuf_printf(out, "%.1f,%.1f ", place_x(a, left), place_y(a, peak));
    }
    strbuf_printf(out, "%.1f,%.1f\"/><text class=\"end\" x=\"%d\" y=\"%.1f\">",
                  place_x(a, right), place_y(a, peak), WIDTH - RIGHT,
                  place_y(a, peak) - 6);
    html_text(out, r->peak_label);
    strbuf_puts(out, "</text>");
}

static void put_point(struct strbuf *out, const struct log_axes *a,
                      const struct roofline_point *p)
{
    strbuf_printf(out, "<circle class=\"t-%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"><title>",
                  tone_css[p->tone], place_x(a, p->flop_per_byte),
                  place_y(a, p->flop_per_s));
    html_text(out, p->name);
    strbuf_puts(out, ": ");
    html_text(out, p->text);
    strbuf_puts(out, "</title></circle>");
}

static void put_legend(struct strbuf *out)
{
    strbuf_printf(out,
                  "<p class=\"legend\"><span><i class=\"swatch t-%s\"></i>bound by "
                  "arithmetic</span><span><i class=\"swatch t-%s\"></i>bound by memory"
                  "</span><span><i class=\"swatch t-%s\"></i>not known</span></p>\n",
                  tone_css[TONE_COMPUTE], tone_css[TONE_COPIES], tone_css[TONE_OTHER]);
}

void html_roofline(struct strbuf *out, const struct roofline *r)
{
    struct log_axes axes;
    if (!axes_of(&axes, r))
        return; /* the table below has the figures */
    put_legend(out);
    strbuf_printf(out,
                  "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" "
                  "aria-label=\"operators under the ceilings, listed below\">",
                  WIDTH, HEIGHT);
    put_grid(out, &axes);
    put_ceilings(out, &axes, r);
    for (size_t i = r->n; i-- > 0;) /* the longest on top */
        put_point(out, &axes, &r->point[i]);
    strbuf_printf(out,
                  "<text class=\"mid\" x=\"%d\" y=\"%d\">FLOP a byte (counted); upwards: "
                  "TFLOP/s (counted / measured)</text></svg>\n",
                  (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6);
}
