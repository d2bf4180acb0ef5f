#include "tables/tables.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "tables/job_folder.h"
#include "tables/part_files.h"

/* How much of the job the recordings are, as far as they say. */
enum extent {
    EXTENT_WHOLE,      /* there are no other ranks */
    EXTENT_SOME,       /* there are, or may be; each has its number */
    EXTENT_UNNUMBERED, /* one does not know its number: it has no file's name of its own */
};

static enum extent extent_of(const struct analysis *a)
{
    const struct ranks *r = &a->run->ranks;
    bool whole = true, numbered = true;
    for (size_t i = 0; i < a->n_ranks; i++) {
        int32_t row = a->ranks[i].row;
        whole = whole && r->world[row] > 0 && (size_t)r->world[row] <= a->n_ranks;
        numbered = numbered && r->rank[row] >= 0;
    }
    return whole ? EXTENT_WHOLE : numbered ? EXTENT_SOME : EXTENT_UNNUMBERED;
}

/* The rank's number is the key that engines join by. */
static enum status check_numbers(const struct analysis *a, struct err *err)
{
    const struct ranks *r = &a->run->ranks;
    for (size_t i = 1; i < a->n_ranks; i++) {
        int32_t one = a->ranks[i - 1].row, two = a->ranks[i].row;
        if (r->rank[one] != r->rank[two])
            continue;
        const char *path[] = {run_name(a->run, r->path[one]),
                              run_name(a->run, r->path[two])};
        if (r->rank[two] < 0)
            return err_set(
                err, STATUS_INPUT,
                "%s and %s do not say which ranks they are, so that their rows "
                "could not be told apart; export each with a --job of its own",
                path_name(path[0]), path_name(path[1]));
        return err_set(err, STATUS_INPUT,
                       "%s and %s are both rank %d; leave one out, or export each with a "
                       "--job of its own",
                       path_name(path[0]), path_name(path[1]), (int)r->rank[two]);
    }
    return STATUS_OK;
}

static enum status export_whole(const struct flat_source *s, const char *dir,
                                const char *job, struct tables_result *result,
                                struct err *err)
{
    struct part p = {dir, job, JOB_FILE_ALL, true, 0, s->analysis->n_ranks};
    return part_write(&p, s, result, err);
}

static enum status check_no_all(const char *folder, struct err *err)
{
    enum status st = STATUS_OK;
    char *all = path_join(folder, JOB_FILE_ALL);
    if (file_exists(all))
        st = err_set(err, STATUS_INPUT,
                     "%s has all ranks of this job already, and these may be some of "
                     "them; export all of them again, or give another --job; --whole if "
                     "there are no others",
                     all);
    mem_free(all);
    return st;
}

static enum status check_no_ranks(const char *folder, struct err *err)
{
    char *found;
    enum status st = job_folder_find_rank(&found, folder, err);
    if (!st && found)
        st =
            err_set(err, STATUS_INPUT,
                    "%s is of this job already, and the recording does not say which "
                    "rank it is; give another --job, or --whole to replace what is there",
                    found);
    mem_free(found);
    return st;
}

/* For the folder of each table; the first failure ends it. */
static enum status each_folder(const char *dir, const char *job,
                               enum status (*act)(const char *folder, struct err *err),
                               struct err *err)
{
    enum status st = STATUS_OK;
    for (int t = 0; t < FLAT_TABLE_COUNT && !st; t++) {
        char *folder = job_folder_path(dir, flat_tables[t].name, job);
        st = act(folder, err);
        mem_free(folder);
    }
    return st;
}

/* Nobody knows whether it is a rank of what is there. */
static enum status export_unnumbered(const struct flat_source *s,
                                     const struct tables_job *job, const char *name,
                                     struct tables_result *result, struct err *err)
{
    enum status st = each_folder(job->folder, name, check_no_ranks, err);
    if (!st && !job->own_name)
        st = each_folder(job->folder, name, check_no_all, err);
    return st ? st : export_whole(s, job->folder, name, result, err);
}

static enum status export_ranks(const struct flat_source *s, const char *dir,
                                const char *job, struct tables_result *result,
                                struct err *err)
{
    const struct analysis *a = s->analysis;
    enum status st = each_folder(dir, job, check_no_all, err);
    for (size_t i = 0; i < a->n_ranks && !st; i++) {
        char *file = job_file_of_rank(a->run->ranks.rank[a->ranks[i].row]);
        struct part p = {dir, job, file, false, i, 1};
        st = part_write(&p, s, result, err);
        mem_free(file);
    }
    return st;
}

static enum status export_extent(const struct flat_source *s,
                                 const struct tables_job *job, const char *name,
                                 struct tables_result *result, struct err *err)
{
    enum extent extent = job->whole ? EXTENT_WHOLE : extent_of(s->analysis);
    if (extent == EXTENT_UNNUMBERED)
        return export_unnumbered(s, job, name, result, err);
    return (extent == EXTENT_WHOLE ? export_whole : export_ranks)(s, job->folder, name,
                                                                  result, err);
}

enum status tables_export(const struct tables_job *job, struct tables_result *result,
                          struct err *err)
{
    struct flat_source source;
    char *name;
    *result = (struct tables_result){.ranks = job->analysis->n_ranks};
    enum status st = check_numbers(job->analysis, err);
    if (!st)
        st = job_folder_name(&name, job->name, err);
    if (st)
        return st;
    flat_source_init(&source, job->analysis, job->findings);
    st = each_folder(job->folder, name, job_folder_settle, err);
    if (!st)
        st = export_extent(&source, job, name, result, err);
    flat_source_release(&source);
    mem_free(name);
    return st;
}
