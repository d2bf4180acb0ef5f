/*
 * What a study left in its folder, read back for the report: which stages ran and what
 * the search, the ablation and the proof found. The figures of the baseline and of the
 * tuned run are in their run files.
 *
 * A part whose file is not there, or cannot be read, is left out: a study that was
 * stopped has a report, too.
 */
#ifndef GAIT_STUDY_STUDY_H
#define GAIT_STUDY_STUDY_H

#include "base/arena.h"
#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STUDY_FILE "study.json"

enum { STUDY_VERSION = 1, STUDY_BUSY = 3 };

/* Texts live in the study's arena. */
struct study_stage {
    const char *name, *command, *file; /* file: its result, in the folder */
    const char *answers;               /* what it is for */
    const char *reason;                /* why it has no result, or "" */
    const char *left_out;              /* why it need not have one, or "" */
    double seconds;                    /* NAN: not run yet */
};

struct study_change { /* a setting that the search changed; changes of the step's time */
    const char *setting, *was, *is;
    double alone, going_back;
};

struct study_trial {
    const char *stage, *before, *after, *why_not;
    double predicted, measured, low, high; /* changes; NAN: none */
};

struct study_batch {
    double size, samples_ratio, bytes;
    const char *reason;
};

struct study_ablation {
    const char *what, *setting, *reason, *same_model;
    double at_most, predicted;              /* speed-ups, expected: alone, so far */
    double alone, alone_low, alone_high;    /* speed-ups, measured */
    double so_far, so_far_low, so_far_high; /* against all switched off */
    double off_ns; /* a step with all switched off: of the first row's so_far */
    double on_ns;  /* of so_far, with it on */
};

struct study_gate {
    const char *name, *verdict, *before, *after, *remark;
    double before_value, after_value, change, low, high;
};

struct study_time { /* of a step, as given and tuned; NAN: not known */
    double change, low, high;
};

struct study {
    struct arena arena;
    const char *config;        /* what was studied, as it was given */
    bool links;                /* the page is in the folder: results are links */
    struct study_stage *stage; /* (stages) */
    size_t stages;
    /* the search */
    bool searched, faster, cut_short;
    struct study_busy {
        const char *stage, *what; /* what else the machine did meanwhile, or "" */
    } busy[STUDY_BUSY];
    struct study_time search_time, proof_time;
    double prediction_error, predictions;
    struct study_change *change;
    size_t changes;
    struct study_trial *trial;
    size_t trials;
    struct study_batch *batch;
    size_t batches;
    struct study_ablation *ablation;
    size_t ablations;
    /* the proof */
    struct study_gate *gate;
    size_t gates;
};

/* Does the folder hold a study? */
bool study_is_folder(const char *folder);
/* On OK the caller calls study_release(). */
enum status study_read(struct study *out, const char *folder, struct err *err);
void study_release(struct study *s);

/* The gate of that name, or NULL. */
const struct study_gate *study_gate_of(const struct study *s, const char *name);

/* What the gates say of the tuned config in half a sentence: "the same model; peak memory
 * 36.1 MiB instead of 17.0 MiB". A search may take memory that is there: that is told, and
 * is no fault of the model. */
void study_put_verdict(struct strbuf *out, const struct study *s);

#endif
