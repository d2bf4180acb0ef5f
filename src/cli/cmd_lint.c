/* Causes of slow or wrong training visible in Python source. */
#include "base/log.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/args.h"
#include "cli/lint_job.h"
#include "cli/lint_with.h"
#include "cli/show_analysis.h"
#include "lint/lint_counts.h"
#include "lint/lint_diff.h"
#include "lint/lint_fix.h"
#include "lint/lint_github.h"
#include "lint/lint_json.h"
#include "lint/lint_junit.h"
#include "lint/lint_noqa.h"
#include "lint/lint_rounds.h"
#include "lint/lint_rows.h"
#include "lint/lint_sarif.h"
#include "lint/lint_text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum lint_format {
    FORMAT_TEXT,
    FORMAT_CONCISE,
    FORMAT_JSON,
    FORMAT_BRIEF,
    FORMAT_SARIF,
    FORMAT_GITHUB,
    FORMAT_JUNIT
};
static const char *const format_names[] = {"text",  "concise", "json", "brief",
                                           "sarif", "github",  "junit"};

enum lint_action { ACTION_SHOW, ACTION_FIX, ACTION_DIFF, ACTION_NOQA };

struct request {
    enum lint_format format;
    enum lint_action action;
    bool unsafe, statistics, exit_zero, verbose;
    const char *with; /* a run, NULL: none */
    char *subject;    /* options and paths, as a shell takes them */
    char *run;        /* `with`, as a shell takes it; NULL: none */
};

static enum status read_format(struct request *r, const struct args *args,
                               struct err *err)
{
    const char *name = args_value(args, "output-format");
    size_t n = sizeof format_names / sizeof *format_names;
    if (args_has(args, "json") && args_has(args, "brief"))
        return err_set(err, STATUS_USAGE,
                       "--json and --brief exclude each other; give one");
    const char *word = args_has(args, "json")    ? "json"
                       : args_has(args, "brief") ? "brief"
                                                 : name;
    if (name && strcmp(name, word) != 0)
        return err_set(err, STATUS_USAGE,
                       "--%s and --output-format %s exclude each other; give one", word,
                       name);
    name = word;
    if (!name)
        return STATUS_OK;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(name, format_names[i])) {
            r->format = (enum lint_format)i;
            return STATUS_OK;
        }
    return err_set(
        err, STATUS_USAGE,
        "--output-format is text, concise, json, brief, sarif, github or junit, not %s",
        name);
}

static enum status read_request(struct request *r, const struct args *args,
                                struct err *err)
{
    bool fix = args_has(args, "fix"), diff = args_has(args, "diff"),
         noqa = args_has(args, "add-noqa");
    *r = (struct request){.unsafe = args_has(args, "unsafe-fixes"),
                          .statistics = args_has(args, "statistics"),
                          .exit_zero = args_has(args, "exit-zero"),
                          .verbose = args_has(args, "verbose"),
                          .with = args_value(args, "with")};
    if (fix + diff + noqa > 1)
        return err_set(err, STATUS_USAGE,
                       "--fix, --diff and --add-noqa exclude each other; give one");
    if (r->with && (fix || diff || noqa))
        return err_set(err, STATUS_USAGE,
                       "--with tells what findings cost; --fix, --diff and --add-noqa "
                       "go by themselves");
    enum status st = read_format(r, args, err);
    bool for_programs = r->format == FORMAT_BRIEF || r->format == FORMAT_SARIF ||
                        r->format == FORMAT_GITHUB || r->format == FORMAT_JUNIT;
    if (!st && r->statistics && for_programs)
        st = err_set(err, STATUS_USAGE,
                     "%s has no statistics; --statistics goes with text, concise or json",
                     format_names[r->format]);
    r->action = fix ? ACTION_FIX : diff ? ACTION_DIFF : noqa ? ACTION_NOQA : ACTION_SHOW;
    return st;
}

/* --- what is shown */

