/* What the commands load from files, through the functions that the commands use, as one
 * hash over all of it. */
#ifndef GAIT_TESTS_LOAD_FILES_H
#define GAIT_TESTS_LOAD_FILES_H

#include "base/content_hash.h"
#include "base/status.h"

/* Everything that was loaded goes into *hash; it is of no use after a failure. */
typedef enum status load_files(struct content_hash *hash, const char *folder,
                               struct err *err);

load_files load_checkpoint; /* a checkpoint_dir: as train resumes, as sample begins */
load_files load_run;        /* run.gait */
load_files load_tokens;     /* a folder of data prepare, each token of it */
load_files load_shard;      /* its train-00000.bin, named alone */
load_files load_tokenizer;  /* tokenizer.json, named alone */

#endif
