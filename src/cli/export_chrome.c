#include "cli/export_chrome.h"

#include "base/file.h"
#include "base/log.h"
#include "base/new_file.h"
#include "base/units.h"
#include "cli/damage_warnings.h"
#include "cli/output_word.h"
#include "load/load_runs.h"
#include "report/chrome_trace.h"

#include <errno.h>
#include <string.h>

/* The row of the rank that is wanted, or of the only one. */
static enum status choose_rank(const struct run *run, const struct args *args,
                               int32_t *row, struct err *err)
{
    int64_t wanted = -1;
    enum status st = args_int(args, "rank", 0, INT32_MAX, &wanted, err);
    if (st)
        return st;
    *row = 0;
    if (wanted < 0 && run->ranks.table.n == 1)
        return STATUS_OK;
    for (size_t i = 0; i < run->ranks.table.n && wanted >= 0; i++)
        if (run->ranks.rank[i] == wanted) {
            *row = (int32_t)i;
            return STATUS_OK;
        }
    if (!run->ranks.table.n)
        return err_set(err, STATUS_INPUT, "there is no rank in it: nothing to draw");
    return err_set(err, wanted < 0 ? STATUS_USAGE : STATUS_INPUT,
                   wanted < 0 ? "it holds %zu ranks and a trace is of one; choose with "
                                "--rank N"
                              : "none of its %zu ranks has that number; gait analyze "
                                "lists them",
                   run->ranks.table.n);
}

static enum status write_to(FILE *f, const char *path, const struct run *run, int32_t row,
                            size_t *spans, struct err *err)
{
    *spans = chrome_trace_write(f, run, row);
    bool bad = ferror(f);
    if (fclose(f))
        bad = true;
    return bad ? file_err(err, "write", path) : STATUS_OK;
}

/* A reader sees the old file or the new one; a pipe is written to as it is. */
static enum status write_file(const char *path, const struct run *run, int32_t row,
                              size_t *spans, struct err *err)
{
    struct new_file file;
    enum status st = new_file_open(&file, path, NEW_FILE_ANY, err);
    if (st)
        return st;
    FILE *f = new_file_stream(&file);
    st = f ? write_to(f, path, run, row, spans, err) : file_err(err, "write", path);
    if (!st)
        return new_file_commit(&file, err);
    new_file_discard(&file);
    return st;
}

static enum status check_output(const char *path, const struct args *args,
                                struct err *err)
{
    if (!path)
        return err_set(err, STATUS_USAGE,
                       "export --chrome needs -o FILE; for example: gait export --chrome "
                       "run.gait -o trace.json");
    if (file_is_same(path, args->operands[0]))
        return err_set(err, STATUS_USAGE,
                       "-o %s would replace the file that is read; choose another name",
                       path);
    return file_check_writable(path, err);
}

enum status export_chrome(const struct args *args, struct err *err)
{
    const char *path = args_value(args, "output");
    enum status st = check_output(path, args, err);
    if (st)
        return st;
    struct run run;
    struct load_result loaded;
    int32_t row;
    size_t spans = 0;
    const char *wrote = output_word(path);
    run_init(&run);
    st = load_runs(&run, &loaded, args->operands, 1,
                   &(struct load_options){.parts = RUN_PARTS_ALL}, err);
    if (!st)
        st = choose_rank(&run, args, &row, err);
    if (!st)
        st = write_file(path, &run, row, &spans, err);
    if (!st) {
        log_line("%s %s: %s of %s spans; open it in https://ui.perfetto.dev", wrote, path,
                 unit_thousands((int64_t)spans).s,
                 unit_thousands(run.ranks.spans_seen[row]).s);
        damage_warnings(&run);
        st = load_status(&loaded, err);
    }
    run_release(&run);
    return st;
}
