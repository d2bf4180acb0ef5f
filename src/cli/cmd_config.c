/* Prints the settings: a file to start from, or the check of one. */
#include "cli/args.h"
#include "cli/settings_args.h"

#include <stdio.h>

static enum status cmd_config(const struct args *args, struct err *err)
{
    struct config config;
    const char *path = args->n_operands ? args->operands[0] : NULL;
    enum status st = settings_from_args(&config, path, args, err);
    if (!st) {
        struct strbuf out;
        strbuf_init(&out);
        (args_has(args, "json") ? config_print_json : config_print_yaml)(&config, &out);
        fputs(out.s, stdout);
        strbuf_release(&out);
    }
    config_release(&config);
    return st;
}

static const struct option options[] = {
    {"json", 0, NULL, "the settings as JSON, by section"},
};

const struct command command_config = {
    .name = "config",
    .run = cmd_config,
    .summary = "print all settings as YAML; check a config",
    .operands = "[CONFIG]",
    .max_operands = 1,
    OPTIONS(options),
    .takes_settings = true,
    .about =
        "Prints the settings that `gait train CONFIG` would use: the defaults, what\n"
        "CONFIG changes, and the flags. The output is a config itself. Exit code 2\n"
        "where CONFIG has a mistake.",
    .example = "config > my.yaml",
};
