#include "cli/lint_job.h"

#include "base/cores.h"
#include "base/file.h"
#include "base/mem.h"
#include "lint/lint_noqa.h"
#include "source/source_query.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum status read_flags(struct lint_flags *f, const struct args *args,
                              struct err *err)
{
    *f = (struct lint_flags){
        .config = args_value(args, "config"),
        .isolated = args_has(args, "isolated"),
        .with_run = args_has(args, "with"),
        .select = args_value(args, "select"),
        .extend_select = args_value(args, "extend-select"),
        .ignore = args_value(args, "ignore"),
        .extend_ignore = args_value(args, "extend-ignore"),
        .exclude = args_value(args, "exclude"),
        .extend_exclude = args_value(args, "extend-exclude"),
        .respect_gitignore = args_has(args, "respect-gitignore"),
        .no_respect_gitignore = args_has(args, "no-respect-gitignore"),
    };
    if (f->respect_gitignore && f->no_respect_gitignore)
        return err_set(err, STATUS_USAGE,
                       "--respect-gitignore and --no-respect-gitignore exclude each "
                       "other; give one");
    if (f->config && f->isolated)
        return err_set(err, STATUS_USAGE,
                       "--config and --isolated exclude each other; give one");
    return STATUS_OK;
}

/* Standard input, as far as a program may be long; what is longer is refused later. */
static enum status read_typed(struct lint_job *j, struct err *err)
{
    char piece[1 << 16];
    ssize_t n;
    while ((n = read(STDIN_FILENO, piece, sizeof piece)) > 0 &&
           j->typed.len <= SOURCE_FILE_BYTES_MAX)
        strbuf_add(&j->typed, piece, (size_t)n);
    j->has_typed = true;
    return n < 0 ? file_err(err, "read", "standard input") : STATUS_OK;
}

static enum status take_inputs(struct lint_job *j, const char *typed_name,
                               struct err *err)
{
    enum status st = STATUS_OK;
    j->n = j->paths.n;
    j->inputs = mem_zalloc(j->n + 1, sizeof *j->inputs);
    for (size_t i = 0; i < j->n && !st; i++) {
        struct lint_input *input = &j->inputs[i];
        input->path = j->paths.path[i];
        if (strcmp(input->path, "-") != 0)
            continue;
        input->path = typed_name ? typed_name : "<stdin>";
        st = read_typed(j, err);
        input->text = j->typed.s;
        input->len = j->typed.len;
    }
    if (!st && typed_name && !j->has_typed)
        st = err_set(err, STATUS_USAGE,
                     "--stdin-filename names what - reads; add the operand -");
    return st;
}

enum status lint_job_open(struct lint_job *j, const struct args *args, struct err *err)
{
    struct lint_flags flags;
    const char *typed_name = args_value(args, "stdin-filename");
    int cores = cores_of_affinity();
    *j = (struct lint_job){.check = {.threads = cores > 0 ? cores : 1}};
    strbuf_init(&j->typed);
    enum status st = read_flags(&flags, args, err);
    if (!st)
        st = lint_settings_new(&j->settings, &flags, err);
    if (!st)
        st = lint_paths_find(&j->paths, args->operands, args->n_operands, j->settings,
                             err);
    if (!st && typed_name)
        st = lint_settings_prepare(j->settings, typed_name, err);
    if (!st)
        st = take_inputs(j, typed_name, err);
    j->check.wants = lint_settings_wants;
    j->check.context = j->settings;
    return st;
}

void lint_job_close(struct lint_job *j)
{
    mem_free(j->inputs);
    strbuf_release(&j->typed);
    if (j->settings)
        lint_paths_release(&j->paths);
    lint_settings_free(j->settings);
}

enum status lint_job_check(void *job, struct lint_result *r,
                           const struct lint_input *inputs, size_t n, struct err *err)
{
    const struct lint_job *j = job;
    enum status st = lint_check(r, inputs, n, &j->check, err);
    if (st)
        return st;
    lint_noqa_apply(r, &j->check);
    lint_set_ids(r);
    return STATUS_OK;
}

size_t lint_job_rules(const struct lint_job *j)
{
    size_t wanted = 0;
    for (size_t i = 0; i < lint_rule_count; i++) {
        bool asked = false;
        for (size_t f = 0; f < j->n && !asked; f++)
            asked = lint_settings_wants(j->settings, &lint_rules[i], j->inputs[f].path);
        wanted += asked;
    }
    return wanted;
}
