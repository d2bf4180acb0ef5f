/*
 * A history of comparisons in one SQLite file (docs/verify.md#a-history), and named
 * baselines: configs that later ones are compared with. A baseline is the config's text,
 * not its numbers: times of two days are not comparable, so both are trained anew.
 *
 *     history_init → history_load → look at it → history_release
 *     history_append, at any time: one transaction
 */
#ifndef GAIT_HISTORY_HISTORY_H
#define GAIT_HISTORY_HISTORY_H

#include "base/names.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HISTORY_NAME_MAX = 100 }; /* bytes of a baseline's name */

/* One gate of a comparison. Numbers that the gate has not are NAN, texts "". */
struct history_gate {
    const char *name, *verdict, *unit, *change_unit;
    double before, after, change, low, high;
};

struct history_comparison {
    const char *utc;                      /* 2026-11-18T09:50:07Z */
    const char *kind;                     /* "configs", "recordings", "baseline" */
    const char *before;                   /* a path, or the baseline's name */
    const char *after;                    /* a path */
    const char *before_hash, *after_hash; /* of a config's settings; "": a recording */
    const char *machine; /* CPU, cores, instruction sets; "": not known */
    const char *verdict; /* of all gates */
    const char *xxh3;    /* of all this, as it was read; not asked for to append */
    const struct history_gate *gate;
    size_t n_gates;
};

struct history_baseline {
    const char *name, *utc, *path, *hash, *machine;
    const char *yaml; /* all settings, defaults too */
    double step_ms, memory_bytes;
    const char *xxh3;
};

/* The whole file; texts live in it. */
struct history {
    struct names texts;
    struct history_comparison *comparison; /* (n) in the order they were made */
    int64_t *id;                           /* (n) ascending */
    struct history_gate *gate;         /* (n_gates) those of one comparison together */
    struct history_baseline *baseline; /* (n_baselines) */
    size_t n, cap, cap_id, n_gates, cap_gates, n_baselines, cap_baselines;
};

void history_init(struct history *h);
void history_release(struct history *h);
/* Into an empty *h. A file of no bytes is a history of nothing. */
enum status history_load(struct history *h, const char *path, struct err *err);

/* NULL where there is none of that name, with an err that lists those there are. */
const struct history_baseline *history_find(const struct history *h, const char *path,
                                            const char *name, struct err *err);

enum status history_append(const char *path, const struct history_comparison *c,
                           struct err *err);

/* One that exists is kept unless it is to be replaced. */
enum status history_save(const char *path, const struct history_baseline *b, bool replace,
                         struct err *err);

/* The error of it. */
enum status history_already(const char *path, const char *name, struct err *err);

/* The time as a history has it. */
struct history_utc {
    char s[32];
};
struct history_utc history_now(void);

#endif
