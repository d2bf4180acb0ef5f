/*
 * Bars and lines as inline SVG. Coordinates are printed with one decimal; colours come
 * from the style sheet by class, so that light, dark and print need no second picture.
 */
#include "report/html_parts.h"

#include <math.h>

enum {
    BAR_WIDTH = 1000,
    BAR_HEIGHT = 34,
    CHART_WIDTH = 720,
    CHART_HEIGHT = 260,
    CHART_LEFT = 56,
    CHART_RIGHT = 16,
    CHART_TOP = 14,
    CHART_BOTTOM = 40,
    DOTS_MAX = 60,
};

static double drawn_frac(double frac)
{
    return isfinite(frac) && frac > 0 ? fmin(frac, 1) : 0;
}

static void put_rect(struct strbuf *out, double x, double width, double height,
                     const struct bar *bar)
{
    strbuf_printf(
        out,
        "<rect class=\"t-%s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%.1f\">"
        "<title>",
        tone_css[bar->tone], x, width, height);
    html_text(out, bar->label);
    strbuf_puts(out, " ");
    html_text(out, bar->value);
    strbuf_puts(out, " ");
    html_text(out, bar->share);
    strbuf_puts(out, "</title></rect>");
}

/* All parts in one bar, in the order of the list under it. */
void html_stacked(struct strbuf *out, const struct bars *bars)
{
    double x = 0;
    strbuf_printf(
        out,
        "<svg class=\"stack\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
        "role=\"img\" aria-label=\"shares, listed below\">",
        BAR_WIDTH, BAR_HEIGHT);
    for (size_t i = 0; i < bars->n; i++) {
        double width = fmin(BAR_WIDTH * drawn_frac(bars->bar[i].frac), BAR_WIDTH - x);
        if (width > 0)
            put_rect(out, x, width, BAR_HEIGHT, &bars->bar[i]);
        x += width > 0 ? width : 0;
    }
    strbuf_puts(out, "</svg>\n");
}

