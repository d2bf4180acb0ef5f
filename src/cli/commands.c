#include "cli/command.h"

#include "base/nearest.h"

#include <string.h>

/* clang-format off */
const struct command *const command_list[] = {
    &command_analyze,
    &command_explain,
    &command_whatif,
    &command_report,
    &command_import,
    &command_bundle,
    &command_record,
    &command_verify,
    &command_lint,
    &command_mcp,
    &command_diagnose,
    &command_train,
    &command_top,
    &command_sample,
    &command_export,
    &command_profile,
    &command_data,
    &command_bench,
    &command_ablate,
    &command_tune,
    &command_study,
    &command_config,
    &command_docs,
    &command_complete,
    &command_help,
    &command_version,
    NULL,
};
/* clang-format on */

enum { COMMANDS_MAX = 64 };

const struct command *command_find(const char *name, struct err *err)
{
    const char *names[COMMANDS_MAX];
    size_t n = 0;
    for (size_t i = 0; command_list[i]; i++) {
        if (!strcmp(command_list[i]->name, name))
            return command_list[i];
        if (!command_list[i]->hidden && n < COMMANDS_MAX)
            names[n++] = command_list[i]->name;
    }
    const char *near = nearest_name(name, names, n);
    if (near)
        err_set(err, STATUS_USAGE, "there is no command \"%s\"; did you mean %s?", name,
                near);
    else
        err_set(err, STATUS_USAGE, "there is no command \"%s\"; `gait help` lists them",
                name);
    return NULL;
}

enum status command_needs_trainer(const struct args *args, struct err *err)
{
    (void)args;
    return err_set(err, STATUS_ENVIRONMENT,
                   "this build has no trainer; the Debian package and `make` in Gait's "
                   "sources have it (gait help docs/install.md)");
}
