/* Two runs as pictures: the parts of a step of each on one scale, and what changed. */
#include "report/html_parts.h"

#include <math.h>

enum { ZERO_X = 500, CHANGE_WIDTH = 2 * ZERO_X };

static void put_legend(struct strbuf *out, const struct bars *bars)
{
    strbuf_puts(out, "<p class=\"legend\">");
    for (size_t i = 0; i < bars->n; i++) {
        strbuf_printf(out, "<span><i class=\"swatch t-%s\"></i>",
                      tone_css[bars->bar[i].tone]);
        html_text(out, bars->bar[i].label);
        strbuf_puts(out, "</span>");
    }
    strbuf_puts(out, "</p>\n");
}

void html_bar_pair(struct strbuf *out, const struct bar_pair *p)
{
    put_legend(out, &p->side[BEFORE]);
    for (int side = 0; side < SIDES; side++) {
        strbuf_puts(out, "<p class=\"side\">");
        html_text(out, p->label[side]);
        strbuf_puts(out, "</p>\n");
        html_stacked(out, &p->side[side]);
    }
}

static void put_change(struct strbuf *out, const struct change_bar *bar)
{
    double width = fmin(fabs(bar->frac), 1) * ZERO_X;
    double x = bar->frac < 0 ? ZERO_X - width : ZERO_X;
    strbuf_puts(out, "<tr><td class=\"name\"><div>");
    html_text(out, bar->label);
    strbuf_printf(out,
                  "</div></td><td class=\"num\">%s</td><td class=\"wide\">"
                  "<svg class=\"bar\" viewBox=\"0 0 %d 10\" preserveAspectRatio=\"none\" "
                  "aria-hidden=\"true\"><rect class=\"t-%s\" x=\"%.1f\" y=\"0\" "
                  "width=\"%.1f\" height=\"10\"/><rect class=\"zero\" x=\"%d\" y=\"0\" "
                  "width=\"2\" height=\"10\"/></svg></td></tr>\n",
                  bar->value, CHANGE_WIDTH,
                  bar->frac < 0 ? tone_css[TONE_COPIES] : tone_css[TONE_COMMUNICATION], x,
                  isfinite(width) ? width : 0, ZERO_X - 1);
}

void html_changes(struct strbuf *out, const struct changes *c)
{
    strbuf_puts(out, "<div class=\"scroll\"><table class=\"bars changes\"><tbody>\n");
    for (size_t i = 0; i < c->n; i++)
        put_change(out, &c->bar[i]);
    strbuf_puts(out, "</tbody></table></div>\n");
}