static void show(const struct request *q, const struct lint_job *j,
                 const struct lint_result *r, size_t fixed)
{
    struct report_options screen = for_screen(&(struct report_options){0});
    struct lint_text_options text = {.colour = screen.colour,
                                     .columns = screen.columns,
                                     .unsafe_fixes = q->unsafe,
                                     .fixed = fixed};
    struct lint_json_options json = {.rules_checked = lint_job_rules(j),
                                     .fixed = fixed,
                                     .statistics = q->statistics,
                                     .folders = j->paths.failure,
                                     .n_folders = j->paths.n_failures,
                                     .run = q->run};
    struct lint_junit_options junit = {j->paths.failure, j->paths.n_failures};
    struct lint_sarif_options sarif = {GAIT_VERSION, lint_rules, lint_rule_count};
    struct strbuf out;
    strbuf_init(&out);
    if (q->format == FORMAT_JSON)
        lint_json_write(&out, r, &json);
    else if (q->format == FORMAT_BRIEF)
        lint_brief_write(&out, r, &json, q->subject);
    else if (q->format == FORMAT_SARIF)
        lint_sarif_write(&out, r, &sarif);
    else if (q->format == FORMAT_GITHUB)
        lint_github_write(&out, r);
    else if (q->format == FORMAT_JUNIT)
        lint_junit_write(&out, r, &junit);
    else if (q->statistics)
        lint_text_write_statistics(&out, r, &text);
    else if (q->format == FORMAT_CONCISE)
        lint_text_write_concise(&out, r, &text);
    else
        lint_text_write(&out, r, &text);
    show_text(&out);
    strbuf_release(&out);
}

/* As linters do: 1 where something was found, 2 where not everything could be checked. */
static enum status verdict(const struct request *q, const struct lint_result *r)
{
    struct lint_counts c = lint_counts_of(r);
    if (c.unreadable)
        return STATUS_USAGE;
    return c.findings && !q->exit_zero ? STATUS_FAILED : STATUS_OK;
}

static void tell_run(const struct request *q, const struct lint_with *w)
{
    struct strbuf out;
    strbuf_init(&out);
    lint_with_tell(&out, w, q->verbose);
    if (q->format == FORMAT_TEXT || q->format == FORMAT_CONCISE)
        show_text(&out);
    else
        log_line("%.*s", (int)out.len - 1, out.s); /* it ends the line itself */
    strbuf_release(&out);
}

/* With a run the most expensive comes first, where a person reads it. */
static enum status show_with(const struct request *q, struct lint_job *j,
                             struct lint_result *r, struct err *err)
{
    struct lint_with w;
    enum status st = lint_with_run(&w, r, j->settings, q->with, err);
    if (st)
        return st;
    if (q->format == FORMAT_TEXT || q->format == FORMAT_CONCISE)
        lint_with_sort(r);
    show(q, j, r, 0);
    tell_run(q, &w);
    st = verdict(q, r);
    lint_with_release(&w);
    return st;
}

static enum status show_findings(const struct request *q, struct lint_job *j,
                                 struct err *err)
{
    struct lint_result r;
    enum status st = lint_job_check(j, &r, j->inputs, j->n, err);
    if (st)
        return st;
    if (q->with) {
        st = show_with(q, j, &r, err);
    } else {
        lint_rows_merge(&r); /* with a run, each line has a cost of its own */
        show(q, j, &r, 0);
        st = verdict(q, &r);
    }
    lint_result_release(&r);
    return st;
}

/* --- fixes */

/* One file that cannot be written does not keep the others from it. */
static enum status write_fixed(const struct lint_rounds *rounds, const struct lint_job *j,
                               struct err *err)
{
    enum status failure = STATUS_OK;
    size_t failed = 0;
    for (size_t i = 0; i < rounds->n; i++) {
        const struct lint_rounds_file *f = &rounds->files[i];
        struct err why = ERR_INIT;
        enum status st = STATUS_OK;
        if (!j->inputs[i].text)
            st = lint_rounds_write(rounds, i, &why);
        else if (f->text)
            fwrite(f->text, 1, f->len, stdout);
        else
            fwrite(j->inputs[i].text, 1, j->inputs[i].len, stdout);
        if (st)
            log_urgent("not fixed: %s", why.text);
        failure = st ? st : failure;
        failed += st != STATUS_OK;
    }
    return !failed ? STATUS_OK
                   : err_set(err, failure, "%zu fixed file%s could not be written",
                             failed, failed == 1 ? "" : "s");
}

