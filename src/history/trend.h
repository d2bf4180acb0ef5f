/*
 * A history as series over time: the step time after over before, of comparisons of the
 * same two things with the same settings before, on the same machine. The ratio, not the
 * time: what a machine did to both that day is not in it.
 */
#ifndef GAIT_HISTORY_TREND_H
#define GAIT_HISTORY_TREND_H

#include "base/strbuf.h"
#include "history/history.h"

enum {
    TREND_POINTS_MAX = 200, /* that are tested: the last ones; the work grows with n^2 */
};

struct trend_point {
    const char *utc, *verdict;
    double before_ms, after_ms;
    double change, low, high; /* low, high: NAN without an interval */
};

struct trend_change {
    size_t at; /* the first point of the new level */
    double change, p;
};

struct trend_series {
    const struct history_comparison *of; /* the first of them */
    struct trend_point *point;           /* (n) in the order of time */
    size_t n, cap;
    double p; /* of the test for any change in all of them; NAN: too few points */
    struct trend_change *change; /* (n_changes) told, in the order of time */
    size_t n_changes, cap_changes;
};

struct trend {
    struct trend_series *series; /* (n) in the order of their first points */
    size_t n, cap;
    size_t tested; /* that have points enough */
};

/* *h must outlive *t; the caller releases *t. */
void trend_find(struct trend *t, const struct history *h);
void trend_release(struct trend *t);

/* The p that a change must have to be told: 5 % over all series that are tested. */
double trend_alpha(const struct trend *t);
/* Is its last change a slow-down? Earlier ones were followed by another change. */
bool trend_is_slower(const struct trend_series *s);

/* FAILED where a series is slower. */
enum status trend_status(const struct trend *t, struct err *err);
void trend_print(struct strbuf *out, const struct trend *t, const struct history *h);
void trend_print_json(struct strbuf *out, const struct trend *t, const struct history *h);

#endif
