/* Where things are that `gait record` needs: the hook, a folder for the job, the output.
 */
#ifndef GAIT_CLI_RECORD_FILES_H
#define GAIT_CLI_RECORD_FILES_H

#include "base/status.h"

#include <stddef.h>

/* The folder with the hook's sitecustomize.py: GAIT_HOOK, else as installed beside the
 * program, else of the sources that it was built from. The caller frees *out. */
enum status record_find_hook(char **out, struct err *err);

/* hook, and what PYTHONPATH has, in that order. The caller frees it. */
char *record_python_path(const char *hook);

/* A new private folder in TMPDIR (else /tmp), or `wanted`, which must be empty. The
 * caller frees *out. */
enum status record_make_folder(char **out, const char *wanted, struct err *err);
/* For a job without -o: "train.gait" for "python train.py", or "train-2.gait" where that
 * exists. The caller frees it. */
char *record_output_name(const char *const *words, size_t n);

#endif
