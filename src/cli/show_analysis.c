#include "cli/show_analysis.h"

#include "base/log.h"
#include "findings/findings.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* 0 by 0 where stdout is no terminal. */
static struct winsize terminal_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 40)
        return (struct winsize){0};
    return size;
}

struct report_options for_screen(const struct report_options *options)
{
    struct report_options o = *options;
    o.colour = log_stdout_colour();
    struct winsize size = terminal_size();
    o.columns = size.ws_col;
    o.lines = size.ws_row > 1 ? size.ws_row - 1 : 0; /* the prompt needs one */
    return o;
}

void show_text(const struct strbuf *text)
{
    fwrite(text->s, 1, text->len, stdout);
}

enum status json_or_brief(enum report_format *out, const struct args *args,
                          struct err *err)
{
    bool json = args_has(args, "json"), brief = args_has(args, "brief");
    *out = json ? REPORT_JSON : brief ? REPORT_BRIEF : REPORT_TERMINAL;
    if (json && brief)
        return err_set(err, STATUS_USAGE,
                       "--json and --brief exclude each other; give one");
    return STATUS_OK;
}

static void show_and_clear(struct strbuf *text)
{
    show_text(text);
    strbuf_clear(text);
}

void show_analysis(const struct run *run, enum report_format format,
                   const struct report_options *options)
{
    struct report_options o = for_screen(options);
    struct strbuf out;
    strbuf_init(&out);
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    o.findings = f;
    o.flush = show_and_clear;
    report_render(&out, a, format, &o);
    show_text(&out);
    findings_free(f);
    analysis_free(a);
    strbuf_release(&out);
}

void show_comparison(const struct run *before, const struct run *after,
                     enum report_format format, const struct report_options *options)
{
    struct report_options o = for_screen(options);
    struct strbuf out;
    strbuf_init(&out);
    struct analysis *a = analysis_new(before), *b = analysis_new(after);
    struct comparison *c = comparison_new(a, b);
    report_render_comparison(&out, c, format, &o);
    show_text(&out);
    comparison_free(c);
    analysis_free(a);
    analysis_free(b);
    strbuf_release(&out);
}
