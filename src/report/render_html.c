/*
 * A view as one HTML file that needs no network and no other file: style, script, data
 * and pictures stand in it. A content policy forbids the page to load anything, and names
 * the one style sheet and the one script by their hashes: whatever else a name from a
 * recording might smuggle in does not run. Hashes do not cover style and event handler
 * attributes: the page has none.
 */
#include "base/sha256.h"
#include "report/html_parts.h"
#include "report/render.h"

#include <math.h>
#include <string.h>

/* Longer cells may break over lines; longer names are shown in two and whole on hover. */
enum { LONG_TEXT_LEN = 28, LONG_NAME_LEN = 80 };

static void put_title(struct strbuf *out, const struct block *b)
{
    if (!*b->title)
        return;
    strbuf_puts(out, b->detail ? "<h3>" : "<h2>");
    html_text(out, b->title);
    strbuf_puts(out, b->detail ? "</h3>\n" : "</h2>\n");
}

static void put_paragraph(struct strbuf *out, const char *css, const char *text)
{
    if (!*text)
        return;
    strbuf_printf(out, "<p class=\"%s\">", css);
    html_text(out, text);
    strbuf_puts(out, "</p>\n");
}

static void put_cell(struct strbuf *out, const struct column *column,
                     const struct cell *cell)
{
    const char *css = column->is_name                      ? "name"
                      : column->align == ALIGN_RIGHT       ? "num"
                      : strlen(cell->text) > LONG_TEXT_LEN ? "long"
                                                           : "";
    strbuf_printf(out, *css ? "<td class=\"%s\"" : "<td%s", css);
    if (isfinite(cell->sort))
        strbuf_printf(out, " data-v=\"%.9g\"", cell->sort);
    if (cell->full || (column->is_name && strlen(cell->text) > LONG_NAME_LEN)) {
        strbuf_puts(out, " title=\"");
        html_text(out, cell->full ? cell->full : cell->text);
        strbuf_puts(out, "\"");
    }
    strbuf_puts(out, column->is_name ? "><div>" : ">");
    if (cell->file)
        strbuf_printf(out, "<a href=\"%s\">", cell->file);
    html_text(out, cell->text);
    strbuf_puts(out, cell->file ? "</a>" : "");
    strbuf_puts(out, column->is_name ? "</div></td>" : "</td>");
}

static void put_header(struct strbuf *out, const struct grid *t)
{
    strbuf_puts(out, "<thead><tr>");
    for (size_t c = 0; c < t->n_columns; c++) {
        bool right = t->columns[c].align == ALIGN_RIGHT;
        strbuf_puts(out,
                    right ? "<th scope=\"col\" class=\"num\">" : "<th scope=\"col\">");
        html_text(out, t->columns[c].title);
        strbuf_puts(out, "</th>");
    }
    strbuf_puts(out, "</tr></thead>\n");
}

static const char *table_class(const struct grid *t)
{
    if (t->searchable)
        return " class=\"sortable\"";
    if (!t->stacks)
        return "";
    return t->columns[t->n_columns - 1].wraps ? " class=\"stacks prose\""
                                              : " class=\"stacks\"";
}

void html_table(struct strbuf *out, const struct grid *t)
{
    strbuf_printf(out, "<div class=\"scroll\"><table%s>", table_class(t));
    put_header(out, t);
    strbuf_puts(out, "<tbody>\n");
    for (size_t r = 0; r < t->n_rows; r++) {
        strbuf_puts(out, "<tr>");
        for (size_t c = 0; c < t->n_columns; c++)
            put_cell(out, &t->columns[c], &t->cells[r * t->n_columns + c]);
        strbuf_puts(out, "</tr>\n");
    }
    strbuf_puts(out, "</tbody></table></div>\n");
    if (t->n_rows < t->total_rows)
        strbuf_printf(out, "<p class=\"quiet\">%zu of %zu are listed.</p>\n", t->n_rows,
                      t->total_rows);
}

static void put_source(struct strbuf *out, const struct block *b)
{
    strbuf_puts(out, "<header><p class=\"source\"><b>");
    html_text(out, b->title);
    strbuf_puts(out, "</b> ");
    html_text(out, b->text);
    if (*b->note)
        strbuf_printf(out, ", %s", b->note);
    strbuf_puts(out, "</p>\n");
}

static void put_doubt(struct strbuf *out, const struct block *b)
{
    strbuf_printf(out, "<p class=\"list warnings\"><b>%s</b>: ", b->title);
    html_text(out, b->text);
    strbuf_puts(out, "</p>\n");
}

static void put_headline(struct strbuf *out, const struct block *b)
{
    strbuf_puts(out, "<h1>");
    for (size_t i = 0; i < b->n_lines; i++) {
        strbuf_puts(out, "<span>");
        html_text(out, b->lines[i]);
        strbuf_puts(out, i + 1 < b->n_lines ? "</span> " : "</span>");
    }
    strbuf_puts(out, "</h1></header>\n");
}