static void put_bar_row(struct strbuf *out, const struct bar *bar, bool own_bar)
{
    strbuf_printf(out, "<tr><th scope=\"row\"><i class=\"swatch t-%s\"></i>",
                  tone_css[bar->tone]);
    html_text(out, bar->label);
    strbuf_puts(out, "</th><td class=\"num\">");
    html_text(out, bar->value);
    strbuf_puts(out, "</td>");
    if (own_bar) {
        strbuf_printf(out,
                      "<td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 %d 10\" "
                      "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                      BAR_WIDTH);
        put_rect(out, 0, BAR_WIDTH * drawn_frac(bar->frac), 10, bar);
        strbuf_puts(out, "</svg></td></tr>\n");
        return;
    }
    strbuf_puts(out, "<td class=\"num\">");
    html_text(out, bar->share);
    strbuf_puts(out, "</td><td class=\"wide quiet\">");
    html_text(out, bar->remark);
    strbuf_puts(out, "</td></tr>\n");
}

void html_bars(struct strbuf *out, const struct bars *bars)
{
    if (bars->parts_of_whole)
        html_stacked(out, bars);
    strbuf_puts(out, "<table class=\"bars\">\n");
    for (size_t i = 0; i < bars->n; i++)
        put_bar_row(out, &bars->bar[i], !bars->parts_of_whole);
    strbuf_puts(out, "</table>\n");
}

/* What maps data to the picture. */
struct axes {
    double x_min, x_max, y_min, y_max;
};

static void axes_include(struct axes *a, const struct chart_series *s)
{
    for (size_t i = 0; i < s->n; i++) {
        a->x_min = fmin(a->x_min, s->x[i]);
        a->x_max = fmax(a->x_max, s->x[i]);
        a->y_min = fmin(a->y_min, s->y[i] - s->y_error[i]);
        a->y_max = fmax(a->y_max, s->y[i] + s->y_error[i]);
    }
}

static double place_x(const struct axes *a, double x)
{
    double room = CHART_WIDTH - CHART_LEFT - CHART_RIGHT;
    return CHART_LEFT + room * (x - a->x_min) / (a->x_max - a->x_min);
}

static double place_y(const struct axes *a, double y)
{
    double room = CHART_HEIGHT - CHART_TOP - CHART_BOTTOM;
    return CHART_HEIGHT - CHART_BOTTOM - room * (y - a->y_min) / (a->y_max - a->y_min);
}

/* 1, 2 or 5 times a power of ten, so that about `wanted` of them fill the range. */
static double nice_step(double range, int wanted)
{
    double raw = range / wanted, power = pow(10, floor(log10(raw)));
    double m = raw / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static void put_y_ticks(struct strbuf *out, const struct axes *a)
{
    double step = nice_step(a->y_max - a->y_min, 4);
    double first = ceil(a->y_min / step);
    for (int i = 0; i < 12 && (first + i) * step <= a->y_max; i++) {
        double y = place_y(a, (first + i) * step);
        strbuf_printf(out,
                      "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                      "<text class=\"end\" x=\"%d\" y=\"%.1f\">",
                      CHART_LEFT, CHART_WIDTH - CHART_RIGHT, y, y, CHART_LEFT - 8, y + 4);
        html_tick(out, (first + i) * step);
        strbuf_puts(out, "</text>");
    }
}

static void put_x_ticks(struct strbuf *out, const struct axes *a, bool whole)
{
    double step = nice_step(a->x_max - a->x_min, 6);
    step = whole ? fmax(step, 1) : step;
    double first = ceil(a->x_min / step);
    for (int i = 0; i < 12 && (first + i) * step <= a->x_max; i++)
        strbuf_printf(out, "<text class=\"mid\" x=\"%.1f\" y=\"%d\">%.6g</text>",
                      place_x(a, (first + i) * step), CHART_HEIGHT - CHART_BOTTOM + 18,
                      (first + i) * step);
}

static void put_series(struct strbuf *out, const struct axes *a,
                       const struct chart_series *s)
{
    strbuf_printf(out, "<polyline class=\"line s-%s\" points=\"", tone_css[s->tone]);
    for (size_t i = 0; i < s->n; i++)
        strbuf_printf(out, "%.1f,%.1f ", place_x(a, s->x[i]), place_y(a, s->y[i]));
    strbuf_puts(out, "\"/>");
    bool dots = s->n <= DOTS_MAX;
    for (size_t i = 0; i < s->n; i++) {
        double x = place_x(a, s->x[i]);
        if (s->y_error[i] > 0)
            strbuf_printf(out,
                          "<line class=\"line s-%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
                          "y2=\"%.1f\"/>",
                          tone_css[s->tone], x, x, place_y(a, s->y[i] - s->y_error[i]),
                          place_y(a, s->y[i] + s->y_error[i]));
        if (dots)
            strbuf_printf(out,
                          "<circle class=\"t-%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\">"
                          "<title>%s %.0f: %.4f</title></circle>",
                          tone_css[s->tone], x, place_y(a, s->y[i]), s->name, s->x[i],
                          s->y[i]);
    }
}

static void put_legend(struct strbuf *out, const struct chart *chart)
{
    strbuf_puts(out, "<p class=\"legend\">");
    for (size_t i = 0; i < chart->n; i++) {
        strbuf_printf(out, "<span><i class=\"swatch t-%s\"></i>",
                      tone_css[chart->series[i].tone]);
        html_text(out, chart->series[i].name);
        strbuf_puts(out, "</span>");
    }
    strbuf_puts(out, "</p>\n");
}

static bool axes_of(struct axes *a, const struct chart *chart)
{
    *a = (struct axes){INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (size_t i = 0; i < chart->n; i++)
        axes_include(a, &chart->series[i]);
    if (!isfinite(a->x_max - a->x_min) || !isfinite(a->y_max - a->y_min))
        return false;
    if (chart->y_from_zero && a->y_min > 0)
        a->y_min = 0;
    if (a->x_max == a->x_min)
        a->x_max += 1;
    if (a->y_max == a->y_min)
        a->y_max += fabs(a->y_max) * 0.1 + 1e-6;
    return true;
}

static void put_inside(struct strbuf *out, const struct axes *axes,
                       const struct chart *chart)
{
    put_y_ticks(out, axes);
    put_x_ticks(out, axes, chart->x_counts);
    for (size_t i = 0; i < chart->n; i++)
        put_series(out, axes, &chart->series[i]);
    strbuf_printf(out, "<text class=\"mid\" x=\"%d\" y=\"%d\">",
                  (CHART_LEFT + CHART_WIDTH - CHART_RIGHT) / 2, CHART_HEIGHT - 4);
    html_text(out, chart->x_label);
    strbuf_puts(out, "</text>");
}

void html_chart(struct strbuf *out, const struct chart *chart)
{
    struct axes axes;
    if (!axes_of(&axes, chart))
        return; /* nothing finite to draw; the sentence above it says N/A */
    put_legend(out, chart);
    strbuf_printf(out,
                  "<div class=\"scroll\"><svg class=\"chart\" viewBox=\"0 0 %d %d\" "
                  "role=\"img\" aria-label=\"",
                  CHART_WIDTH, CHART_HEIGHT);
    html_text(out, chart->y_label);
    strbuf_puts(out, "\">");
    put_inside(out, &axes, chart);
    strbuf_puts(out, "</svg></div>\n");
}

bool svg_chart(struct strbuf *out, const struct chart *chart)
{
    struct axes axes;
    if (!axes_of(&axes, chart))
        return false;
    svg_begin(out, CHART_WIDTH, CHART_HEIGHT);
    put_inside(out, &axes, chart);
    strbuf_puts(out, "</svg>\n");
    return true;
}
