/*
 * What the trainer's own steps took with another setting: it ran both in turns after the
 * recording (train/try_settings.h), and left the pairs as replacements of the rule.
 */
#ifndef GAIT_PRICE_TRIED_SETTING_H
#define GAIT_PRICE_TRIED_SETTING_H

#include "base/stats.h"
#include "price/finding.h"

struct tried_setting {
    struct median_interval gain_frac; /* of a step; n: pairs, 0: it was not tried */
    const char *now, *instead;        /* settings as they stand in a config */
    double now_ns, instead_ns;        /* medians of a step */
};

/* Of several that were tried for the rule, the one that gains most. */
struct tried_setting tried_setting_of(const struct evidence *e, const char *rule);

/* Where all of the interval gains: the finding, with where, evidence and price. Else NULL. */
struct finding *tried_setting_tell(const struct tried_setting *t,
                                   const struct evidence *e, struct findings *f,
                                   const struct rule *rule);

#endif
