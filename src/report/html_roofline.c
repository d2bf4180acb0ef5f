/*
 * The roofline as inline SVG: operators by what they do for a byte and by how fast they
 * were, under the ceilings of memory and arithmetic. Both axes are powers of ten.
 */
#include "report/html_parts.h"
#include "report/roofline_axes.h"

#include <math.h>

enum {
    WIDTH = 720,
    HEIGHT = 340,
    LEFT = 64,
    RIGHT = 20,
    TOP = 18,
    BOTTOM = 42,
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

static void put_grid(struct strbuf *out, const struct log_axes *a, double unit)
{
    for (int p = (int)a->y_min; p <= (int)a->y_max; p++) {
        double y = place_y(a, pow(10, p));
        strbuf_printf(out,
                      "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                      "<text class=\"end\" x=\"%d\" y=\"%.1f\">",
                      LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4);
        html_tick(out, pow(10, p) / unit);
        strbuf_puts(out, "</text>");
    }
    for (int p = (int)a->x_min; p <= (int)a->x_max; p++) {
        double x = place_x(a, pow(10, p));
        strbuf_printf(out,
                      "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
                      "<text class=\"mid\" x=\"%.1f\" y=\"%d\">",
                      x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18);
        html_tick(out, pow(10, p));
        strbuf_puts(out, "</text>");
    }
}

static void put_ceiling_name(struct strbuf *out, double x, double y, const char *css,
                             const char *name)
{
    strbuf_printf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", css, x, y);
    html_text(out, name);
    strbuf_puts(out, "</text>");
}

/* From the left edge, or from where the slope enters the picture, up to the ridge or out
 * of it. */
static void put_slope(struct strbuf *out, const struct log_axes *a,
                      const struct roofline *r)
{
    double left = pow(10, a->x_min), right = pow(10, a->x_max);
    double low = pow(10, a->y_min), high = pow(10, a->y_max);
    double slope = r->peak_bytes_per_s;
    double top = isfinite(r->peak_flop_per_s) ? r->peak_flop_per_s : high;
    double from = fmax(left, low / slope), to = fmin(right, top / slope);
    if (from >= to)
        return;
    strbuf_printf(out,
                  "<polyline class=\"line s-copies\" points=\"%.1f,%.1f %.1f,%.1f\"/>",
                  place_x(a, from), place_y(a, from * slope), place_x(a, to),
                  place_y(a, to * slope));
    double mid = sqrt(from * to); /* below the line, which rises away from it */
    put_ceiling_name(out, place_x(a, mid) + 8, place_y(a, mid * slope) + 16, "",
                     r->slope_label);
}

static void put_peak(struct strbuf *out, const struct log_axes *a,
                     const struct roofline *r)
{
    double left = pow(10, a->x_min), peak = r->peak_flop_per_s;
    double slope = r->peak_bytes_per_s;
    double from = isfinite(slope) ? fmax(left, peak / slope) : left;
    double y = place_y(a, peak);
    strbuf_printf(out,
                  "<polyline class=\"line s-compute\" points=\"%.1f,%.1f %d,%.1f\"/>",
                  place_x(a, from), y, WIDTH - RIGHT, y);
    put_ceiling_name(out, WIDTH - RIGHT, y - 6, "end", r->peak_label);
}

/* Up the memory's slope to the ridge, then along the peak; each alone where the other is
 * not known. */
static void put_ceilings(struct strbuf *out, const struct log_axes *a,
                         const struct roofline *r)
{
    if (isfinite(r->peak_bytes_per_s) && r->peak_bytes_per_s > 0)
        put_slope(out, a, r);
    if (isfinite(r->peak_flop_per_s) && r->peak_flop_per_s > 0)
        put_peak(out, a, r);
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

static void put_inside(struct strbuf *out, const struct log_axes *axes,
                       const struct roofline *r)
{
    put_grid(out, axes, r->unit_flop_per_s);
    put_ceilings(out, axes, r);
    for (size_t i = r->n; i-- > 0;) /* the longest on top */
        put_point(out, axes, &r->point[i]);
    strbuf_printf(out,
                  "<text class=\"mid\" x=\"%d\" y=\"%d\">FLOP a byte (counted); upwards: "
                  "%s (counted / measured)</text>",
                  (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, r->unit);
}

void html_roofline(struct strbuf *out, const struct roofline *r)
{
    struct log_axes axes;
    if (!roofline_axes(&axes, r))
        return; /* the table below has the figures */
    put_legend(out);
    strbuf_printf(
        out,
        "<div class=\"scroll\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" "
        "aria-label=\"operators under the ceilings, listed below\">",
        WIDTH, HEIGHT);
    put_inside(out, &axes, r);
    strbuf_puts(out, "</svg></div>\n");
}

bool svg_roofline(struct strbuf *out, const struct roofline *r)
{
    struct log_axes axes;
    if (!roofline_axes(&axes, r))
        return false;
    svg_begin(out, WIDTH, HEIGHT);
    put_inside(out, &axes, r);
    strbuf_puts(out, "</svg>\n");
    return true;
}
