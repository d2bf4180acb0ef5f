/*
 * The words behind a command, sorted into operands, options and settings by the command's
 * own table. Forms: --name, --name value, --name=value, -o value, -ovalue; "--" ends the
 * options. The last of several equal options wins. Every command also takes --help and
 * --quiet.
 *
 * Legal order: args_parse, any of the getters, args_release.
 */
#ifndef GAIT_CLI_ARGS_H
#define GAIT_CLI_ARGS_H

#include "base/strbuf.h"
#include "cli/command.h"

#include <stdint.h>

struct arg_given {
    const char *name, *value; /* value is NULL where the option takes none */
};

struct args {
    const struct command *command;
    const char **operands; /* (n_operands) */
    size_t n_operands, cap_operands;
    struct arg_given *options; /* (n_options) in the order given */
    size_t n_options, cap_options;
    struct arg_given *settings; /* (n_settings) config keys, with - or _ */
    size_t n_settings, cap_settings;
    bool help; /* when set, operands were not checked */
    bool quiet;
};

/* words[0..n) follow the command's name; they must outlive *a. The caller releases *a
 * whatever the status. */
enum status args_parse(struct args *a, const struct command *c, char **words, int n,
                       struct err *err);
void args_release(struct args *a);

/* An option that the command's table does not have is a bug. */
bool args_has(const struct args *a, const char *name);
const char *args_value(const struct args *a, const char *name); /* NULL: not given */
/* The operand where there is exactly one, else NULL. */
const char *args_only_operand(const struct args *a);
/* A whole number within min..max; *out stays as it is where the option is not given. */
enum status args_int(const struct args *a, const char *name, int64_t min, int64_t max,
                     int64_t *out, struct err *err);

/* The same for a real number. */
enum status args_real(const struct args *a, const char *name, double min, double max,
                      double *out, struct err *err);

/* Too few or too many operands, for a command whose options say how many it takes. */
enum status args_wrong_operands(const struct args *a, struct err *err);

/* Of every command, as the help names them. */
enum { SHARED_OPTIONS = 2 };
extern const struct option shared_options[SHARED_OPTIONS];

/* The option of a command, the shared ones too, by its name or its letter; else NULL. */
const struct option *command_option(const struct command *c, const char *name,
                                    size_t len);
const struct option *command_letter(const struct command *c, char letter);

/* "gait train CONFIG [options] [--KEY VALUE …]" */
void usage_line(struct strbuf *out, const struct command *c);

#endif
