/*
 * The pieces of the HTML report. Text reaches the page only through html_text() and
 * html_script_json(): a name from a recording is data, never markup.
 */
#ifndef GAIT_REPORT_HTML_PARTS_H
#define GAIT_REPORT_HTML_PARTS_H

#include "report/view.h"

extern const char html_style[]; /* the style sheet */

/* The scripts, in the order in which they run; all in one function that makes `page`. */
extern const char html_script_page[];     /* what the others share */
extern const char html_script_tables[];   /* sorting and filtering */
extern const char html_script_timeline[]; /* drawing it */
extern const char html_script_use[];      /* zooming, moving, hovering */
extern const char html_script_map[];      /* the whole recording above it */
extern const char html_script_find[];     /* names, and what findings are about */
extern const char html_script_flame[];    /* the flame graph */

/* Escaped for element content and for quoted attributes alike. */
void html_text(struct strbuf *out, const char *s);
/* A tick of an axis: 0.001, 50, 12000. */
void html_tick(struct strbuf *out, double value);
/* A JSON document that may stand inside <script>: no byte of it can end the element. */
void html_script_json(struct strbuf *out, const char *json);

void html_card(struct strbuf *out, const struct block *b);
void html_roadmap(struct strbuf *out, const struct roadmap *r);
void html_matrix(struct strbuf *out, const struct matrix *m);
void html_flame(struct strbuf *out, const struct flame *f);
void html_heat(struct strbuf *out, const struct heat *h);
void html_bars(struct strbuf *out, const struct bars *bars);
void html_stacked(struct strbuf *out, const struct bars *bars); /* without the list */
void html_bar_pair(struct strbuf *out, const struct bar_pair *p);
void html_changes(struct strbuf *out, const struct changes *c);
void html_chart(struct strbuf *out, const struct chart *chart);
void html_roofline(struct strbuf *out, const struct roofline *r);
/* The same as files of their own; false: there is nothing to draw. */
bool svg_chart(struct strbuf *out, const struct chart *chart);
bool svg_roofline(struct strbuf *out, const struct roofline *r);
void svg_begin(struct strbuf *out, int width, int height); /* with its style */
void html_table(struct strbuf *out, const struct grid *t);
void html_timeline(struct strbuf *out, const struct timeline *t);

#endif
