/*
 * Any mix of run files and traces, files and folders, as one run. What a file is, is told
 * by its first bytes.
 */
#ifndef GAIT_LOAD_LOAD_RUNS_H
#define GAIT_LOAD_LOAD_RUNS_H

#include "run/run_file.h"

enum { LOAD_KEEP_STEPS_MAX = 16 };

struct load_options {
    size_t keep_spans;       /* as in struct reduce_options */
    enum run_parts parts;    /* aggregates alone where no picture needs spans: then the
                                memory of many ranks is that of one and their sums */
    size_t detail_files_max; /* of more files than these, spans of the shown rank's
                                alone; 0: of all, however many */
    int threads;             /* 0: one for each CPU that the process may use */
    size_t memory_bytes; /* as in struct reduce_options, of all that is read at once */
    int64_t keep_steps[LOAD_KEEP_STEPS_MAX]; /* (n_keep_steps) as in reduce_options */
    size_t n_keep_steps;
};

/* For findings: ranks of a small job are replayed together, so their spans are all there;
 * of a large one the shown rank is looked at alone, in the memory of one. */
extern const struct load_options load_for_findings;

struct load_result {
    size_t files, failed; /* failed of files; each of them was told in a warning */
    int64_t read_ns;
};

/* Append all of paths[0..n) to *run (run_init'ed by the caller). What paths stand for:
 * path_list.h. The order is that of the list, whoever reads first. A file that cannot be
 * read is a warning as long as another one can: the status is then OK and result->failed
 * is not 0; see load_status(). */
enum status load_runs(struct run *run, struct load_result *result,
                      const char *const *paths, size_t n,
                      const struct load_options *options, struct err *err);

/* What a command returns after it has answered: OK, or STATUS_INPUT where some files
 * failed. */
enum status load_status(const struct load_result *result, struct err *err);

#endif
