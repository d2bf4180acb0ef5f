#include "cli/export_parquet.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "cli/damage_warnings.h"
#include "cli/read_options.h"
#include "findings/findings.h"
#include "load/load_runs.h"
#include "tables/tables.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* "runs/big.pt.trace.json.gz" is job "big"; NULL where the operand names no file or
 * folder of its own. The caller frees it. */
static char *job_of_operand(const char *operand)
{
    static const char *const ends[] = {".gz", ".zst", ".json", ".trace", ".pt", ".gait"};
    char *plain = path_plain(operand), *job = mem_strdup(path_name(plain));
    bool folder = file_is_dir(operand), named = file_exists(operand) && *job &&
                                                strcmp(job, ".") != 0 &&
                                                strcmp(job, "..") != 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends && !folder; i++) {
        size_t len = strlen(job), end = strlen(ends[i]);
        if (len > end && !strcmp(job + len - end, ends[i]))
            job[len - end] = '\0';
    }
    mem_free(plain);
    if (named)
        return job;
    mem_free(job);
    return NULL;
}

static enum status choose_job(char **out, const struct args *args, struct err *err)
{
    const char *given = args_value(args, "job"), *only = args_only_operand(args);
    *out = given ? mem_strdup(given) : only ? job_of_operand(only) : NULL;
    return *out ? STATUS_OK
                : err_set(err, STATUS_USAGE,
                          "what is the job called? --job NAME; only a single file or "
                          "folder names it");
}

static enum status check_options(const struct args *args, struct err *err)
{
    const char *dir = args_value(args, "parquet");
    if (!*dir)
        return err_set(err, STATUS_USAGE, "--parquet names no folder");
    errno = 0;
    if (!file_is_dir(dir) && file_exists(dir))
        return errno ? file_err(err, "read", dir)
                     : err_set(err, STATUS_USAGE,
                               "--parquet %s is a file; name a folder, new or of earlier "
                               "exports",
                               dir);
    return STATUS_OK;
}

/* A rank by itself is no job: its file's name would make it one. */
static enum status check_part(const struct run *run, const struct args *args,
                              struct err *err)
{
    if (args_has(args, "job") || args_has(args, "whole"))
        return STATUS_OK;
    for (size_t i = 0; i < run->ranks.table.n; i++)
        if ((size_t)run->ranks.world[i] > run->ranks.table.n)
            return err_set(
                err, STATUS_USAGE,
                "%zu of %d ranks were read; say with --job NAME which job they "
                "are of, or with --whole that there are no others",
                run->ranks.table.n, (int)run->ranks.world[i]);
    return STATUS_OK;
}

/* Tables of those that were read would replace tables of all. */
static enum status check_loaded(const struct load_result *loaded, struct err *err)
{
    if (!loaded->failed)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "%zu of %zu files could not be read (warnings above), so nothing was "
                   "exported; mend them, or leave them out",
                   loaded->failed, loaded->files);
}

/* Within an SQL string a quote is doubled. */
static void add_sql_text(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_putc(out, '\'');
        strbuf_putc(out, *text);
    }
}

/* A command that reads the ranks, quoted for the shell only where the folder needs it. */
static void print_next(const char *dir)
{
    struct strbuf query, word;
    strbuf_init(&query);
    strbuf_init(&word);
    strbuf_puts(&query, "from read_parquet('");
    add_sql_text(&query, dir);
    strbuf_puts(&query, "/ranks/*/*.parquet')");
    path_add_shell_word(&word, dir, "DIR");
    if (!strcmp(word.s, dir)) {
        printf("next: duckdb -c \"%s\"\n", query.s);
    } else {
        strbuf_clear(&word);
        path_add_shell_word(&word, query.s, "QUERY");
        printf("next: duckdb -c %s\n", word.s);
    }
    strbuf_release(&query);
    strbuf_release(&word);
}

static void print_result(const struct tables_result *r, const char *dir, const char *job)
{
    printf("wrote %s: %zu rank%s of job %s, %s rows in %zu files, %s\n", dir, r->ranks,
           r->ranks == 1 ? "" : "s", job, unit_thousands(r->rows).s, r->files,
           unit_bytes((double)r->bytes).s);
    print_next(dir);
}

static enum status export_run(const struct run *run, const struct args *args,
                              const char *job, struct err *err)
{
    const char *dir = args_value(args, "parquet");
    struct tables_result result;
    struct analysis *a = analysis_new(run);
    struct findings *f = findings_new(run, a);
    enum status st =
        tables_export(&(struct tables_job){.analysis = a,
                                           .findings = f,
                                           .folder = dir,
                                           .name = job,
                                           .whole = args_has(args, "whole"),
                                           .own_name = !args_has(args, "job")},
                      &result, err);
    if (!st)
        print_result(&result, dir, job);
    findings_free(f);
    analysis_free(a);
    return st;
}

enum status export_parquet(const struct args *args, struct err *err)
{
    struct load_options options = load_for_findings;
    struct load_result loaded;
    struct run run;
    char *job = NULL;
    enum status st = check_options(args, err);
    if (!st)
        st = read_options(&options, args, err);
    if (!st)
        st = choose_job(&job, args, err);
    if (st)
        return st;
    run_init(&run);
    st = load_runs(&run, &loaded, args->operands, args->n_operands, &options, err);
    if (!st)
        st = check_loaded(&loaded, err);
    if (!st)
        st = check_part(&run, args, err);
    if (!st)
        st = export_run(&run, args, job, err);
    if (!st)
        damage_warnings(&run);
    run_release(&run);
    mem_free(job);
    return st;
}
