/* What one settings file says, or the command line; read by lint_settings_file.c for
 * lint_settings.c. */
#ifndef GAIT_LINT_LINT_SETTINGS_FILE_H
#define GAIT_LINT_LINT_SETTINGS_FILE_H

#include "base/arena.h"
#include "base/status.h"
#include "lint/lint_selector.h"

struct lint_file_ignore { /* a line of per-file-ignores */
    const char *pattern;
    struct lint_words rules;
};

enum lint_answer { LINT_UNSAID, LINT_NO, LINT_YES };

struct lint_settings_file {
    struct lint_selection selection;
    struct lint_words exclude, extend_exclude;
    enum lint_answer respect_gitignore;
    const struct lint_file_ignore *file_ignores;
    size_t n_file_ignores;
};

/* pyproject.toml: *found is false where it has no [tool.gait.lint]. Strings live in the
 * arena. path is opened, name is for messages. */
enum status lint_settings_file_read(struct lint_settings_file *f, bool *found,
                                    struct arena *a, const char *path, const char *name,
                                    struct err *err);
/* The file of --config: also with [lint], or the keys without a table. */
enum status lint_settings_file_read_named(struct lint_settings_file *f, struct arena *a,
                                          const char *path, struct err *err);

/* The words between commas, without blanks around them; NULL gives none. */
struct lint_words lint_words_split(struct arena *a, const char *list);
/* An error of a flag's words that name no rule. */
enum status lint_words_check(const struct lint_words *w, const char *flag,
                             struct err *err);

#endif