static void put_items(struct strbuf *out, const struct block *b, const char *css)
{
    strbuf_printf(out, "<ul class=\"%s\">\n", css);
    for (size_t i = 0; i < b->n_lines; i++) {
        strbuf_puts(out, "<li>");
        html_text(out, b->lines[i]);
        strbuf_puts(out, "</li>\n");
    }
    strbuf_puts(out, "</ul>\n");
}

static void put_next(struct strbuf *out, const struct block *b)
{
    strbuf_puts(out, "<dl class=\"next\">\n");
    for (size_t i = 0; i < b->n_lines; i++) {
        strbuf_puts(out, "<dt><code>");
        html_text(out, b->lines[i]);
        strbuf_puts(out, "</code></dt><dd>");
        html_text(out, b->notes[i]);
        strbuf_puts(out, "</dd>\n");
    }
    strbuf_puts(out, "</dl>\n");
}

static void put_content(struct strbuf *out, const struct block *b)
{
    switch (b->kind) {
    case BLOCK_SOURCE:
    case BLOCK_DOUBT:
    case BLOCK_HEADLINE:
        break; /* not in a section */
    case BLOCK_TEXT:
        put_paragraph(out, "text", b->text);
        break;
    case BLOCK_BARS:
        html_bars(out, &b->bars);
        break;
    case BLOCK_BAR_PAIR:
        html_bar_pair(out, &b->pair);
        break;
    case BLOCK_CHANGES:
        html_changes(out, &b->changes);
        break;
    case BLOCK_TABLE:
        html_table(out, &b->grid);
        break;
    case BLOCK_CHART:
        html_chart(out, &b->chart);
        break;
    case BLOCK_ROOFLINE:
        html_roofline(out, &b->roofline);
        break;
    case BLOCK_TIMELINE:
        html_timeline(out, &b->timeline);
        break;
    case BLOCK_LIST:
        put_items(out, b, "list");
        break;
    case BLOCK_WARNINGS:
        put_items(out, b, "list warnings");
        break;
    case BLOCK_NEXT:
        put_next(out, b);
        break;
    case BLOCK_FOOTNOTE:
        put_paragraph(out, "quiet", b->text);
        break;
    case BLOCK_CARD:
        break; /* it has its own heading and notes */
    case BLOCK_ROADMAP:
        html_roadmap(out, &b->roadmap);
        break;
    case BLOCK_MATRIX:
        html_matrix(out, &b->matrix);
        break;
    case BLOCK_HEAT:
        html_heat(out, &b->heat);
        break;
    case BLOCK_FLAME:
        html_flame(out, &b->flame);
        break;
    }
}

static void put_block(struct strbuf *out, const struct block *b)
{
    if (b->kind == BLOCK_SOURCE) {
        put_source(out, b);
        return;
    }
    if (b->kind == BLOCK_DOUBT) {
        put_doubt(out, b);
        return;
    }
    if (b->kind == BLOCK_HEADLINE) {
        put_headline(out, b);
        return;
    }
    if (b->kind == BLOCK_CARD) {
        html_card(out, b);
        return;
    }
    bool goes_on = b->detail || !*b->title;
    strbuf_printf(out, "<section%s>\n", goes_on ? " class=\"more\"" : "");
    put_title(out, b);
    put_content(out, b);
    put_paragraph(out, "quiet", b->note);
    strbuf_puts(out, "</section>\n");
}

/* code: exactly what stands between the tags. */
static void put_hash(struct strbuf *out, const struct strbuf *code)
{
    strbuf_printf(out, "'sha256-%s'", sha256_base64(sha256_of(code->s, code->len)).s);
}

static void put_policy(struct strbuf *out, const struct strbuf *style,
                       const struct strbuf *script)
{
    strbuf_puts(out, "<meta http-equiv=\"Content-Security-Policy\" content=\""
                     "default-src 'none'; style-src ");
    put_hash(out, style);
    strbuf_puts(out, "; script-src ");
    put_hash(out, script);
    strbuf_puts(out, "; base-uri 'none'; form-action 'none'\">\n");
}

static void put_head(struct strbuf *out, const struct view *v, const struct strbuf *style,
                     const struct strbuf *script)
{
    strbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                     "<meta charset=\"utf-8\">\n");
    put_policy(out, style, script);
    strbuf_puts(
        out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
    html_text(out, v->n ? v->blocks[0].title : "run");
    strbuf_printf(out, " – gait</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n",
                  style->s);
}

void render_html(struct strbuf *out, const struct view *v)
{
    struct strbuf style, script;
    strbuf_init(&style);
    strbuf_init(&script);
    strbuf_printf(&style, "\n%s", html_style);
    strbuf_printf(&script, "\n(function(){'use strict';\n%s%s%s%s%s%s%s})();\n",
                  html_script_page, html_script_tables, html_script_timeline,
                  html_script_use, html_script_map, html_script_find, html_script_flame);
    put_head(out, v, &style, &script);
    for (size_t i = 0; i < v->n; i++)
        put_block(out, &v->blocks[i]);
    strbuf_printf(out,
                  "<footer>gait %s. This file holds everything it shows and loads "
                  "nothing.</footer>\n</main>\n<script>%s</script>\n</body>\n</html>\n",
                  GAIT_VERSION, script.s);
    strbuf_release(&style);
    strbuf_release(&script);
}
