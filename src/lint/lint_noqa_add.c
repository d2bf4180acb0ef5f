/* Findings are in the order of the text, and so are the lines where their comments go:
 * one pass over both. */
#include "lint/lint_noqa.h"

#include "base/mem.h"
#include "base/strbuf.h"
#include "lint/lint_noqa_directive.h"

#include <stdlib.h>
#include <string.h>

struct noqa_adder {
    struct lint_result *result;
    const struct lint_file *file;
    const char *text;
    size_t len;
    size_t at; /* first byte of line */
    int32_t line;
    struct noqa_directives all;
    struct lint_edit *edit;
    size_t n, cap;
};

static void go_to_line(struct noqa_adder *a, int32_t line)
{
    while (a->line < line && a->at < a->len) {
        const char *end = memchr(a->text + a->at, '\n', a->len - a->at);
        a->at = end ? (size_t)(end - a->text) + 1 : a->len;
        a->line++;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f';
}

/* A comment behind all that the line holds, in place of blanks at its end. */
static struct lint_edit edit_at_end(const struct noqa_adder *a, const char *comment)
{
    const char *newline = memchr(a->text + a->at, '\n', a->len - a->at);
    size_t end = newline ? (size_t)(newline - a->text) : a->len;
    if (end > a->at && a->text[end - 1] == '\r')
        end--;
    size_t begin = end;
    while (begin > a->at && is_blank(a->text[begin - 1]))
        begin--;
    return (struct lint_edit){(uint32_t)begin, (uint32_t)end, comment};
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted, each once. */
static void join(struct strbuf *out, const char **word, size_t n)
{
    qsort(word, n, sizeof *word, compare_words);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(word[i], word[i - 1]) != 0)
            strbuf_printf(out, "%s%s", i ? ", " : "", word[i]);
}

/* findings[0..n) have their comment in this line. */
static void add_comment(struct noqa_adder *a, const struct lint_finding *findings,
                        size_t n, int32_t line)
{
    struct arena *memory = &a->result->text;
    const struct noqa_directive *d = noqa_of_line(&a->all, line);
    if (d && d->blanket) /* it suppresses them already */
        return;
    size_t old = d ? d->n_codes : 0;
    const char **word = mem_zalloc(n + old, sizeof *word);
    for (size_t i = 0; i < n; i++)
        word[i] = findings[i].rule->code;
    for (size_t i = 0; i < old; i++) {
        const struct noqa_code *c = &a->all.code[d->first_code + i];
        word[n + i] = arena_strndup(memory, c->s, c->len);
    }
    struct strbuf text;
    strbuf_init(&text);
    strbuf_puts(&text, d ? " " : "  # noqa: ");
    join(&text, word, n + old);
    if (d && !old && !strchr(" \t,", d->comment->text[d->codes_begin]))
        strbuf_putc(&text, ' '); /* "# noqa:because"; strchr() finds the end too */
    const char *kept = arena_strdup(memory, text.s);
    go_to_line(a, line);
    vec_grow(a->edit, a->cap, a->n + 1);
    a->edit[a->n++] = d ? (struct lint_edit){d->comment->begin + (uint32_t)d->codes_begin,
                                             d->comment->begin + (uint32_t)d->end, kept}
                        : edit_at_end(a, kept);
    strbuf_release(&text);
    mem_free(word);
}

static bool is_suppressible(const struct lint_finding *f)
{
    return strcmp(f->rule->code, "GT001") != 0;
}

static void add_comments(struct noqa_adder *a)
{
    const struct lint_file *file = a->file;
    struct lint_finding *left = mem_zalloc(file->n + 1, sizeof *left);
    size_t n = 0;
    for (size_t i = 0; i < file->n; i++)
        if (is_suppressible(&file->findings[i]))
            left[n++] = file->findings[i];
    for (size_t first = 0, end; first < n; first = end) {
        int32_t line = noqa_line(file, left[first].line);
        for (end = first + 1; end < n && noqa_line(file, left[end].line) == line;)
            end++;
        add_comment(a, left + first, end - first, line);
    }
    mem_free(left);
}

size_t lint_noqa_additions(const struct lint_edit **edits, struct lint_result *r,
                           const struct lint_file *file, const char *text, size_t len)
{
    struct noqa_adder a = {
        .result = r, .file = file, .text = text, .len = len, .line = 1};
    *edits = NULL;
    if (file->failure || file->error_line)
        return 0;
    noqa_read(&a.all, file);
    add_comments(&a);
    struct lint_edit *kept = arena_alloc(&r->text, a.n * sizeof *kept + 1);
    if (a.n)
        memcpy(kept, a.edit, a.n * sizeof *kept);
    *edits = kept;
    mem_free(a.edit);
    noqa_release(&a.all);
    return a.n;
}