static void tell_failures(const struct lint_rounds *rounds)
{
    for (size_t i = 0; i < rounds->n; i++)
        if (rounds->files[i].failure)
            log_urgent("not fixed: %s", rounds->files[i].failure); /* names the file */
    if (rounds->unfinished)
        log_line("after %d rounds there is still something to fix; run it again",
                 LINT_ROUNDS_MAX);
}

static enum status show_diffs(const struct request *q, const struct lint_rounds *rounds)
{
    struct strbuf out;
    size_t changed = 0;
    strbuf_init(&out);
    for (size_t i = 0; i < rounds->n; i++) {
        const struct lint_rounds_file *f = &rounds->files[i];
        if (!f->text)
            continue;
        lint_diff_write(&out, rounds->result.files[i].path, f->old, f->old_len, f->text,
                        f->len);
        changed++;
    }
    show_text(&out);
    strbuf_release(&out);
    if (changed)
        log_line("%zu fix%s in %zu file%s; to apply: patch -p0", rounds->fixed,
                 rounds->fixed == 1 ? "" : "es", changed, changed == 1 ? "" : "s");
    else
        log_line("nothing to fix%s", q->unsafe ? "" : " without --unsafe-fixes");
    if (lint_counts_of(&rounds->result).unreadable)
        return STATUS_USAGE;
    return changed && !q->exit_zero ? STATUS_FAILED : STATUS_OK;
}

static enum status fix_findings(const struct request *q, struct lint_job *j,
                                struct err *err)
{
    struct lint_rounds rounds;
    struct lint_rounds_options o = {q->unsafe, lint_job_check, j};
    enum status st = lint_rounds_run(&rounds, j->inputs, j->n, &o, err);
    if (st)
        return st;
    tell_failures(&rounds);
    if (q->action == ACTION_DIFF) {
        st = show_diffs(q, &rounds);
    } else {
        st = write_fixed(&rounds, j, err);
        lint_rows_merge(&rounds.result);
        if (!st && !j->has_typed) /* else the result is not what the files hold */
            show(q, j, &rounds.result, rounds.fixed);
        if (!st)
            st = verdict(q, &rounds.result);
    }
    lint_rounds_release(&rounds);
    return st;
}

/* --- comments that suppress */

static enum status add_comments(struct lint_result *r, const struct lint_file *f,
                                size_t *added, struct err *err)
{
    struct lint_source source;
    const struct lint_edit *edits;
    enum status st = lint_source_read(&source, f, err);
    if (st)
        return st;
    size_t n = lint_noqa_additions(&edits, r, f, source.text, source.len);
    struct lint_finding all = {.safety = LINT_SAFE, .edits = edits, .n_edits = n};
    struct lint_file one = *f;
    one.findings = &all;
    one.n = n > 0;
    struct lint_fixed fixed;
    lint_fix_apply(&fixed, &one, &source, false);
    if (n)
        st = lint_fix_write(f->path, &f->hash, fixed.text.s, fixed.text.len, err);
    *added += n;
    lint_fixed_release(&fixed);
    lint_source_release(&source);
    return st;
}

static enum status suppress_findings(struct lint_job *j, struct err *err)
{
    struct lint_result r;
    size_t added = 0, changed = 0;
    if (j->has_typed)
        return err_set(err, STATUS_USAGE, "--add-noqa changes files; - is none");
    enum status st = lint_job_check(j, &r, j->inputs, j->n, err);
    if (st)
        return st;
    for (size_t i = 0; i < r.n && !st; i++) {
        size_t before = added;
        if (!r.files[i].failure && r.files[i].n)
            st = add_comments(&r, &r.files[i], &added, err);
        changed += added > before;
    }
    if (!st)
        printf("%zu comment%s in %zu file%s\n", added, added == 1 ? "" : "s", changed,
               changed == 1 ? "" : "s");
    lint_result_release(&r);
    return st;
}

