/*
 * Writes findings made by hand in every format, for tests/e2e/lint_outputs.py to read with
 * other people's programs.
 *
 *   write_lint json|sarif|github|junit|text FILE…   findings in these files
 *   write_lint fix|diff FILE                        the fixed file, or what differs
 *   write_lint compare PATH OLD NEW                 what differs between any two files
 *
 * Each ".item()" of a file is a finding, of each of the rules of lint_fixture.h in turn. Its
 * fix is another call; every second one also inserts a line at the top.
 */
#include "base/file.h"
#include "lint/lint_diff.h"
#include "lint/lint_fix.h"
#include "lint/lint_github.h"
#include "lint/lint_json.h"
#include "lint/lint_junit.h"
#include "lint/lint_sarif.h"
#include "lint/lint_text.h"
#include "lint_fixture.h"

#include <stdio.h>
#include <stdlib.h>

struct text {
    char *s;
    size_t len;
};

static struct text read_text(const char *path)
{
    struct text t;
    struct err err = ERR_INIT;
    if (file_read(&t.s, &t.len, path, 1 << 24, &err)) {
        fprintf(stderr, "%s\n", err.text);
        exit(3);
    }
    return t;
}

static void add_finding(struct lint_result *r, struct lint_file *file, uint32_t at)
{
    size_t i = file->n;
    uint32_t end = at + (uint32_t)strlen(".item()");
    struct lint_finding *f = fixture_finding(r, file, (int)(i % FIXTURE_RULES), at, end);
    enum lint_safety safety = i % 2 ? LINT_UNSAFE : LINT_SAFE;
    if (i % 2)
        fixture_edit(r, f, safety, 0, 0, "import torch  # {\"ü\": [😀](1)}\n");
    fixture_edit(r, f, safety, at, end, i % 3 ? ".detach()" : ".mean(  # é\n    )");
    if (i % 2)
        f->price = "measured: 3.1 ms per step (4.2 %)";
}

static void add_file(struct lint_result *r, const char *path, struct text text)
{
    static const char cause[] = ".item()";
    const size_t n = sizeof cause - 1;
    struct lint_file *file = fixture_file(r, path, text.s, text.len);
    for (size_t i = 0; i + n <= text.len; i++)
        if (!memcmp(text.s + i, cause, n))
            add_finding(r, file, (uint32_t)i);
    file->suppressed = 1;
    if (!file->n)
        file->error_line = 1;
}

static void write_fixed(struct strbuf *out, const struct lint_file *file, bool as_diff)
{
    struct lint_source source;
    struct lint_fixed fixed;
    if (lint_source_read(&source, file, NULL))
        BUG("a text that is given is what was checked");
    lint_fix_apply(&fixed, file, &source, true);
    if (as_diff)
        lint_diff_write(out, file->path, source.text, source.len, fixed.text.s,
                        fixed.text.len);
    else
        strbuf_add(out, fixed.text.s, fixed.text.len);
    lint_fixed_release(&fixed);
    lint_source_release(&source);
}

static void write_format(struct strbuf *out, const char *format,
                         const struct lint_result *r)
{
    if (!strcmp(format, "json"))
        lint_json_write(out, r, &(struct lint_json_options){.rules_checked = 3});
    else if (!strcmp(format, "sarif"))
        lint_sarif_write(
            out, r,
            &(struct lint_sarif_options){GAIT_VERSION, fixture_rules, FIXTURE_RULES});
    else if (!strcmp(format, "github"))
        lint_github_write(out, r);
    else if (!strcmp(format, "junit"))
        lint_junit_write(out, r, &(struct lint_junit_options){.n_folders = 0});
    else if (!strcmp(format, "text"))
        lint_text_write(out, r, &(struct lint_text_options){.columns = 80});
    else
        write_fixed(out, &r->files[0], !strcmp(format, "diff"));
}

static void write_findings(struct strbuf *out, char **words, int n)
{
    struct lint_result r = {0};
    struct text *texts = mem_zalloc((size_t)n, sizeof *texts);
    arena_init(&r.text);
    for (int i = 1; i < n; i++) {
        texts[i] = read_text(words[i]);
        add_file(&r, words[i], texts[i]);
    }
    lint_set_ids(&r);
    write_format(out, words[0], &r);
    for (int i = 1; i < n; i++)
        mem_free(texts[i].s);
    mem_free(texts);
    lint_result_release(&r);
}

int main(int argc, char **argv)
{
    struct strbuf out;
    if (argc < 3)
        return 2;
    strbuf_init(&out);
    if (!strcmp(argv[1], "compare") && argc == 5) {
        struct text old = read_text(argv[3]), new = read_text(argv[4]);
        lint_diff_write(&out, argv[2], old.s, old.len, new.s, new.len);
        mem_free(old.s);
        mem_free(new.s);
    } else {
        write_findings(&out, argv + 1, argc - 1);
    }
    fwrite(out.s, 1, out.len, stdout);
    strbuf_release(&out);
    return 0;
}
