/*
 * Bytes as a Python text with noqa comments. Beside not crashing: edits are in order and
 * within the text; where comments are added, the new text is still whole and nothing is
 * left to find.
 */
#include "base/strbuf.h"
#include "lint/lint_noqa.h"
#include "unit/lint/rules_fixture.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void lint(struct lint_result *r, const char *text, size_t len)
{
    struct lint_input in = {.path = "a.py", .text = text, .len = len};
    struct lint_check_options o = {.threads = 1};
    struct err err = ERR_INIT;
    if (lint_check(r, &in, 1, &o, &err))
        abort();
    lint_noqa_apply(r, &o);
}

static void apply(struct strbuf *out, const char *text, size_t len,
                  const struct lint_edit *e, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (e[i].begin < at || e[i].end < e[i].begin || e[i].end > len)
            abort();
        strbuf_add(out, text + at, e[i].begin - at);
        strbuf_puts(out, e[i].text);
        at = e[i].end;
    }
    strbuf_add(out, text + at, len - at);
}

static bool is_unused_noqa(const struct lint_finding *f)
{
    return !strcmp(f->rule->code, "GT001");
}

static void check_unused(const struct lint_file *f, const char *text, size_t len)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct lint_finding *at = &f->findings[i];
        struct strbuf out;
        if (!is_unused_noqa(at))
            continue;
        if (at->n_edits != 1 || at->begin >= at->end || at->end > len)
            abort();
        strbuf_init(&out);
        apply(&out, text, len, at->edits, at->n_edits);
        if (out.len >= len)
            abort();
        strbuf_release(&out);
    }
}

static void check_additions(struct lint_result *r, const char *text, size_t len)
{
    struct strbuf out;
    struct lint_result again;
    const struct lint_edit *edits;
    size_t n = lint_noqa_additions(&edits, r, &r->files[0], text, len);
    if (!n)
        return;
    strbuf_init(&out);
    apply(&out, text, len, edits, n);
    lint(&again, out.s, out.len);
    if (again.files[0].failure || again.files[0].error_line)
        abort();
    for (size_t i = 0; i < again.files[0].n; i++)
        if (!is_unused_noqa(&again.files[0].findings[i]))
            abort();
    lint_result_release(&again);
    strbuf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lint_result r;
    const char *text = (const char *)data;
    lint(&r, size ? text : "", size);
    check_unused(&r.files[0], text, size);
    check_additions(&r, text, size);
    lint_result_release(&r);
    return 0;
}
