#include "report/report.h"

#include "report/render.h"

static const struct report_options report_defaults;

void report_render(struct strbuf *out, const struct analysis *a,
                   enum report_format format, const struct report_options *options)
{
    if (!options)
        options = &report_defaults;
    if (format == REPORT_JSON) {
        render_json(out, a, options);
        return;
    }
    struct view *v = view_new(a, format, options);
    if (format == REPORT_TERMINAL)
        render_terminal(out, v);
    else if (format == REPORT_MARKDOWN)
        render_markdown(out, v);
    else if (format == REPORT_HTML)
        render_html(out, v);
    else
        BUG("report format %d", (int)format);
    view_free(v);
}
