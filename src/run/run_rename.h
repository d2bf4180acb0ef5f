/*
 * All names of a run given anew, as an anonymous copy needs it: the old ones are in no
 * column and no table afterwards.
 */
#ifndef GAIT_RUN_RUN_RENAME_H
#define GAIT_RUN_RUN_RENAME_H

#include "base/strbuf.h"
#include "run/run.h"

/* Names of one class are renamed alike, each distinct one once. */
struct run_renaming {
    int n_classes;
    int late_class; /* renamed after all others; -1: none */
    /* Of a column, or RENAME_BY_ROW. A column that is new in the schema comes here too:
     * the answer for what is not known must be the careful one. */
    int (*class_of)(const char *table, const char *column, void *context);
    int (*class_of_row)(const struct run *r, const char *table, size_t row,
                        void *context);
    /* Append what text becomes. */
    void (*rename)(struct strbuf *out, const char *text, int class, void *context);
    void *context;
};
enum { RENAME_BY_ROW = -1 };

void run_rename(struct run *r, const struct run_renaming *how);

#endif
