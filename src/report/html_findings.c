/*
 * Findings on the page: a row each that opens, the way from the measured step to the
 * predicted one as falling bars, and gain against effort as four fields. Measured and
 * predicted figures stand in columns of their own. The script marks in the timeline what
 * an open row is about; without it rows open all the same.
 */
#include "report/html_parts.h"

enum { ROAD_WIDTH = 1000, FIELD_WIDTH = 200, FIELD_HEIGHT = 72, AXIS_WIDTH = 96 };

/* --- a card --- */

static void put_cell(struct strbuf *out, const char *tag, const char *text)
{
    strbuf_printf(out, "<%s>", tag);
    html_text(out, text);
    strbuf_printf(out, "</%s>", tag);
}

static void put_price(struct strbuf *out, const struct card *c)
{
    strbuf_puts(out, "<table class=\"price\"><thead><tr><th scope=\"col\">");
    html_text(out, c->of);
    strbuf_puts(out,
                "</th><th scope=\"col\">measured</th><th scope=\"col\">predicted</th>"
                "</tr></thead><tbody><tr><th scope=\"row\">now</th>");
    put_cell(out, "td", c->now);
    strbuf_puts(out, "<td></td></tr><tr><th scope=\"row\">after the fix</th>"
                     "<td class=\"quiet\">");
    html_text(out, c->measured);
    strbuf_puts(out, "</td>");
    put_cell(out, "td", c->predicted);
    strbuf_puts(out, "</tr></tbody></table>\n");
}

static void put_part(struct strbuf *out, const char *css, const char *text)
{
    strbuf_printf(out, "<span class=\"%s\">", css);
    html_text(out, text);
    strbuf_puts(out, "</span>");
}

/* One line: what it is, what it costs, what a step would take. */
static void put_row(struct strbuf *out, const struct block *b)
{
    const struct card *c = &b->card;
    strbuf_printf(out, "<summary><b class=\"tag\">%s</b>", c->tag);
    put_part(out, "cause", b->title);
    put_part(out, "holds", c->holds);
    put_part(out, "after", c->after);
    put_part(out, "effort", c->effort);
    put_part(out, "place", b->text);
    strbuf_puts(out, "</summary>\n");
}

static void put_evidence(struct strbuf *out, const struct block *b)
{
    if (*b->text) {
        strbuf_puts(out, "<p class=\"where\"><code>");
        html_text(out, b->text);
        strbuf_puts(out, "</code></p>\n");
    }
    strbuf_puts(out, "<dl>");
    for (size_t i = 0; i < b->n_lines; i++) {
        put_cell(out, "dt", b->lines[i]);
        put_cell(out, "dd", b->notes[i]);
    }
    strbuf_puts(out, "</dl>\n");
}

static void put_fix(struct strbuf *out, const struct card *c)
{
    for (size_t i = 0; i < c->n_code; i++) {
        strbuf_puts(out, "<p class=\"quiet\">The fix, ");
        html_text(out, c->code_label[i]);
        strbuf_puts(out, ":</p><pre><code>");
        html_text(out, c->code[i]);
        strbuf_puts(out, "</code></pre>\n");
    }
}

/* Above the first row. */
static void put_head_row(struct strbuf *out)
{
    strbuf_puts(out, "<div class=\"finding-head\"><span></span><span>cause</span>"
                     "<span class=\"holds\">costs</span><span>predicted step</span>"
                     "<span>effort</span><span>where</span></div>\n");
}

void html_card(struct strbuf *out, const struct block *b)
{
    if (b->card.number == 1)
        put_head_row(out);
    strbuf_printf(out, "<details class=\"finding\" data-finding=\"%zu\">",
                  b->card.number - 1);
    put_row(out, b);
    strbuf_puts(out, "<div class=\"card\">");
    put_evidence(out, b);
    put_price(out, &b->card);
    put_fix(out, &b->card);
    strbuf_puts(out, "<p class=\"quiet\">");
    html_text(out, b->note);
    strbuf_puts(out, "</p></div></details>\n");
}

/* --- the roadmap --- */

static void put_road(struct strbuf *out, const struct roadmap_bar *bar)
{
    double x = ROAD_WIDTH * bar->from_frac;
    double width = ROAD_WIDTH * (bar->to_frac - bar->from_frac);
    strbuf_puts(out, "<tr><th scope=\"row\">");
    html_text(out, bar->label);
    strbuf_printf(
        out,
        "</th><td class=\"wide\"><svg class=\"bar\" viewBox=\"0 0 %d 10\" "
        "preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"t-%s\" "
        "x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"10\"/></svg></td>",
        ROAD_WIDTH, bar->whole ? "compute" : "copies", x, width > 0 ? width : 0);
    strbuf_puts(out, "<td class=\"num\">");
    html_text(out, bar->measured);
    strbuf_puts(out, "</td><td class=\"num\">");
    html_text(out, bar->predicted);
    strbuf_puts(out, "</td></tr>\n");
}

void html_roadmap(struct strbuf *out, const struct roadmap *r)
{
    strbuf_puts(out, "<div class=\"scroll\"><table class=\"bars roadmap\"><thead><tr><th>"
                     "</th><th></th><th scope=\"col\" class=\"num\">measured</th>"
                     "<th scope=\"col\" class=\"num\">predicted</th></tr></thead>"
                     "<tbody>\n");
    for (size_t i = 0; i < r->n; i++)
        put_road(out, &r->bar[i]);
    strbuf_puts(out, "</tbody></table></div>\n");
}

/* --- gain against effort --- */

static void put_field(struct strbuf *out, const struct matrix *m, enum priority p)
{
    int x = AXIS_WIDTH + (p % 2) * FIELD_WIDTH, y = (p / 2) * FIELD_HEIGHT;
    bool any = *m->field[p];
    strbuf_printf(out,
                  "<rect class=\"field%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
                  "<text x=\"%d\" y=\"%d\">%s</text>",
                  any ? " some" : "", x + 2, y + 2, FIELD_WIDTH - 4, FIELD_HEIGHT - 4,
                  x + 12, y + 22, priority_text[p]);
    strbuf_printf(out, "<text class=\"mid big\" x=\"%d\" y=\"%d\">", x + FIELD_WIDTH / 2,
                  y + FIELD_HEIGHT / 2 + 8);
    html_text(out, m->field[p]);
    strbuf_puts(out, "</text>");
}

void html_matrix(struct strbuf *out, const struct matrix *m)
{
    int width = AXIS_WIDTH + 2 * FIELD_WIDTH, height = 2 * FIELD_HEIGHT;
    strbuf_printf(out,
                  "<svg class=\"chart matrix\" viewBox=\"0 0 %d %d\" role=\"img\" "
                  "aria-label=\"numbers of the findings by gain and effort\">",
                  width, height + 24);
    for (int p = 0; p < PRIORITY_COUNT; p++)
        put_field(out, m, (enum priority)p);
    strbuf_printf(out,
                  "<text x=\"0\" y=\"%d\">gain ≥ 5 %%</text><text x=\"0\" y=\"%d\">gain "
                  "&lt; 5 %%</text>",
                  FIELD_HEIGHT / 2 + 4, FIELD_HEIGHT + FIELD_HEIGHT / 2 + 4);
    strbuf_printf(out,
                  "<text class=\"mid\" x=\"%d\" y=\"%d\">low effort</text><text "
                  "class=\"mid\" x=\"%d\" y=\"%d\">more effort</text></svg>\n",
                  AXIS_WIDTH + FIELD_WIDTH / 2, height + 18,
                  AXIS_WIDTH + FIELD_WIDTH + FIELD_WIDTH / 2, height + 18);
}
