/*
 * What stands in a checkpoint_dir:
 *   step-00000400                     a complete checkpoint
 *   step-00000400.tmp-<pid>-<random>  one that this process is writing or removing
 *   step-00000400.gait-old            one whose name a new one is taking (durable.h)
 *   latest                            a text file: the name of the one to go on from
 *   latest.tmp-<pid>-<random>         that file while it is being written
 */
#ifndef GAIT_CHECKPOINT_STEP_FOLDER_H
#define GAIT_CHECKPOINT_STEP_FOLDER_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STEP_FOLDER_NAME_MAX = 32 };

struct step_folder {
    char name[STEP_FOLDER_NAME_MAX];
    int64_t step;
    int64_t saved_ns; /* when its files were written */
};

/* The folder's name for a step, which is at least 0. */
void step_folder_name(char name[STEP_FOLDER_NAME_MAX], int64_t step);
/* Is it such a name? Then *step is its step. */
bool step_folder_parse(const char *name, int64_t *step);

/* All checkpoints of dir, the last saved first; the caller frees *out with mem_free(). A
 * dir that does not exist has none. */
enum status step_folders_list(struct step_folder **out, size_t *n, const char *dir,
                              struct err *err);

/* The folder that `latest` names; empty where there is no such file. What cannot be a
 * checkpoint's name is an error. */
enum status latest_read(char name[STEP_FOLDER_NAME_MAX], const char *dir,
                        struct err *err);
/* Durable when it returns OK. */
enum status latest_write(const char *dir, const char *name, struct err *err);

/* Bring back every step that a crash left without its name: durable_recover(). What
 * cannot be stays, with a line to the user. Only for the process that saves to dir. */
void step_folders_recover(const char *dir);
/* Remove what processes that no longer run left half-done in dir. */
void temporaries_remove(const char *dir);
/* Remove one checkpoint; one that cannot be removed stays, with a line to the user. */
void step_folder_remove(const char *dir, const char *name);
/* Remove all but the last `keep` saved, and never `latest`, which is durable. keep = 0:
 * keep all. What cannot be removed stays, with a line to the user. */
void old_checkpoints_remove(const char *dir, const char *latest, int64_t keep);

#endif
