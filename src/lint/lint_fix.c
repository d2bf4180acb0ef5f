/*
 * The edits that are to be applied are kept in the order of the text. Invariant: between
 * two edits of different findings there is at least one byte, so that no edit sees text
 * that another one has changed.
 */
#include "lint/lint_fix.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/new_file.h"

#include <string.h>
#include <unistd.h>

/* More than source/ reads of one: what is larger has no findings, or was changed. */
enum { FILE_BYTES_MAX = 1 << 24 };

struct edit_list {
    struct lint_edit *edit; /* (n) ascending */
    size_t n, cap;
};

static enum status changed(const char *path, struct err *err)
{
    return err_set(err, STATUS_INPUT,
                   "%s was changed since it was checked; run gait lint again", path);
}

enum status lint_source_read(struct lint_source *s, const struct lint_file *file,
                             struct err *err)
{
    *s = (struct lint_source){.text = file->text, .len = file->len};
    if (!file->text) {
        enum status st = file_read(&s->read, &s->len, file->path, FILE_BYTES_MAX, err);
        if (st)
            return st;
        s->text = s->read;
    }
    struct content_hash_text hash = content_hash_of(s->text, s->len);
    if (!strcmp(hash.s, file->hash.s))
        return STATUS_OK;
    lint_source_release(s);
    return changed(file->path, err);
}

void lint_source_release(struct lint_source *s)
{
    mem_free(s->read);
    *s = (struct lint_source){0};
}

/* The first of the list that ends at this edit's begin or behind it. */
static size_t place_of(const struct edit_list *list, const struct lint_edit *e)
{
    size_t low = 0, high = list->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->edit[middle].end < e->begin)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_free(const struct edit_list *list, const struct lint_finding *f)
{
    for (size_t i = 0; i < f->n_edits; i++) {
        size_t at = place_of(list, &f->edits[i]);
        if (at < list->n && list->edit[at].begin <= f->edits[i].end)
            return false;
    }
    return true;
}

/* Those of one finding may touch: the place is looked for behind the one before. */
static void take_edits(struct edit_list *list, const struct lint_finding *f)
{
    vec_grow(list->edit, list->cap, list->n + f->n_edits);
    size_t least = 0;
    for (size_t i = 0; i < f->n_edits; i++) {
        size_t at = place_of(list, &f->edits[i]);
        at = at > least ? at : least;
        memmove(&list->edit[at + 1], &list->edit[at],
                (list->n - at) * sizeof *list->edit);
        list->edit[at] = f->edits[i];
        list->n++;
        least = at + 1;
    }
}

static void check_edits(const struct lint_file *file, const struct lint_finding *f,
                        size_t len)
{
    uint32_t at = 0;
    for (size_t i = 0; i < f->n_edits; i++) {
        const struct lint_edit *e = &f->edits[i];
        if (e->begin < at || e->end < e->begin || e->end > len)
            BUG("%s: edit %zu of %s is not in order", file->path, i, f->rule->code);
        at = e->end;
    }
}

static bool is_wanted(const struct lint_finding *f, bool unsafe)
{
    return f->n_edits && (f->safety == LINT_SAFE || (unsafe && f->safety == LINT_UNSAFE));
}

/* As Python itself reads a file, its first line end says which it uses. */
static bool has_crlf(const struct lint_source *s)
{
    const char *end = s->len ? memchr(s->text, '\n', s->len) : NULL;
    return end && end > s->text && end[-1] == '\r';
}

static void add_text(struct strbuf *out, const char *text, bool crlf)
{
    for (const char *s = text; *s; s++) {
        if (crlf && *s == '\n' && (s == text || s[-1] != '\r'))
            strbuf_putc(out, '\r');
        strbuf_putc(out, *s);
    }
}

static void write_text(struct strbuf *out, const struct lint_source *s,
                       const struct edit_list *list)
{
    bool crlf = has_crlf(s);
    size_t at = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct lint_edit *e = &list->edit[i];
        strbuf_add(out, s->text + at, e->begin - at);
        add_text(out, e->text, crlf);
        at = e->end;
    }
    strbuf_add(out, s->text + at, s->len - at);
}

void lint_fix_apply(struct lint_fixed *fixed, const struct lint_file *file,
                    const struct lint_source *source, bool unsafe)
{
    struct edit_list list = {0};
    *fixed = (struct lint_fixed){0};
    for (size_t i = 0; i < file->n; i++) {
        const struct lint_finding *f = &file->findings[i];
        if (!is_wanted(f, unsafe))
            continue;
        check_edits(file, f, source->len);
        if (is_free(&list, f)) {
            take_edits(&list, f);
            fixed->applied++;
        } else {
            fixed->waiting++;
        }
    }
    strbuf_init(&fixed->text);
    write_text(&fixed->text, source, &list);
    mem_free(list.edit);
}

void lint_fixed_release(struct lint_fixed *fixed)
{
    strbuf_release(&fixed->text);
}

/* A rename would replace it all the same: the mode is the owner's wish. */
static enum status check_mode(const char *path, struct err *err)
{
    return access(path, W_OK) ? file_err(err, "write", path) : STATUS_OK;
}

enum status lint_fix_write(const char *path, const struct content_hash_text *before,
                           const char *text, size_t len, struct err *err)
{
    struct content_hash_text now;
    struct new_file f;
    enum status st = check_mode(path, err);
    if (!st)
        st = new_file_open(&f, path, NEW_FILE_REGULAR, err);
    if (st)
        return st;
    if (!write_fully(f.fd, text, len))
        st = file_err(err, "write", path);
    if (!st)
        st = content_hash_file(&now, path, err);
    if (!st && strcmp(now.s, before->s) != 0)
        st = changed(path, err);
    if (!st)
        return new_file_commit(&f, err);
    new_file_discard(&f);
    return st;
}
