#include "report/report.h"

#include "report/render.h"

static const struct report_options report_defaults;

static void render_and_free(struct strbuf *out, struct view *v, enum report_format format)
{
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

void report_render(struct strbuf *out, const struct analysis *a,
                   enum report_format format, const struct report_options *options)
{
    if (!options)
        options = &report_defaults;
    if (format == REPORT_JSON) {
        render_json(out, a, options);
        return;
    }
    if (format == REPORT_BRIEF) {
        render_brief(out, a, options);
        return;
    }
    render_and_free(out, view_new(a, format, options), format);
}

void report_render_comparison(struct strbuf *out, const struct comparison *c,
                              enum report_format format,
                              const struct report_options *options)
{
    if (!options)
        options = &report_defaults;
    if (format == REPORT_BRIEF)
        BUG("a comparison has no brief form");
    if (format == REPORT_JSON) {
        render_json_comparison(out, c, options);
        return;
    }
    render_and_free(out, view_new_comparison(c, format, options), format);
}

void report_finding(struct strbuf *out, const struct analysis *a, size_t finding,
                    enum report_format format, const struct report_options *options)
{
    if (format == REPORT_JSON)
        render_json_one_finding(out, a, options->findings, finding);
    else if (format == REPORT_BRIEF)
        render_brief_finding(out, a, finding, options);
    else
        render_and_free(out, view_new_finding(a, finding, options), format);
}

void report_rules(struct strbuf *out, const struct analysis *a, const struct rule *rule,
                  enum report_format format, const struct report_options *options)
{
    if (format == REPORT_JSON)
        render_json_rules(out, a, options->findings, rule);
    else if (format == REPORT_BRIEF)
        render_brief_rules(out, a, rule, options);
    else
        render_and_free(out, view_new_rules(a, rule, options), format);
}

void report_answers(struct strbuf *out, const struct analysis *a,
                    const struct answers *answers, enum report_format format,
                    const struct report_options *options)
{
    if (format == REPORT_JSON)
        render_json_answers(out, a, answers);
    else if (format == REPORT_BRIEF)
        render_brief_answers(out, a, answers, options);
    else
        render_and_free(out, view_new_answers(a, answers, options), format);
}
