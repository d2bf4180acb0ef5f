#include "lint/lint_github.h"

#include "base/text_fit.h"
#include "lint/lint_rows.h"

#include <limits.h>
#include <string.h>

/* A command ends with its line; "," and ":" end a property, "%" begins an escape. */
static void put_escaped(struct strbuf *out, const char *s, const char *special)
{
    for (; *s; s++)
        if (strchr(special, *s))
            strbuf_printf(out, "%%%02X", (unsigned)(unsigned char)*s);
        else if ((unsigned char)*s < 0x20 || *s == 0x7f)
            strbuf_putc(out, '?'); /* a log may be read on a terminal */
        else
            strbuf_putc(out, *s);
}

static void put_property(struct strbuf *out, const char *key, const char *value)
{
    strbuf_printf(out, "%s=", key);
    put_escaped(out, value, "%\r\n:,");
}

static void put_message(struct strbuf *out, const char *text)
{
    struct arena a;
    arena_init(&a);
    put_escaped(out, text_clean(&a, text, INT_MAX), "%\r\n");
    arena_release(&a);
}

/* Columns are understood within one line only. */
static void put_region(struct strbuf *out, const struct lint_finding *f)
{
    if (f->line == f->end_line)
        strbuf_printf(out, ",line=%d,col=%d,endLine=%d,endColumn=%d", (int)f->line,
                      (int)f->column, (int)f->end_line, (int)f->end_column);
    else
        strbuf_printf(out, ",line=%d,endLine=%d", (int)f->line, (int)f->end_line);
}

static void put_finding(struct strbuf *out, const char *path,
                        const struct lint_finding *f)
{
    strbuf_puts(out, "::warning ");
    put_property(out, "file", path);
    put_region(out, f);
    strbuf_puts(out, ",title=");
    put_escaped(out, f->rule->code, "%\r\n:,");
    strbuf_printf(out, " %s::", f->rule->name);
    put_message(out, f->rule->title);
    strbuf_puts(out, "%0Ahelp: ");
    put_message(out, f->advice);
    if (f->n_also) {
        strbuf_puts(out, "%0Aalso: ");
        lint_rows_tell(out, f);
    }
    if (f->price && *f->price) {
        strbuf_puts(out, "%0Acost: ");
        put_message(out, f->price);
    }
    strbuf_putc(out, '\n');
}

static void put_remarks(struct strbuf *out, const struct lint_file *f)
{
    if (f->failure) {
        strbuf_puts(out, "::error ");
        put_property(out, "file", f->path);
        strbuf_puts(out, "::not checked: ");
        put_message(out, f->failure);
        strbuf_putc(out, '\n');
    } else if (f->error_line) {
        strbuf_puts(out, "::warning ");
        put_property(out, "file", f->path);
        strbuf_printf(out,
                      ",line=%d::line %d could not be parsed; the rest was checked\n",
                      (int)f->error_line, (int)f->error_line);
    }
}

void lint_github_write(struct strbuf *out, const struct lint_result *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct lint_file *f = &r->files[i];
        for (size_t k = 0; k < f->n; k++)
            put_finding(out, f->path, &f->findings[k]);
        put_remarks(out, f);
    }
}
