#include "load/load_one.h"

#include "base/file.h"
#include "base/text_fit.h"
#include "run/run_file.h"

#include <errno.h>
#include <unistd.h>

static enum status load_trace(struct run *run, const char *path,
                              const struct load_options *options,
                              const struct trace_options *trace, struct err *err)
{
    if (options->parts == RUN_PARTS_ALL)
        return trace_read(run, path, trace, err);
    struct run one;
    run_init(&one);
    enum status st = trace_read(&one, path, trace, err);
    if (!st) {
        run_drop_detail(&one);
        run_merge(run, &one);
    }
    run_release(&one);
    return st;
}

/* Where there is no run yet: how to come to one. */
static enum status refuse_missing(const char *path, struct err *err)
{
    if (!*path)
        return err_set(err, STATUS_INPUT,
                       "the name of a file is empty; give a run or a trace");
    if (text_ends_with(path, ".gait"))
        return err_set(err, STATUS_INPUT,
                       "cannot read %s: no such file; check the path, or record a job: "
                       "gait record -o %s -- python train.py",
                       path, path);
    return file_err(err, "read", path);
}

enum status load_one(struct run *run, const char *path,
                     const struct load_options *options,
                     const struct load_progress *progress, struct err *err)
{
    enum run_file_look look = run_file_look(path);
    if (look == RUN_FILE_LOOK_UNREADABLE)
        return file_err(err, "read", path);
    if (look == RUN_FILE_LOOK_OTHER && access(path, F_OK) && errno == ENOENT)
        return refuse_missing(path, err);
    if (look == RUN_FILE_LOOK_RUN)
        return run_load(run, path, options->parts, err);
    struct trace_options trace = {.keep_spans = options->keep_spans,
                                  .memory_bytes = options->memory_bytes,
                                  .keep_steps = options->keep_steps,
                                  .n_keep_steps = options->n_keep_steps,
                                  .threads = options->threads,
                                  .progress = progress ? progress->show : NULL,
                                  .progress_context =
                                      progress ? progress->context : NULL};
    return load_trace(run, path, options, &trace, err);
}
