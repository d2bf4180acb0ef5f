/*
 * The commands of the program. Each is one file cmd_<name>.c that defines one
 * struct command; commands.c lists them in the order of `gait help`.
 *
 * To add a command:
 *   1. write cmd_<name>.c: a function and `const struct command command_<name>` with its
 *      operands, options and an example; help and error texts are made from these;
 *   2. declare it below and add it to the list in commands.c;
 *   3. add cases to tests/cmdline/cases and run tests/cmdline/run-case --update on them.
 *
 * A command prints its result on stdout and its progress with log_line()/log_status().
 * It never prints errors and never exits: it returns a status, which becomes the exit
 * code, and fills *err, which main prints as one line. STATUS_FAILED with an empty err
 * is an exit code without a message: the result has said it.
 */
#ifndef GAIT_CLI_COMMAND_H
#define GAIT_CLI_COMMAND_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

struct args;

struct option {
    const char *name;  /* without the two dashes */
    char letter;       /* of the short form; 0: none */
    const char *value; /* what it takes, as the help names it; NULL: takes nothing */
    const char *help;
};

struct command {
    const char *name;
    enum status (*run)(const struct args *args, struct err *err);
    const char *summary;  /* a line of `gait help` */
    const char *operands; /* as usage shows them: "CONFIG", "RUN|TRACE…"; "" for none */
    size_t min_operands, max_operands;
    const struct option *options; /* (n_options) */
    size_t n_options;
    bool hidden;         /* for our own scripts: left out of `gait help` */
    bool takes_settings; /* --key value for each setting of config/settings.h */
    bool trains;         /* its steps are timed as those of train: with patient threads */
    const char *about;   /* lines of `gait help <name>` that say more; may be NULL */
    const char *example; /* after "gait " */
};

extern const struct command command_ablate, command_analyze, command_bench,
    command_bundle, command_complete, command_config, command_data, command_diagnose,
    command_docs, command_explain, command_export, command_help, command_import,
    command_lint, command_mcp, command_profile, command_record, command_report,
    command_sample, command_top, command_train, command_verify, command_version,
    command_whatif, command_study, command_tune;

/* The list, ended by NULL. */
extern const struct command *const command_list[];

/* NULL and an err with the nearest name where there is none. */
const struct command *command_find(const char *name, struct err *err);

/* The run function of commands that this build cannot do. */
enum status command_needs_trainer(const struct args *args, struct err *err);

/* Of a command that trains: `.run = OF_TRAINER(cmd_train),` */
#ifdef GAIT_TRAIN
#define OF_TRAINER(function) (function)
#else
#define OF_TRAINER(function) command_needs_trainer
#endif

#define OPTIONS(array) .options = (array), .n_options = sizeof(array) / sizeof *(array)

#endif
