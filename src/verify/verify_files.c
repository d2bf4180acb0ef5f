#include "verify/verify_files.h"

/* Remarks hold names of the user's: data, never markup. Control characters are no XML. */
static void put_xml(struct strbuf *out, const char *s)
{
    for (; *s; s++) {
        const char *entity = *s == '&'    ? "&amp;"
                             : *s == '<'  ? "&lt;"
                             : *s == '>'  ? "&gt;"
                             : *s == '"'  ? "&quot;"
                             : *s == '\'' ? "&apos;"
                                          : NULL;
        if (entity)
            strbuf_puts(out, entity);
        else if ((unsigned char)*s >= ' ')
            strbuf_putc(out, *s);
    }
}

static void put_outcome(struct strbuf *out, const struct gate_result *g)
{
    bool failed = g->verdict == VERDICT_FAIL || g->verdict == VERDICT_UNSURE;
    if (g->verdict == VERDICT_PASS) {
        strbuf_puts(out, "<system-out>");
        put_xml(out, g->remark);
        strbuf_puts(out, "</system-out>");
        return;
    }
    strbuf_printf(out, "<%s message=\"", failed ? "failure" : "skipped");
    put_xml(out, g->remark);
    if (failed)
        strbuf_printf(out, "\" type=\"%s", g->code);
    strbuf_puts(out, "\"/>");
}

void verify_print_junit(struct strbuf *out, const struct verify_result *r)
{
    size_t skipped = r->n - r->applied;
    strbuf_printf(out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                  "<testsuite name=\"gait verify\" tests=\"%zu\" failures=\"%zu\" "
                  "skipped=\"%zu\" errors=\"0\">\n",
                  r->n, r->failed + r->unsure, skipped);
    for (size_t i = 0; i < r->n; i++) {
        strbuf_puts(out, "<testcase classname=\"gait.verify\" name=\"");
        put_xml(out, r->gate[i].name);
        strbuf_puts(out, "\">");
        put_outcome(out, &r->gate[i]);
        strbuf_puts(out, "</testcase>\n");
    }
    strbuf_puts(out, "</testsuite>\n</testsuites>\n");
}

/* A bar would end the cell, a backtick or an angle bracket begin markup. */
static void put_cell(struct strbuf *out, const char *s)
{
    for (; *s; s++) {
        if (*s == '|' || *s == '`' || *s == '*' || *s == '_' || *s == '\\' || *s == '[')
            strbuf_putc(out, '\\');
        if (*s == '<')
            strbuf_puts(out, "&lt;");
        else if ((unsigned char)*s >= ' ')
            strbuf_putc(out, *s);
    }
}

void verify_print_markdown(struct strbuf *out, const struct verify_result *r)
{
    strbuf_puts(out, "| gate | before | after | verdict | |\n|---|---:|---:|---|---|\n");
    for (size_t i = 0; i < r->n; i++) {
        const struct gate_result *g = &r->gate[i];
        const char *const cells[] = {g->name, g->before, g->after,
                                     verdict_text[g->verdict], g->remark};
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            strbuf_puts(out, "| ");
            put_cell(out, cells[k]);
            strbuf_putc(out, ' ');
        }
        strbuf_puts(out, "|\n");
    }
    strbuf_printf(out, "\n%zu of %zu gates passed.\n", r->applied - r->failed - r->unsure,
                  r->applied);
    if (*r->busy)
        strbuf_printf(out, "\nThe machine was not quiet while both were timed: %s.\n",
                      r->busy);
}
