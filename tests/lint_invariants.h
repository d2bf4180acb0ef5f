/*
 * What must hold of lint's answer to any text at all; for the fuzz target and the mutants.
 */
#ifndef GAIT_TESTS_LINT_INVARIANTS_H
#define GAIT_TESTS_LINT_INVARIANTS_H

#include "lint/lint_check.h"
#include "lint/lint_fix.h"

#include <string.h>

static inline int32_t text_line_count(const char *text, size_t len)
{
    int32_t lines = 1;
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Each returns what is wrong, or NULL. */
static inline const char *wrong_edits(const struct lint_finding *f, size_t len)
{
    uint32_t at = 0;
    for (size_t i = 0; i < f->n_edits; i++) {
        const struct lint_edit *e = &f->edits[i];
        if (e->begin < at || e->end < e->begin || e->end > len || !e->text)
            return "edits are not in order or leave the text";
        at = e->end;
    }
    if ((f->n_edits == 0) != (f->safety == LINT_ADVICE))
        return "what can be fixed has edits, and nothing else has";
    return NULL;
}

static inline const char *wrong_finding(const struct lint_finding *f, size_t len,
                                        int32_t lines)
{
    if (f->begin > f->end || f->end > len || f->line < 1 || f->end_line > lines ||
        f->end_line < f->line || f->column < 1 || f->end_column < 1)
        return "a finding leaves the text";
    if (f->caret < 0 || f->caret_width < 1 || !f->source || !f->advice)
        return "a finding cannot be shown";
    return wrong_edits(f, len);
}

static inline const char *wrong_file(const struct lint_file *f, size_t len, int32_t lines)
{
    for (size_t i = 0; i < f->n; i++) {
        const char *wrong = wrong_finding(&f->findings[i], len, lines);
        if (wrong)
            return wrong;
        if (i && f->findings[i].begin < f->findings[i - 1].begin)
            return "findings are not in the order of the text";
    }
    for (size_t i = 0; i < f->n_comments; i++)
        if (f->comments[i].end > len || f->comments[i].line > lines)
            return "a comment leaves the text";
    return NULL;
}

/* A fix of text that is all Python is Python too. */
static inline const char *wrong_fix(const struct lint_file *f, const char *text,
                                    size_t len, struct err *err)
{
    struct lint_fixed fixed;
    struct lint_source source = {.text = text, .len = len};
    const char *wrong = NULL;
    lint_fix_apply(&fixed, f, &source, true);
    if (fixed.applied && !f->error_line) {
        struct lint_result again;
        struct lint_input input = {f->path, fixed.text.s, fixed.text.len};
        struct lint_check_options o = {.threads = 1};
        if (lint_check(&again, &input, 1, &o, err))
            return "the fixed text cannot be checked";
        if (again.files[0].failure || again.files[0].error_line)
            wrong = "the fixed text is not Python";
        lint_result_release(&again);
    }
    lint_fixed_release(&fixed);
    return wrong;
}

/* *failure: was the text refused? */
static inline const char *lint_wrong(const char *text, size_t len, bool *refused)
{
    struct err err = ERR_INIT;
    struct lint_result r;
    struct lint_input input = {"/nowhere/program.py", text, len};
    struct lint_check_options o = {.threads = 1};
    if (lint_check(&r, &input, 1, &o, &err))
        return "the check failed";
    const struct lint_file *f = &r.files[0];
    *refused = f->failure != NULL;
    const char *wrong = wrong_file(f, len, text_line_count(text, len));
    if (f->failure && (!*f->failure || f->n))
        wrong = "a refused file has findings, or no reason";
    if (!wrong && f->n)
        wrong = wrong_fix(f, text, len, &err);
    lint_result_release(&r);
    return wrong;
}

#endif
