/* Any bytes as a Python source, through every rule of lint, which takes most of the time,
 * and one in FACTS_EVERY through its facts alone: findings, loops and calls stand on
 * lines of the text and in their order. */
#include "source/lint.h"
#include "source/source_facts.h"

#include <stdlib.h>
#include <string.h>

enum { FACTS_EVERY = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int32_t count_lines(const char *text, size_t len)
{
    int32_t lines = 1;
    for (size_t i = 0; i < len; i++)
        lines += text[i] == '\n';
    return lines;
}

static void read_facts(const char *text, size_t len, int32_t lines)
{
    struct source_facts f;
    struct err err = ERR_INIT;
    if (source_facts_read(&f, text, len, "fuzz.py", &err)) {
        if (!*err.text)
            abort();
        return;
    }
    for (size_t i = 0; i < f.n_loops; i++)
        if (f.loops[i].parent >= (int32_t)i || f.loops[i].end_line > lines)
            abort();
    for (size_t i = 0; i < f.n_calls; i++) {
        if (f.calls[i].line < 1 || f.calls[i].line > lines || f.calls[i].end_byte > len)
            abort();
        source_call_in_training_step(&f, &f.calls[i]);
    }
    source_facts_release(&f);
}

static void run_rules(const char *text, size_t len, int32_t lines)
{
    struct lint_report r;
    struct err err = ERR_INIT;
    if (lint_text(&r, text, len, "fuzz.py", &err)) {
        if (!*err.text)
            abort();
        return;
    }
    for (size_t i = 0; i < r.n; i++) {
        const struct lint_finding *f = &r.findings[i];
        if (f->line < 1 || f->line > lines || !f->text || !f->form->fix ||
            (i && f->line < r.findings[i - 1].line))
            abort();
    }
    lint_report_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size ? (const char *)data : "";
    if (!source_available())
        return 0;
    int32_t lines = count_lines(text, size);
    if ((size + (size_t)lines) % FACTS_EVERY == 0)
        read_facts(text, size, lines);
    run_rules(text, size, lines);
    return 0;
}
