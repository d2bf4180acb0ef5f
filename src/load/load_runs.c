#include "load/load_runs.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "load/load_one.h"
#include "load/load_pool.h"
#include "load/path_list.h"
#include "load/shown_detail.h"

#include <stdio.h>

enum { RANKS_TOGETHER_MAX = 8 }; /* docs/many-ranks.md */

const struct load_options load_for_findings = {.parts = RUN_PARTS_ALL,
                                               .detail_files_max = RANKS_TOGETHER_MAX};

struct reading {
    const char *name; /* of the file, without its folders */
    size_t number, of;
};

static void show_reading(const struct reading *r, const char *how_far)
{
    if (r->of > 1)
        log_status("reading %s%s (%zu of %zu)", r->name, how_far, r->number, r->of);
    else
        log_status("reading %s%s", r->name, how_far);
}

static void show_progress(void *context, int64_t at_bytes, int64_t total_bytes)
{
    char how_far[48] = "";
    if (total_bytes > 0)
        snprintf(how_far, sizeof how_far, ", %.0f %% of %s",
                 100.0 * (double)at_bytes / (double)total_bytes,
                 unit_bytes((double)total_bytes).s);
    show_reading(context, how_far);
}

/* Files on their way into one run. */
struct loading_files {
    const struct path_list *files;
    const struct load_options *options;
    struct load_pool *pool; /* or NULL */
};

static enum status load_next(struct loading_files *l, struct run *run, size_t i,
                             struct err *err)
{
    const char *path = l->files->path[i];
    struct reading reading = {path_name(path), i + 1, l->files->n};
    struct load_progress progress = {show_progress, &reading};
    enum status st;
    show_reading(&reading, "");
    if (l->pool && load_pool_take(l->pool, i, run, &st, err) == LOAD_TAKEN)
        return st;
    return load_one(run, path, l->options, &progress, err);
}

/* Status of the last failure; *err holds it. */
static enum status load_all(struct run *run, struct load_result *result,
                            const struct path_list *files,
                            const struct load_options *options, struct err *err)
{
    enum status st = STATUS_OK;
    struct load_options o = *options;
    bool one_detail =
        o.parts == RUN_PARTS_ALL && o.detail_files_max && files->n > o.detail_files_max;
    if (one_detail)
        o.parts = RUN_PARTS_AGGREGATES;
    struct run_place *place = mem_zalloc(files->n + 1, sizeof *place);
    struct loading_files l = {files, &o, load_pool_new(files, &o)};
    for (size_t i = 0; i < files->n; i++) {
        struct err one = ERR_INIT;
        place[i] = run_place_of(run);
        enum status got = load_next(&l, run, i, &one);
        log_status_clear();
        if (!got)
            continue;
        st = got;
        result->failed++;
        *err = one;
        if (files->n > 1)
            log_line("gait: warning: %s", one.text);
    }
    load_pool_free(l.pool);
    place[files->n] = run_place_of(run);
    if (one_detail)
        shown_detail_add(run, files, place, options);
    mem_free(place);
    return st;
}

enum status load_runs(struct run *run, struct load_result *result,
                      const char *const *paths, size_t n,
                      const struct load_options *options, struct err *err)
{
    int64_t begin_ns = clock_now_ns();
    struct path_list files;
    enum status st = path_list_check_stdin(paths, n, err);
    *result = (struct load_result){0};
    path_list_init(&files);
    for (size_t i = 0; i < n && !st; i++)
        st = path_list_add(&files, paths[i], err);
    if (st)
        goto out;
    result->files = files.n;
    st = load_all(run, result, &files, options, err);
    if (st && files.n > 1 && result->failed == files.n)
        st = err_set(err, st, "none of the %zu files could be read; the last: %s",
                     files.n, err->text);
    else if (result->failed < files.n)
        st = STATUS_OK;
    result->read_ns = clock_now_ns() - begin_ns;
out:
    path_list_release(&files);
    return st;
}

enum status load_status(const struct load_result *result, struct err *err)
{
    if (!result->failed)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "%zu of %zu files could not be read (warnings above); the answer is "
                   "about the others",
                   result->failed, result->files);
}
