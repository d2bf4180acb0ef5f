/* A run on the screen: the same for analyze and profile. */
#ifndef GAIT_CLI_SHOW_ANALYSIS_H
#define GAIT_CLI_SHOW_ANALYSIS_H

#include "cli/args.h"
#include "report/report.h"
#include "run/run.h"

/* The same options with the colour, width and height of the terminal. */
struct report_options for_screen(const struct report_options *options);
void show_text(const struct strbuf *text); /* on stdout */

/* The options --json and --brief of a command that has both; neither: for a terminal. */
enum status json_or_brief(enum report_format *out, const struct args *args,
                          struct err *err);
#define JSON_OPTIONS(help)                                                               \
    {"json", 0, NULL, (help)},                                                           \
    {                                                                                    \
        "brief", 0, NULL, "the main figures in 2 KB of JSON (docs/scripts.md)"           \
    }

/* Print the analysis on stdout; colour and width are the terminal's. options->top,
 * read_ns and subject are used. */
void show_analysis(const struct run *run, enum report_format format,
                   const struct report_options *options);

/* The same of two runs side by side. */
void show_comparison(const struct run *before, const struct run *after,
                     enum report_format format, const struct report_options *options);

#endif
