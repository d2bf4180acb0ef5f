/*
 * The stages of a study: each is a command of this program, run as a child, whose result
 * is a file in the study's folder. A stage whose file is there is done: a study that was
 * stopped goes on with the next one.
 */
#ifndef GAIT_CLI_STUDY_STAGES_H
#define GAIT_CLI_STUDY_STAGES_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { STUDY_WORDS_MAX = 12, STUDY_STAGES_MAX = 16 };

struct study_plan_stage {
    const char *name, *answers;
    const char *file; /* the result; its place in the folder */
    bool searches;    /* finds the tuned config */
    bool always;      /* made of the others: done again each time */
    bool of_tuned;    /* done again where the search ran again */
    bool of_change;   /* left out where the search changed nothing */
    bool gates;       /* exit code 1 is an answer */
    bool from_output; /* the result is what the command prints */
    double share;     /* of the time that is left, for --budget; 0: none */
    const char *words[STUDY_WORDS_MAX]; /* after "gait"; the folder is the working one */
};

struct study_plan {
    const struct study_plan_stage *stage; /* (n) */
    size_t n;
    const char *config; /* as the user gave it */
    const char *folder;
    double budget_s; /* from this start on: what was done before counts no more */
    bool quiet;      /* the stages, too */
};

/* Run what is not done. A stage that fails leaves its reason and the others go on; the
 * budget is shared out among those that are left. */
enum status study_stages_run(const struct study_plan *plan, struct err *err);

#endif
