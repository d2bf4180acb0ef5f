/*
 * The settings of `gait lint`, as ruff has them: [tool.gait.lint] of the nearest
 * pyproject.toml at or above a file's folder that has this table, or the file that
 * --config names, and above both what the command line says.
 *
 *   [tool.gait.lint]
 *   select = ["GT1", "sync-item"]      what is on, instead of the rules on by default
 *   extend-select = […]  ignore = […]  extend-ignore = […]
 *   exclude = […]                      instead of the usual folders (.git, .venv, …)
 *   extend-exclude = […]
 *   respect-gitignore = false          also what git ignores
 *   [tool.gait.lint.per-file-ignores]
 *   "test_*.py" = ["GT2"]              "!train_*.py" is: in all but those
 *
 * Patterns are for a name, or for a path from the settings' folder; * crosses slashes.
 * With --config and on the command line they are for paths from the working folder.
 */
#ifndef GAIT_LINT_LINT_SETTINGS_H
#define GAIT_LINT_LINT_SETTINGS_H

#include "base/status.h"
#include "lint/lint_rule.h"

#include <stdbool.h>

/* NULL: not given. Lists have commas between their words. */
struct lint_flags {
    const char *config;
    bool isolated; /* no settings from any file */
    bool with_run; /* rules of which only a run tells whether they matter are looked at */
    const char *select, *extend_select, *ignore, *extend_ignore;
    const char *exclude, *extend_exclude;
    bool respect_gitignore, no_respect_gitignore;
};

struct lint_settings;

/* Checks the flags and reads the file of --config. On OK the caller calls
 * lint_settings_free(). */
enum status lint_settings_new(struct lint_settings **out, const struct lint_flags *flags,
                              struct err *err);
void lint_settings_free(struct lint_settings *s); /* NULL too */

/* Reads the settings for what is in path's folder, unless they are known already; once
 * for each folder before the two questions below. Not beside other calls. */
enum status lint_settings_prepare(struct lint_settings *s, const char *path,
                                  struct err *err);
/* The file that settings came from, NULL: only defaults and flags. */
const char *lint_settings_origin(const struct lint_settings *s, const char *path);

/* For lint_check_options.wants, with the struct lint_settings as its context. */
bool lint_settings_wants(const void *settings, const struct lint_rule *rule,
                         const char *path);
/* Is the rule wanted there only where a run prices what it finds? */
bool lint_settings_needs_price(const struct lint_settings *s,
                               const struct lint_rule *rule, const char *path);
/* Is this file or folder itself to be passed over? Not asked for what the user named. */
bool lint_settings_excludes(const struct lint_settings *s, const char *path);
/* Is what git ignores in this folder ("": the working folder, else with a slash at its end)
 * to be passed over? */
bool lint_settings_respects_gitignore(const struct lint_settings *s, const char *folder);

#endif
