/* A view as Markdown (GitHub's tables). Whatever a name holds stays text. */
#include "base/markdown.h"
#include "report/render.h"
#include "report/roofline_text.h"

static void put_heading(struct strbuf *out, const struct block *b)
{
    if (!*b->title)
        return;
    strbuf_puts(out, b->detail ? "\n### " : "\n## ");
    markdown_text(out, b->title);
    strbuf_puts(out, "\n\n");
}

static void put_note(struct strbuf *out, const struct block *b)
{
    if (!*b->note)
        return;
    strbuf_putc(out, '\n');
    markdown_text(out, b->note);
    strbuf_putc(out, '\n');
}

static void put_source(struct strbuf *out, const struct block *b)
{
    strbuf_puts(out, "# ");
    markdown_text(out, b->title);
    strbuf_puts(out, "\n");
    if (*b->text) {
        strbuf_putc(out, '\n');
        markdown_text(out, b->text);
        if (*b->note)
            strbuf_printf(out, " (%s)", b->note);
        strbuf_putc(out, '\n');
    }
}

static void put_bars(struct strbuf *out, const struct block *b)
{
    const struct bars *bars = &b->bars;
    put_heading(out, b);
    strbuf_puts(out, bars->parts_of_whole ? "| | time | share | |\n|:--|--:|--:|:--|\n"
                                          : "| | held |\n|:--|--:|\n");
    for (size_t i = 0; i < bars->n; i++) {
        strbuf_puts(out, "| ");
        markdown_text(out, bars->bar[i].label);
        strbuf_printf(out, " | %s |", bars->bar[i].value);
        if (bars->parts_of_whole) {
            strbuf_printf(out, " %s | ", bars->bar[i].share);
            markdown_text(out, bars->bar[i].remark);
            strbuf_puts(out, *bars->bar[i].remark ? " |" : "|");
        }
        strbuf_putc(out, '\n');
    }
    put_note(out, b);
}

static void put_table(struct strbuf *out, const struct block *b)
{
    const struct grid *t = &b->grid;
    put_heading(out, b);
    strbuf_putc(out, '|');
    for (size_t c = 0; c < t->n_columns; c++) {
        strbuf_putc(out, ' ');
        markdown_text(out, t->columns[c].title);
        strbuf_puts(out, *t->columns[c].title ? " |" : "|");
    }
    strbuf_puts(out, "\n|");
    for (size_t c = 0; c < t->n_columns; c++)
        strbuf_puts(out, t->columns[c].align == ALIGN_RIGHT ? "--:|" : ":--|");
    for (size_t r = 0; r < t->n_rows; r++) {
        strbuf_puts(out, "\n|");
        for (size_t c = 0; c < t->n_columns; c++) {
            const char *text = t->cells[r * t->n_columns + c].text;
            strbuf_putc(out, ' ');
            markdown_text(out, text);
            strbuf_puts(out, *text ? " |" : "|");
        }
    }
    strbuf_putc(out, '\n');
    if (t->n_rows < t->total_rows)
        strbuf_printf(out, "\n%zu of %zu shown.\n", t->n_rows - t->sum_rows,
                      t->total_rows - t->sum_rows);
    put_note(out, b);
}

/* The fence is longer than any that a fix could hold. */
static void put_card(struct strbuf *out, const struct block *b)
{
    const struct card *c = &b->card;
    put_heading(out, b);
    if (*b->text) {
        markdown_text(out, b->text);
        strbuf_puts(out, "\n\n");
    }
    for (size_t i = 0; i < b->n_lines; i++) {
        strbuf_printf(out, "- %s: ", b->lines[i]);
        markdown_text(out, b->notes[i]);
        strbuf_putc(out, '\n');
    }
    strbuf_printf(out,
                  "\n| %s | %s, measured | %s, predicted |\n|:--|:--|:--|\n"
                  "| now | %s | |\n| after the fix | %s | %s |\n",
                  c->tag, c->of, c->of, c->now, c->measured, c->predicted);
    for (size_t i = 0; i < c->n_code; i++)
        strbuf_printf(out, "\nThe fix, %s:\n\n````\n%s\n````\n", c->code_label[i],
                      c->code[i]);
    put_note(out, b);
}

static void put_list(struct strbuf *out, const struct block *b)
{
    put_heading(out, b);
    for (size_t i = 0; i < b->n_lines; i++) {
        strbuf_puts(out, "- ");
        markdown_text(out, b->lines[i]);
        strbuf_putc(out, '\n');
    }
    put_note(out, b);
}

/* Clean text holds no line breaks and each line begins with "gait", so nothing closes the
 * fence early. */
static void put_next(struct strbuf *out, const struct block *b)
{
    put_heading(out, b);
    strbuf_puts(out, "```sh\n");
    for (size_t i = 0; i < b->n_lines; i++)
        strbuf_printf(out, "%s   # %s\n", b->lines[i], b->notes[i]);
    strbuf_puts(out, "```\n");
}

/* Lines of the picture begin with a space: nothing closes the fence early. */
static void put_roofline(struct strbuf *out, const struct block *b)
{
    put_heading(out, b);
    strbuf_puts(out, "```text\n");
    roofline_text(out, &b->roofline, b->roofline.n);
    strbuf_puts(out, "```\n");
}

static void put_block(struct strbuf *out, const struct block *b)
{
    switch (b->kind) {
    case BLOCK_SOURCE:
        put_source(out, b);
        break;
    case BLOCK_HEADLINE:
        strbuf_puts(out, "\n**");
        for (size_t i = 0; i < b->n_lines; i++) {
            strbuf_puts(out, i ? " " : "");
            markdown_text(out, b->lines[i]);
        }
        strbuf_puts(out, "**\n");
        break;
    case BLOCK_DOUBT:
        strbuf_printf(out, "\n**%s**: ", b->title);
        markdown_text(out, b->text);
        strbuf_putc(out, '\n');
        break;
    case BLOCK_TEXT:
        put_heading(out, b);
        markdown_text(out, b->text);
        strbuf_putc(out, '\n');
        put_note(out, b);
        break;
    case BLOCK_BARS:
        put_bars(out, b);
        break;
    case BLOCK_TABLE:
        put_table(out, b);
        break;
    case BLOCK_LIST:
    case BLOCK_WARNINGS:
        put_list(out, b);
        break;
    case BLOCK_NEXT:
        put_next(out, b);
        break;
    case BLOCK_FOOTNOTE:
        strbuf_putc(out, '\n');
        markdown_text(out, b->text);
        strbuf_putc(out, '\n');
        break;
    case BLOCK_CARD:
        put_card(out, b);
        break;
    case BLOCK_ROOFLINE:
        put_roofline(out, b);
        break;
    case BLOCK_ROADMAP:
    case BLOCK_MATRIX:
    case BLOCK_HEAT:
    case BLOCK_BAR_PAIR:
    case BLOCK_CHANGES:
    case BLOCK_FLAME:
    case BLOCK_CHART:
    case BLOCK_TIMELINE:
        break; /* pictures: the HTML report has them */
    }
}

void render_markdown(struct strbuf *out, const struct view *v)
{
    for (size_t i = 0; i < v->n; i++)
        put_block(out, &v->blocks[i]);
}
