#include "report/terminal_card.h"

#include "base/text_fit.h"

#include <string.h>

enum { LABEL_COLUMNS = 14, CODE_INDENT = 4 };

static void put_fact(struct strbuf *out, const char *label, const char *text, int columns)
{
    if (!*text)
        return;
    strbuf_puts(out, "  ");
    text_pad(out, label, LABEL_COLUMNS, false);
    text_wrap(out, text, columns, 2 + LABEL_COLUMNS);
    strbuf_putc(out, '\n');
}

/* Code is shown as it stands: a broken line would not run. */
static void put_code(struct strbuf *out, const char *label, const char *code)
{
    strbuf_printf(out, "\n  The fix, %s:\n\n", label);
    for (const char *line = code; *line;) {
        size_t len = strcspn(line, "\n");
        if (len)
            strbuf_repeat(out, " ", CODE_INDENT);
        strbuf_add(out, line, len);
        strbuf_putc(out, '\n');
        line += len + (line[len] == '\n');
    }
}

void terminal_card(struct strbuf *out, const struct block *b, int columns, bool colour)
{
    const struct card *c = &b->card;
    strbuf_printf(out, "\n%s%s%s  (%s)\n", colour ? "\033[1m" : "", b->title,
                  colour ? "\033[0m" : "", c->tag);
    put_fact(out, "where", b->text, columns);
    for (size_t i = 0; i < b->n_lines; i++)
        put_fact(out, b->lines[i], b->notes[i], columns);
    strbuf_printf(out, "\n  %s\n", c->of);
    put_fact(out, "measured", c->now, columns);
    put_fact(out, "predicted", c->predicted, columns);
    put_fact(out, "after it", c->measured, columns);
    for (size_t i = 0; i < c->n_code; i++)
        put_code(out, c->code_label[i], c->code[i]);
    if (*b->note)
        strbuf_printf(out, "\n  %s\n", b->note);
}
