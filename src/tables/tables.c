#include "tables/tables.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "tables/job_folder.h"
#include "tables/part_files.h"

/* Are there no other ranks of the job, as far as the recordings say? One that does not
 * know its number cannot be told from others, and stands for all. */
static bool is_whole(const struct analysis *a)
{
    if (a->n_ranks == 1 && a->run->ranks.rank[0] < 0)
        return true;
    for (size_t i = 0; i < a->n_ranks; i++)
        if ((size_t)a->run->ranks.world[a->ranks[i].row] > a->n_ranks)
            return false;
    return true;
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
    struct part p = {dir, job, JOB_FILE_ALL, 0, s->analysis->n_ranks};
    enum status st = part_write(&p, s, result, err);
    for (int t = 0; t < FLAT_TABLE_COUNT && !st; t++) {
        char *folder = job_folder_path(dir, flat_tables[t].name, job);
        st = job_folder_drop_ranks(folder, err);
        mem_free(folder);
    }
    return st;
}

static enum status check_not_whole(const char *dir, const char *job, struct err *err)
{
    enum status st = STATUS_OK;
    for (int t = 0; t < FLAT_TABLE_COUNT && !st; t++) {
        char *folder = job_folder_path(dir, flat_tables[t].name, job);
        char *all = path_join(folder, JOB_FILE_ALL);
        if (file_exists(all))
            st = err_set(
                err, STATUS_INPUT,
                "%s has all ranks of this job already, and these are some of "
                "them; export all of them again, or give another --job; --whole if "
                "there are no others",
                all);
        mem_free(all);
        mem_free(folder);
    }
    return st;
}

static enum status export_ranks(const struct flat_source *s, const char *dir,
                                const char *job, struct tables_result *result,
                                struct err *err)
{
    const struct analysis *a = s->analysis;
    enum status st = check_not_whole(dir, job, err);
    for (size_t i = 0; i < a->n_ranks && !st; i++) {
        char *file = job_file_of_rank(a->run->ranks.rank[a->ranks[i].row]);
        struct part p = {dir, job, file, i, 1};
        st = part_write(&p, s, result, err);
        mem_free(file);
    }
    return st;
}

enum status tables_export(const struct tables_job *job, struct tables_result *result,
                          struct err *err)
{
    const struct analysis *a = job->analysis;
    struct flat_source source;
    char *name;
    *result = (struct tables_result){.ranks = a->n_ranks};
    enum status st = check_numbers(a, err);
    if (!st)
        st = job_folder_name(&name, job->name, err);
    if (st)
        return st;
    flat_source_init(&source, a, job->findings);
    st = (job->whole || is_whole(a) ? export_whole : export_ranks)(&source, job->folder,
                                                                   name, result, err);
    flat_source_release(&source);
    mem_free(name);
    return st;
}
