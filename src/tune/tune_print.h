/* The result of a search as text, as a config, as JSON. */
#ifndef GAIT_TUNE_TUNE_PRINT_H
#define GAIT_TUNE_TUNE_PRINT_H

#include "tune/intervals.h"
#include "tune/tune.h"

/* intervals may be NULL. */
void tune_print(struct strbuf *out, const struct tune_result *r,
                const struct config *config, const struct tune_intervals *intervals);
/* The config of the best plan, with the reason beside each line that the search looked
 * at. */
void tune_print_yaml(struct strbuf *out, const struct tune_result *r,
                     const struct config *config, const struct tune_intervals *intervals);
void tune_print_json(struct strbuf *out, const struct tune_result *r,
                     const struct config *config, const struct tune_intervals *intervals);

#endif
