#include "cli/bundle_texts.h"

#include "findings/findings.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>

enum { NAME_MAX_BYTES = 64 };

static void add_text(struct bundle *b, const char *run_name_text, const char *ending,
                     const char *what, const struct strbuf *text)
{
    char name[NAME_MAX_BYTES];
    snprintf(name, sizeof name, "%s%s", run_name_text, ending);
    bundle_add(b, name, what, text->s, text->len);
}

void print_facts(struct strbuf *out, const struct run *run)
{
    for (size_t i = 0; i < run->facts.table.n; i++) {
        struct fact f = facts_get(&run->facts, i);
        strbuf_printf(out, "%-36s", run_name(run, f.key));
        if (isfinite(f.value) && (f.value != 0 || !*run_name(run, f.text)))
            strbuf_printf(out, " %.10g", f.value);
        if (*run_name(run, f.unit))
            strbuf_printf(out, " %s", run_name(run, f.unit));
        if (*run_name(run, f.text))
            strbuf_printf(out, " %s", run_name(run, f.text));
        strbuf_printf(out, " (%s)\n", origin_text[f.origin]);
    }
}

void bundle_add_answers(struct bundle *b, const struct run *run, const char *name)
{
    struct strbuf text;
    char subject[NAME_MAX_BYTES];
    snprintf(subject, sizeof subject, "%s.gait", name);
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    struct report_options o = {.subject = subject, .findings = f};
    strbuf_init(&text);
    report_render(&text, a, REPORT_TERMINAL, &o);
    add_text(b, name, "-analysis.txt", "gait analyze", &text);
    strbuf_clear(&text);
    report_render(&text, a, REPORT_JSON, &o);
    add_text(b, name, "-analysis.json", "gait analyze --json", &text);
    strbuf_clear(&text);
    report_rules(&text, a, NULL, REPORT_TERMINAL, &o);
    add_text(b, name, "-explain.txt", "gait explain", &text);
    strbuf_clear(&text);
    print_facts(&text, run);
    add_text(b, name, "-facts.txt", "settings, machine and versions of the run", &text);
    strbuf_release(&text);
    findings_free(f);
    analysis_free(a);
}
