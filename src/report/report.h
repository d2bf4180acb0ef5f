/*
 * One view of an analysis, four renderers. The view (view.h) holds the sentences, bars
 * and tables in the order a person reads them; terminal, Markdown and HTML draw that
 * view; JSON gives the figures under stable names (docs/analyze.md), all of them or the
 * first ones in 2 KB.
 *
 * To add a section: add it in view.c; the renderers know only blocks.
 */
#ifndef GAIT_REPORT_REPORT_H
#define GAIT_REPORT_REPORT_H

#include "analyze/compare.h"
#include "analyze/efficiency.h"
#include "base/strbuf.h"
#include "whatif/answer.h"

struct study;

enum report_format {
    REPORT_TERMINAL,
    REPORT_MARKDOWN,
    REPORT_HTML,
    REPORT_JSON,
    REPORT_BRIEF /* JSON in 2 KB: base/brief.h */
};

struct report_options {
    int top;     /* operators shown; 0: a default that fits one screen */
    bool colour; /* terminal only */
    int columns; /* terminal only: width; 0: 100 */
    int lines;   /* terminal only: height to fill, at least 24; 0: 24 */
    int64_t
        read_ns; /* how long reading took; 0: not shown (reports must be reproducible) */
    const char
        *subject; /* what to name in "Next:" lines: the one path given; NULL: several */
    const char *graph; /* and its execution trace; NULL: none */
    const int64_t
        *steps;     /* (n_steps) numbers: the timeline is of the first that is kept */
    size_t n_steps; /* 0: of the typical step */
    bool summary;   /* first what guides to profiling ask for: view_summary.c */
    bool roofline;  /* terminal only: the picture in letters */
    struct given_peak peak;    /* of the device, where the user gives it */
    const struct study *study; /* that the run is the baseline of; NULL: of none */
    /* JSON of analyze only: called now and then with what was rendered so far, which it
     * shows and clears, so that thousands of ranks are never text as a whole; NULL: all
     * is left in the buffer */
    void (*flush)(struct strbuf *out);
    const struct findings
        *findings; /* of the same analysis; NULL: none were looked for */
};

void report_render(struct strbuf *out, const struct analysis *a,
                   enum report_format format, const struct report_options *options);

/* For a terminal or as JSON: one finding of options->findings, whole; all rules and what
 * came of them, or `rule` alone; answers to a reader's own questions. */
void report_finding(struct strbuf *out, const struct analysis *a, size_t finding,
                    enum report_format format, const struct report_options *options);
void report_rules(struct strbuf *out, const struct analysis *a, const struct rule *rule,
                  enum report_format format, const struct report_options *options);
void report_answers(struct strbuf *out, const struct analysis *a,
                    const struct answers *answers, enum report_format format,
                    const struct report_options *options);

/* Two runs side by side; of the options top, colour and columns count. */
void report_render_comparison(struct strbuf *out, const struct comparison *c,
                              enum report_format format,
                              const struct report_options *options);

#endif
