#include "lint/lint_rounds.h"

#include "base/mem.h"
#include "lint/lint_fix.h"

#include <string.h>

static void set_failure(struct lint_rounds_file *f, const char *text)
{
    mem_free(f->failure);
    f->failure = mem_strdup(text);
}

static bool has_fix(const struct lint_file *file, bool unsafe)
{
    for (size_t i = 0; i < file->n; i++)
        if (file->findings[i].n_edits &&
            (file->findings[i].safety == LINT_SAFE ||
             (file->findings[i].safety == LINT_UNSAFE && unsafe)))
            return true;
    return false;
}

static bool may_fix(const struct lint_rounds_file *f, const struct lint_file *file,
                    bool unsafe)
{
    return !f->failure && !file->failure && has_fix(file, unsafe);
}

/* --- one file, one round */

static void keep_old(struct lint_rounds_file *f, const struct lint_file *file,
                     const struct lint_source *source)
{
    if (f->old)
        return;
    f->old = mem_alloc(source->len + 1);
    memcpy(f->old, source->text, source->len);
    f->old[source->len] = '\0';
    f->old_len = source->len;
    f->before = file->hash;
}

static void take_fixed(struct lint_rounds_file *f, struct lint_fixed *fixed)
{
    f->previous = f->text;
    f->previous_len = f->len;
    f->len = fixed->text.len;
    f->text = strbuf_detach(&fixed->text);
    f->fixed_now = fixed->applied;
    f->fixed += fixed->applied;
}

static void refuse(struct lint_rounds_file *f, const struct lint_file *file)
{
    struct err err = ERR_INIT;
    err_set(&err, STATUS_INPUT,
            "%s: line %d could not be parsed; a file is fixed only as a whole",
            file->path, (int)file->error_line);
    set_failure(f, err.text);
}

static bool fix_file(struct lint_rounds_file *f, const struct lint_file *file,
                     bool unsafe)
{
    struct lint_source source;
    struct lint_fixed fixed;
    struct err err = ERR_INIT;
    if (!f->failure && file->error_line && file->n)
        refuse(f, file);
    if (!may_fix(f, file, unsafe))
        return false;
    if (lint_source_read(&source, file, &err)) {
        set_failure(f, err.text);
        return false;
    }
    keep_old(f, file, &source);
    lint_fix_apply(&fixed, file, &source, unsafe);
    take_fixed(f, &fixed);
    lint_fixed_release(&fixed);
    lint_source_release(&source);
    return true;
}

/* The last round of a file left it no Python. */
static void take_back(struct lint_rounds_file *f, const struct lint_file *file)
{
    struct err err = ERR_INIT;
    err_set(&err, STATUS_FAILED,
            "%s: fixes were taken back, since line %d would not be Python with them; "
            "please report the source that shows it",
            file->path, (int)file->error_line);
    set_failure(f, err.text);
    mem_free(f->text);
    f->text = f->previous;
    f->len = f->previous_len;
    f->previous = NULL;
    f->fixed -= f->fixed_now;
    f->fixed_now = 0;
}

/* --- all files */

static bool fix_files(struct lint_rounds *rounds, bool unsafe)
{
    bool any = false;
    for (size_t i = 0; i < rounds->n; i++)
        any |= fix_file(&rounds->files[i], &rounds->result.files[i], unsafe);
    return any;
}

/* Files that the last round has spoilt; the others' round stands. */
static bool take_back_files(struct lint_rounds *rounds)
{
    bool any = false;
    for (size_t i = 0; i < rounds->n; i++) {
        struct lint_rounds_file *f = &rounds->files[i];
        if (f->fixed_now && rounds->result.files[i].error_line) {
            take_back(f, &rounds->result.files[i]);
            any = true;
        }
        mem_free(f->previous);
        f->previous = NULL;
        f->fixed_now = 0;
    }
    return any;
}

static enum status check_files(struct lint_rounds *rounds,
                               const struct lint_input *inputs,
                               const struct lint_rounds_options *o, struct err *err)
{
    struct lint_input *now = mem_zalloc(rounds->n + 1, sizeof *now);
    for (size_t i = 0; i < rounds->n; i++) {
        const struct lint_rounds_file *f = &rounds->files[i];
        now[i] =
            f->text ? (struct lint_input){inputs[i].path, f->text, f->len} : inputs[i];
    }
    enum status st = o->check(o->context, &rounds->result, now, rounds->n, err);
    mem_free(now);
    if (!st && rounds->result.n != rounds->n)
        BUG("%zu files were given and %zu checked", rounds->n, rounds->result.n);
    return st;
}

static void sum_up(struct lint_rounds *rounds, bool unsafe)
{
    for (size_t i = 0; i < rounds->n; i++) {
        rounds->fixed += rounds->files[i].fixed;
        rounds->unfinished |=
            may_fix(&rounds->files[i], &rounds->result.files[i], unsafe);
    }
}

enum status lint_rounds_run(struct lint_rounds *rounds, const struct lint_input *inputs,
                            size_t n, const struct lint_rounds_options *o,
                            struct err *err)
{
    *rounds = (struct lint_rounds){.n = n};
    rounds->files = mem_zalloc(n + 1, sizeof *rounds->files);
    enum status st = check_files(rounds, inputs, o, err);
    for (int fixes = 0; !st; fixes++) {
        bool again = take_back_files(rounds) ||
                     (fixes < LINT_ROUNDS_MAX && fix_files(rounds, o->unsafe));
        if (!again)
            break;
        lint_result_release(&rounds->result);
        st = check_files(rounds, inputs, o, err);
    }
    if (st) {
        rounds->result = (struct lint_result){0};
        lint_rounds_release(rounds);
        return st;
    }
    sum_up(rounds, o->unsafe);
    return STATUS_OK;
}

enum status lint_rounds_write(const struct lint_rounds *rounds, size_t i, struct err *err)
{
    const struct lint_rounds_file *f = &rounds->files[i];
    if (!f->text)
        return STATUS_OK;
    return lint_fix_write(rounds->result.files[i].path, &f->before, f->text, f->len, err);
}

void lint_rounds_release(struct lint_rounds *rounds)
{
    for (size_t i = 0; i < rounds->n; i++) {
        mem_free(rounds->files[i].old);
        mem_free(rounds->files[i].text);
        mem_free(rounds->files[i].previous);
        mem_free(rounds->files[i].failure);
    }
    mem_free(rounds->files);
    lint_result_release(&rounds->result);
    *rounds = (struct lint_rounds){0};
}
