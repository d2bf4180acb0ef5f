/* One file to send for help. */
#include "anonymous/anonymous_run.h"
#include "base/file.h"
#include "base/folder_reader.h"
#include "base/leftover.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/bundle_texts.h"
#include "cli/damage_warnings.h"
#include "cli/output_word.h"
#include "cli/read_options.h"
#include "cli/record_files.h"
#include "load/load_runs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that go in as they are; the rest is read as runs and traces. */
static bool goes_in_as_it_is(const char *path)
{
    static const char *const endings[] = {".yaml", ".yml",   ".txt", ".log",
                                          ".md",   ".jsonl", ".py"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t len = strlen(path), n = strlen(endings[i]);
        if (len > n && !strcmp(path + len - n, endings[i]))
            return true;
    }
    return false;
}

struct bundling {
    struct bundle bundle;
    struct scrub scrub; /* one for all runs: what is the same stays the same */
    struct load_options load;
    struct load_result loaded; /* of all runs */
    int runs;
};

static enum status add_as_it_is(struct bundling *x, const char *path, struct err *err)
{
    enum { NAME_BYTES_MAX = 80 };
    char name[NAME_BYTES_MAX];
    if (x->bundle.anonymous)
        return err_set(
            err, STATUS_USAGE,
            "%s cannot be made anonymous; leave it out (a run has its settings "
            "in it), or send it without --anonymous",
            path);
    int n = snprintf(name, sizeof name, "files/%s", path_name(path));
    if (n < 0 || n >= (int)sizeof name)
        return err_set(err, STATUS_USAGE, "%s: the name is too long; rename it", path);
    for (size_t i = 0; i < x->bundle.n; i++)
        if (!strcmp(x->bundle.file[i].name, name))
            return err_set(err, STATUS_USAGE,
                           "two files are called %s; rename one of them",
                           path_name(path));
    return bundle_add_file(&x->bundle, name, "as it was given", path, err);
}

/* The run as a file's bytes. SQLite writes to a file alone: one in a folder of our own. */
static enum status add_run_file(struct bundle *b, const struct run *run, const char *name,
                                struct err *err)
{
    char *folder = NULL, *path = NULL;
    enum status st = record_make_folder(&folder, NULL, err);
    if (!st) {
        path = path_join(folder, "run.gait");
        st = run_save(run, path, err);
    }
    if (!st)
        st = bundle_add_file(b, name, "a run", path, err);
    if (folder) {
        folder_remove(folder);
        leftover_forget(folder);
    }
    mem_free(path);
    mem_free(folder);
    return st;
}

static enum status add_run(struct bundling *x, const char *path, struct err *err)
{
    struct run run;
    struct load_result loaded;
    char name[32], file[40];
    snprintf(name, sizeof name, "run%d", ++x->runs);
    snprintf(file, sizeof file, "%s.gait", name);
    run_init(&run);
    enum status st = load_runs(&run, &loaded, &path, 1, &x->load, err);
    if (!st) {
        x->loaded.files += loaded.files;
        x->loaded.failed += loaded.failed;
        x->bundle.unread = x->loaded.failed;
        damage_warnings(&run);
        if (x->bundle.anonymous)
            anonymous_run(&run, &x->scrub);
        bundle_add_answers(&x->bundle, &run, name);
        st = add_run_file(&x->bundle, &run, file, err);
    }
    run_release(&run);
    return st;
}

static enum status check_output(const struct args *args, const char *path,
                                struct err *err)
{
    if (!path)
        return err_set(err, STATUS_USAGE,
                       "bundle needs -o FILE; for example: gait bundle run.gait -o "
                       "help.tar.gz");
    for (size_t i = 0; i < args->n_operands; i++)
        if (file_is_same(path, args->operands[i]))
            return err_set(err, STATUS_USAGE,
                           "-o %s would replace what is read; choose another name", path);
    return file_check_writable(path, err);
}

static enum status fill(struct bundling *x, const struct args *args, struct err *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; i < args->n_operands && !st; i++) {
        const char *path = args->operands[i];
        st = goes_in_as_it_is(path) ? add_as_it_is(x, path, err) : add_run(x, path, err);
    }
    if (!st)
        bundle_add_machine(&x->bundle);
    return st;
}

/* Whose machine this is may stand in a sentence of a run. */
static void forget_this_machine(struct scrub *s)
{
    enum { SHORTEST = 3 }; /* "vm" is in many words */
    char host[256] = "";
    const char *user = getenv("USER");
    if (!gethostname(host, sizeof host - 1) && strlen(host) >= SHORTEST)
        scrub_forget(s, host, SCRUB_HOST);
    if (user && strlen(user) >= SHORTEST)
        scrub_forget(s, user, SCRUB_NAME);
}

static enum status cmd_bundle(const struct args *args, struct err *err)
{
    const char *path = args_value(args, "output");
    struct bundling x = {.load = {.parts = RUN_PARTS_ALL}};
    enum status st = check_output(args, path, err);
    if (!st)
        st = read_options(&x.load, args, err);
    if (st)
        return st;
    bundle_init(&x.bundle, args_has(args, "anonymous"));
    scrub_init(&x.scrub);
    forget_this_machine(&x.scrub);
    const char *wrote = output_word(path);
    st = fill(&x, args, err);
    if (!st)
        st = bundle_write(&x.bundle, path, err);
    struct stat s;
    if (!st)
        log_line("%s %s (%s, %zu files%s)   look into it before you send it: tar tzf %s",
                 wrote, path, stat(path, &s) ? "?" : unit_bytes((double)s.st_size).s,
                 x.bundle.n + 1, x.bundle.anonymous ? ", anonymous" : "", path);
    if (!st)
        st = load_status(&x.loaded, err);
    scrub_release(&x.scrub);
    bundle_release(&x.bundle);
    return st;
}

static const struct option options[] = {
    {"output", 'o', "FILE", "the archive to write, *.tar.gz"},
    {"anonymous", 0, NULL, "without names and paths of the job, its user and machine"},
    READ_OPTIONS,
};

const struct command command_bundle = {
    .name = "bundle",
    .run = cmd_bundle,
    .summary = "one file to send for help: runs, answers, machine, settings",
    .operands = "RUN|TRACE|FILE…",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about = "Each run or trace goes in as a run, with its analysis, its causes and its\n"
             "settings as text; configs, logs and sources (*.yaml, *.txt, *.log, *.md,\n"
             "*.jsonl, *.py) as they are. manifest.json has sizes and SHA-256 of all.\n"
             "What --anonymous replaces, and what it keeps: docs/bundle.md",
    .example = "bundle run.gait my.yaml -o help.tar.gz",
};
