/*
 * What `gait lint` was asked to check, and how: its options, settings and files.
 *
 * Legal order: lint_job_open, lint_job_check any number of times, lint_job_close.
 */
#ifndef GAIT_CLI_LINT_JOB_H
#define GAIT_CLI_LINT_JOB_H

#include "cli/args.h"
#include "lint/lint_check.h"
#include "lint/lint_paths.h"

struct lint_job {
    struct lint_settings *settings;
    struct lint_paths paths;
    struct lint_input *inputs; /* (n) in the order of the paths */
    size_t n;
    struct strbuf typed; /* standard input */
    bool has_typed;
    struct lint_check_options check;
};

enum status lint_job_open(struct lint_job *j, const struct args *args, struct err *err);
void lint_job_close(struct lint_job *j); /* also where it could not be opened */

/* Findings that no comment suppresses, of the job's files, whose texts may be newer than
 * those on the disk; for lint_rounds_options.check, with the job as its context. */
enum status lint_job_check(void *job, struct lint_result *r,
                           const struct lint_input *inputs, size_t n, struct err *err);

/* Rules that are wanted for one of the files at least. */
size_t lint_job_rules(const struct lint_job *j);

#define LINT_JOB_OPTIONS                                                                 \
    {"select", 0, "RULES", "codes (GT101), their beginnings (GT1), names; or ALL"},      \
        {"extend-select", 0, "RULES", "these too"}, {"ignore", 0, "RULES", "not these"}, \
        {"extend-ignore", 0, "RULES", "not these either"},                               \
        {"exclude", 0, "PATTERNS", "files and folders that are passed over"},            \
        {"extend-exclude", 0, "PATTERNS", "these too"},                                  \
        {"respect-gitignore", 0, NULL,                                                   \
         "not what git ignores, whatever the settings say"},                             \
        {"no-respect-gitignore", 0, NULL, "also what git ignores"},                      \
        {"config", 0, "FILE", "settings from here, not from pyproject.toml"},            \
        {"isolated", 0, NULL, "no settings from files"},                                 \
    {                                                                                    \
        "stdin-filename", 0, "PATH", "what - is called, for settings and imports"        \
    }

#endif
