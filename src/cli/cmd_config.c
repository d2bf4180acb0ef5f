/* Prints the settings: a file to start from, or the check of one. */
#include "cli/args.h"
#include "cli/settings_args.h"

static enum status cmd_config(const struct args *args, struct err *err)
{
    struct config config;
    const char *path = args->n_operands ? args->operands[0] : NULL;
    enum status st =
        settings_with_preset(&config, path, args_value(args, "preset"), args, err);
    if (!st)
        print_settings(&config, args_has(args, "json"));
    config_release(&config);
    return st;
}

static const struct option options[] = {
    {"json", 0, NULL, "the settings as JSON, by section"},
    {"preset", 0, "PRESET", "start from: auto (this machine), laptop, desktop, server"},
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
        "where CONFIG has a mistake.\n"
        "\n"
        "--preset sets batch_size, gradient_accumulation, recompute and num_workers to\n"
        "values to start from, by memory, cores and cache; flags still win. They follow "
        "a\n"
        "rule and are not measured (docs/config.md).",
    .example = "config my.yaml --preset auto > mine.yaml",
};
