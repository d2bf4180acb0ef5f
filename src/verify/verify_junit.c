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

void verify_print_junit(struct strbuf *out, const struct verify_result *r,
                        const struct verify_shown *shown)
{
    (void)shown;
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
