#include "cli/show_analysis.h"

#include "base/log.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int terminal_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 40)
        return 0;
    return size.ws_col;
}

void show_analysis(const struct run *run, enum report_format format,
                   const struct report_options *options)
{
    struct report_options o = *options;
    o.colour = log_stdout_colour();
    o.columns = terminal_columns();
    struct strbuf out;
    strbuf_init(&out);
    struct analysis *a = analysis_new(run);
    report_render(&out, a, format, &o);
    fwrite(out.s, 1, out.len, stdout);
    analysis_free(a);
    strbuf_release(&out);
}
