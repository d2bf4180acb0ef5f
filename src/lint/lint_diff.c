#include "lint/lint_diff.h"

#include "base/json_writer.h"
#include "base/mem.h"
#include "base/path.h"
#include "lint/line_diff.h"

#include <string.h>

enum { CONTEXT = 3 };

/* Lines old..old_end become new..new_end. */
struct change {
    size_t old, old_end, new, new_end;
};

/* --- the path */

/* Bytes that patch and git read only as escapes, or that would drive a terminal. */
static bool is_plain(const char *s, size_t len, int *bytes)
{
    *bytes = utf8_sequence_len(s, len);
    unsigned char c = (unsigned char)s[0];
    if (*bytes <= 1)
        return *bytes && c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
    return !(*bytes == 2 && c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

static bool needs_quotes(const char *path)
{
    size_t len = strlen(path);
    int bytes;
    for (size_t i = 0; i < len; i += (size_t)bytes)
        if (!is_plain(path + i, len - i, &bytes))
            return true;
    return false;
}

static void put_quoted(struct strbuf *out, const char *path)
{
    size_t len = strlen(path);
    int bytes;
    strbuf_putc(out, '"');
    for (size_t i = 0; i < len; i += (size_t)bytes) {
        if (is_plain(path + i, len - i, &bytes)) {
            strbuf_add(out, path + i, (size_t)bytes);
            continue;
        }
        bytes = 1;
        strbuf_printf(out, "\\%03o", (unsigned)(unsigned char)path[i]);
    }
    strbuf_putc(out, '"');
}

/* A tab ends a name that has blanks; git refuses names that begin with "./". */
static void put_header(struct strbuf *out, const char *mark, const char *given)
{
    char *path = path_plain(given);
    strbuf_printf(out, "%s ", mark);
    if (needs_quotes(path))
        put_quoted(out, path);
    else
        strbuf_printf(out, "%s%s", path, strchr(path, ' ') ? "\t" : "");
    strbuf_putc(out, '\n');
    mem_free(path);
}

/* --- hunks */

static void put_line(struct strbuf *out, char mark, const struct line_list *l, size_t i)
{
    strbuf_putc(out, mark);
    strbuf_add(out, l->text + l->begin[i], l->begin[i + 1] - l->begin[i]);
    if (l->text[l->begin[i + 1] - 1] != '\n')
        strbuf_puts(out, "\n\\ No newline at end of file\n");
}

/* Lines from 0 on; an empty range is named by the line before it. */
static void put_range(struct strbuf *out, char mark, size_t begin, size_t end)
{
    size_t n = end - begin;
    strbuf_printf(out, "%c%zu", mark, n ? begin + 1 : begin);
    if (n != 1)
        strbuf_printf(out, ",%zu", n);
}

static void put_hunk(struct strbuf *out, const struct line_diff *d,
                     const struct change *h)
{
    strbuf_puts(out, "@@ ");
    put_range(out, '-', h->old, h->old_end);
    strbuf_putc(out, ' ');
    put_range(out, '+', h->new, h->new_end);
    strbuf_puts(out, " @@\n");
    for (size_t i = h->old, j = h->new; i < h->old_end || j < h->new_end;) {
        if (i < h->old_end && d->old.differs[i])
            put_line(out, '-', &d->old, i++);
        else if (j < h->new_end && d->new.differs[j])
            put_line(out, '+', &d->new, j++);
        else
            put_line(out, ' ', &d->old, i++), j++;
    }
}

/* The next lines that differ, from line old of the one and new of the other on, which
 * belong together. False: there are none. */
static bool next_change(struct change *c, const struct line_diff *d, size_t old,
                        size_t new)
{
    while (old < d->old.n && new < d->new.n && !d->old.differs[old] &&
           !d->new.differs[new])
        old++, new ++;
    *c = (struct change){old, old, new, new};
    while (c->old_end < d->old.n && d->old.differs[c->old_end])
        c->old_end++;
    while (c->new_end < d->new.n && d->new.differs[c->new_end])
        c->new_end++;
    return c->old_end > old || c->new_end > new;
}

static void add_context(struct change *hunk, const struct line_diff *d)
{
    size_t before = hunk->old < CONTEXT ? hunk->old : CONTEXT;
    size_t left = d->old.n - hunk->old_end;
    size_t behind = left < CONTEXT ? left : CONTEXT;
    hunk->old -= before;
    hunk->new -= before;
    hunk->old_end += behind;
    hunk->new_end += behind;
}

/* Changes with at most two contexts between them are one hunk. */
static void put_hunks(struct strbuf *out, const struct line_diff *d)
{
    struct change hunk, next;
    bool more = next_change(&hunk, d, 0, 0);
    while (more) {
        while ((more = next_change(&next, d, hunk.old_end, hunk.new_end)) &&
               next.old - hunk.old_end <= 2 * CONTEXT) {
            hunk.old_end = next.old_end;
            hunk.new_end = next.new_end;
        }
        add_context(&hunk, d);
        put_hunk(out, d, &hunk);
        hunk = next;
    }
}

void lint_diff_write(struct strbuf *out, const char *path, const char *old,
                     size_t old_len, const char *new, size_t new_len)
{
    struct line_diff d;
    if (old_len == new_len && !memcmp(old, new, old_len))
        return;
    line_diff_init(&d, old, old_len, new, new_len);
    put_header(out, "---", path);
    put_header(out, "+++", path);
    put_hunks(out, &d);
    line_diff_release(&d);
}
