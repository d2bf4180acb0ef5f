/* Findings made by hand, in texts that tests give. */
#ifndef GAIT_TESTS_LINT_FIXTURE_H
#define GAIT_TESTS_LINT_FIXTURE_H

#include "base/mem.h"
#include "base/status.h"
#include "base/strbuf.h"
#include "lint/lint.h"
#include "lint/lint_check.h"

#include <string.h>

enum { FIXTURE_SYNC, FIXTURE_COPY, FIXTURE_ODD, FIXTURE_RULES, FIXTURE_EDITS_MAX = 8 };

static const struct lint_rule fixture_rules[FIXTURE_RULES] = {
    {.code = "GT101",
     .name = "sync-item",
     .title = "the host waits for the device in every step",
     .why = "reading a value copies it from the device; the host stops until all queued "
            "work is done, and launches nothing meanwhile",
     .fix = "add the value up on the device (total += x.detach()) and read it every N "
            "steps",
     .priced_by = "host-wait",
     .on = true,
     .query = ""},
    {.code = "GT203",
     .name = "blocking-copy",
     .title = "the copy to the device blocks",
     .why = "the host waits until the batch has arrived",
     .fix = "pass non_blocking=True",
     .priced_by = "blocking-copy pageable-copy",
     .on = true,
     .query = ""},
    {.code = "GT999",
     .name = "odd-text",
     .title = "braces {0}, a link [here](1), \"quotes\" and 100 %: all of it, as text",
     .why = "{placeholders} and [links](0)",
     .fix = "write f\"{x[0](1)}\", not \\ or %0A",
     .priced_by = "",
     .query = ""},
};

static inline struct lint_file *fixture_file(struct lint_result *r, const char *path,
                                             const char *text, size_t len)
{
    vec_grow(r->files, r->cap, r->n + 1);
    r->files[r->n] = (struct lint_file){
        .path = path, .text = text, .len = len, .hash = content_hash_of(text, len)};
    return &r->files[r->n++];
}

static inline void fixture_place(const char *text, uint32_t byte, int32_t *line,
                                 int32_t *column)
{
    *line = *column = 1;
    for (uint32_t i = 0; i < byte; i++) {
        *column += ((unsigned char)text[i] & 0xc0) != 0x80;
        if (text[i] == '\n') {
            *column = 1;
            ++*line;
        }
    }
}

static inline struct lint_finding *fixture_finding(struct lint_result *r,
                                                   struct lint_file *file, int rule,
                                                   uint32_t begin, uint32_t end)
{
    uint32_t from = begin, to = begin;
    while (from && file->text[from - 1] != '\n')
        from--;
    while (to < file->len && file->text[to] != '\n')
        to++;
    vec_grow(file->findings, file->cap, file->n + 1);
    struct lint_finding *f = &file->findings[file->n++];
    *f = (struct lint_finding){
        .rule = &fixture_rules[rule],
        .begin = begin,
        .end = end,
        .source = arena_strndup(&r->text, file->text + from, to - from),
        .caret_width = (int32_t)(end - begin),
        .advice = fixture_rules[rule].fix,
    };
    fixture_place(file->text, begin, &f->line, &f->column);
    fixture_place(file->text, end, &f->end_line, &f->end_column);
    f->caret = f->column - 1;
    return f;
}

/* Where needle stands in a file's text; a bug where it does not. */
static inline uint32_t fixture_find(const struct lint_file *file, const char *needle)
{
    size_t n = strlen(needle);
    for (size_t i = 0; i + n <= file->len; i++)
        if (!memcmp(file->text + i, needle, n))
            return (uint32_t)i;
    BUG("no \"%s\" in %s", needle, file->path);
}

static inline struct lint_finding *
fixture_at(struct lint_result *r, struct lint_file *file, int rule, const char *needle)
{
    uint32_t at = fixture_find(file, needle);
    return fixture_finding(r, file, rule, at, at + (uint32_t)strlen(needle));
}

/* In the order of the text. */
static inline void fixture_edit(struct lint_result *r, struct lint_finding *f,
                                enum lint_safety safety, uint32_t begin, uint32_t end,
                                const char *text)
{
    struct lint_edit *edits = arena_alloc(&r->text, FIXTURE_EDITS_MAX * sizeof *edits);
    if (f->n_edits == FIXTURE_EDITS_MAX)
        BUG("more than %d edits", FIXTURE_EDITS_MAX);
    if (f->n_edits)
        memcpy(edits, f->edits, f->n_edits * sizeof *edits);
    edits[f->n_edits++] = (struct lint_edit){begin, end, arena_strdup(&r->text, text)};
    f->edits = edits;
    f->safety = safety;
}

#endif