/* Folders whose files nobody knows: not everything could be checked. */
static enum status tell_unread(const struct lint_paths *p, enum status st)
{
    for (size_t i = 0; i < p->n_failures; i++)
        log_urgent("not checked: %s", p->failure[i].why);
    return p->n_failures && (!st || st == STATUS_FAILED) ? STATUS_USAGE : st;
}

static enum status run(const struct request *q, struct lint_job *j, struct err *err)
{
    enum status st = q->action == ACTION_NOQA   ? suppress_findings(j, err)
                     : q->action == ACTION_SHOW ? show_findings(q, j, err)
                                                : fix_findings(q, j, err);
    return tell_unread(&j->paths, st);
}

/* What decides which findings there are, as it was given. */
static void add_options(struct strbuf *out, const struct args *args)
{
    static const struct option deciding[] = {LINT_JOB_OPTIONS};
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++) {
        const struct option *o = &deciding[i];
        const char *value = o->value ? args_value(args, o->name) : NULL;
        if (!args_has(args, o->name))
            continue;
        strbuf_printf(out, "--%s ", o->name);
        if (value)
            path_add_shell_word(out, value, o->value);
        if (value)
            strbuf_putc(out, ' ');
    }
}

/* Options and operands as a shell takes them. The caller frees it. */
static char *subject_of(const struct args *args)
{
    struct strbuf words;
    strbuf_init(&words);
    add_options(&words, args);
    path_add_shell_word(&words, args->n_operands ? args_only_operand(args) : ".",
                        "PATH…");
    return words.s;
}

/* A word of a command that comes next. The caller frees it. */
static char *shell_word_of(const char *path, const char *otherwise)
{
    struct strbuf word;
    strbuf_init(&word);
    path_add_shell_word(&word, path, otherwise);
    return word.s;
}

static enum status cmd_lint(const struct args *args, struct err *err)
{
    struct request q;
    struct lint_job j;
    enum status st = read_request(&q, args, err);
    if (st)
        return st;
    q.subject = subject_of(args);
    q.run = q.with ? shell_word_of(q.with, "RUN") : NULL;
    st = lint_job_open(&j, args, err);
    if (!st && !j.n)
        log_line("there are no Python files here; check the path, the excludes and what "
                 "git ignores");
    if (!st)
        st = run(&q, &j, err);
    lint_job_close(&j);
    mem_free(q.subject);
    mem_free(q.run);
    return st == STATUS_INPUT ? STATUS_USAGE : st;
}

static const struct option options[] = {
    LINT_JOB_OPTIONS,
    {"fix", 0, NULL, "make the changes that keep every value the program computes"},
    {"unsafe-fixes", 0, NULL, "with --fix or --diff: the other changes too"},
    {"diff", 0, NULL, "show what --fix would change, as a patch"},
    {"add-noqa", 0, NULL, "write a comment behind each finding that suppresses it"},
    {"output-format", 0, "FORMAT", "text, concise, json, brief, sarif, github or junit"},
    {"json", 0, NULL, "the same as --output-format json"},
    {"brief", 0, NULL, "the first findings in 2 KB of JSON (docs/scripts.md)"},
    {"statistics", 0, NULL, "how often each rule found something"},
    {"with", 0, "RUN", "what each finding costs, by a run or a trace of the job"},
    {"verbose", 'v', NULL, "with --with: also what the run shows to be harmless"},
    {"exit-zero", 0, NULL, "exit code 0 also where something was found"},
};

const struct command command_lint = {
    .name = "lint",
    .run = cmd_lint,
    .summary = "causes of slow or wrong training visible in Python source",
    .operands = "[FILE.py|FOLDER|PATTERN|-]…",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    OPTIONS(options),
    .about =
        "Reads the files as one program, without running or importing them; what they\n"
        "import of the same project is read too. Without operands: the working folder.\n"
        "Settings: [tool.gait.lint] of pyproject.toml. # noqa: GT101 suppresses a\n"
        "finding of its line. Exit code 0: nothing found, 1: findings, 2: not\n"
        "everything could be checked. What a rule is about: gait explain GT101.",
    .example = "lint train.py",
};
