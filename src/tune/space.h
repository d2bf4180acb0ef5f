/*
 * Which settings may be changed without changing what is trained, and to what: the space
 * that is searched. A plan is a value of each; the first value is the config's own.
 */
#ifndef GAIT_TUNE_SPACE_H
#define GAIT_TUNE_SPACE_H

#include "base/strbuf.h"
#include "config/config.h"

enum { TUNE_SETTINGS_MAX = 12, TUNE_VALUES_MAX = 16, TUNE_VALUE_BYTES = 24 };

/* What of a step a setting changes: it cannot gain more than that takes. */
enum tune_touches {
    TOUCHES_ALL,
    TOUCHES_ATTENTION,
    TOUCHES_QKV,
    TOUCHES_MLP_UP,
    TOUCHES_PRODUCTS,
    TOUCHES_FORWARD,
    TOUCHES_DATA,
    TOUCHES_MEMORY, /* it saves memory and no time */
    TOUCHES_COUNT,
};

struct tune_setting {
    const char *key;
    enum tune_touches touches;
    char value[TUNE_VALUES_MAX][TUNE_VALUE_BYTES];
    size_t n;
    double at_most; /* of a step, that it can gain: by the baseline's run */
};

struct tune_space {
    struct tune_setting setting[TUNE_SETTINGS_MAX];
    size_t n;
};

struct tune_plan {
    unsigned char value[TUNE_SETTINGS_MAX];
};

/* keep: settings that stay as they are, "precision,threads"; NULL: none. One that is no
 * setting is an error. */
enum status space_of(struct tune_space *out, const struct config *config, int cores,
                     const char *keep, struct err *err);
/* What can gain less than `worth` of a step goes to *dropped. */
void space_split(struct tune_space *s, struct tune_space *dropped, double worth);
double space_plans(const struct tune_space *s);   /* how many there are */
size_t space_singles(const struct tune_space *s); /* that differ in one setting */

/* "threads=0 attention=tiled", "as given". */
void plan_text(struct strbuf *out, const struct tune_space *s, struct tune_plan p);
/* config with the plan's values; the caller releases *out whatever the status. */
enum status plan_config(struct config *out, const struct config *config,
                        const struct tune_space *s, struct tune_plan p, struct err *err);
/* The next in counting order; false after the last. */
bool plan_next(struct tune_plan *p, const struct tune_space *s);
bool plan_equal(struct tune_plan a, struct tune_plan b);

#endif
