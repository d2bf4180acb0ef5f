#include "data/text_reader.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void text_reader_files(struct text_reader *r, const struct tokenizer *t,
                       const char *const *path, size_t paths, uint64_t max_chars)
{
    *r = (struct text_reader){.tokenizer = t,
                              .chunk_bytes = TEXT_CHUNK_BYTES,
                              .max_bytes = TEXT_CHUNK_MAX_BYTES,
                              .chars_left = max_chars ? max_chars : UINT64_MAX,
                              .path = path,
                              .paths = paths,
                              .fd = -1};
}

void text_reader_memory(struct text_reader *r, const struct tokenizer *t,
                        const char *text, size_t len)
{
    *r = (struct text_reader){.tokenizer = t,
                              .chunk_bytes = TEXT_CHUNK_BYTES,
                              .max_bytes = TEXT_CHUNK_MAX_BYTES,
                              .text = text,
                              .text_len = len,
                              .fd = -1};
}

void text_reader_release(struct text_reader *r)
{
    if (r->fd >= 0)
        close(r->fd);
    mem_free(r->held);
    *r = (struct text_reader){.fd = -1};
}

/* The last place where text[0..len) may be cut, or 0. */
static size_t last_cut(const struct tokenizer *t, const char *text, size_t len)
{
    size_t at = len ? len - 1 : 0;
    while (at && !tokenizer_may_cut(t, text, len, at))
        at--;
    return at;
}

static enum status err_in(struct err *err, struct err *why, const char *path)
{
    err_prefix(why, "%s", path);
    return err_set_at(err, why->status, why->offset, "%s", why->text);
}

static enum status no_cut(const struct text_reader *r, const char *path, const char *text,
                          size_t len, struct err *err)
{
    struct err why = ERR_INIT;
    /* the likelier cause; the last character may be cut */
    if (r->tokenizer->kind != TOKENIZER_BYTES &&
        utf8_check(text, len - UTF8_MAX_BYTES, r->at, &why))
        return err_in(err, &why, path);
    return err_set_at(err, STATUS_INPUT, (int64_t)r->at,
                      "%s: no word ends in the %zu bytes after byte %llu; is "
                      "it a text?",
                      path, len, (unsigned long long)r->at);
}

static enum status get_from_memory(struct text_reader *r, struct text_chunk *chunk,
                                   bool *end, struct err *err)
{
    const char *text = r->text + r->at;
    size_t left = r->text_len - (size_t)r->at, window = r->chunk_bytes, cut = 0;
    *end = !left;
    if (!left)
        return STATUS_OK;
    while (window < left && !(cut = last_cut(r->tokenizer, text, window)))
        window *= 2;
    if (!cut)
        cut = left;
    if (cut > r->max_bytes)
        return no_cut(r, "the text", text, cut, err);
    *chunk =
        (struct text_chunk){.text = text, .len = cut, .at = r->at, .last = cut == left};
    r->at += cut;
    return STATUS_OK;
}

/* Read up to `want` bytes behind buffer[len]; fewer only at the end of the file. */
static enum status read_more(struct text_reader *r, char *buffer, size_t *len,
                             size_t want, struct err *err)
{
    while (*len < want) {
        ssize_t got = read(r->fd, buffer + *len, want - *len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return file_err(err, "read", r->path[r->next_path - 1]);
        if (!got)
            break;
        *len += (size_t)got;
    }
    return STATUS_OK;
}

/* How many of the new bytes text[from..len) stay within the limit of characters. */
static size_t within_limit(struct text_reader *r, const char *text, size_t from,
                           size_t len)
{
    if (r->chars_left == UINT64_MAX)
        return len;
    for (size_t i = from; i < len; i++) {
        if (utf8_is_inside(text[i]))
            continue;
        if (!r->chars_left)
            return i;
        r->chars_left--;
    }
    return len;
}

/* Fill a buffer of its own: what was held, and more. *whole: the file ends there. */
static enum status fill(struct text_reader *r, char **buffer, size_t *len, size_t want,
                        bool *whole, struct err *err)
{
    size_t before = *len;
    *buffer = mem_resize(*buffer, want + 1, 1);
    enum status st = read_more(r, *buffer, len, want, err);
    size_t kept = within_limit(r, *buffer, before, *len);
    *whole = *len < want || kept < *len;
    *len = kept;
    return st;
}

static enum status open_next(struct text_reader *r, bool *end, struct err *err)
{
    *end = r->next_path == r->paths || !r->chars_left;
    if (*end)
        return STATUS_OK;
    const char *path = r->path[r->next_path++];
    r->at = 0;
    return file_open_input(&r->fd, path, err);
}

static void close_file(struct text_reader *r)
{
    close(r->fd);
    r->fd = -1;
}

/* Buffer[0..len) to the chunk up to the cut, the rest is held. */
static void hand_out(struct text_reader *r, struct text_chunk *chunk, char *buffer,
                     size_t len, size_t cut, bool whole)
{
    r->held_len = len - cut;
    if (r->held_len) {
        r->held = mem_alloc(r->held_len);
        memcpy(r->held, buffer + cut, r->held_len);
    }
    *chunk = (struct text_chunk){.text = buffer,
                                 .len = cut,
                                 .owned = buffer,
                                 .path = r->path[r->next_path - 1],
                                 .at = r->at,
                                 .last = whole};
    r->at += cut;
    r->bytes += cut;
    if (whole)
        close_file(r);
}

static enum status get_from_file(struct text_reader *r, struct text_chunk *chunk,
                                 bool *end, struct err *err)
{
    enum status st = STATUS_OK;
    *end = false;
    if (r->fd < 0)
        st = open_next(r, end, err);
    if (st || *end)
        return st;
    char *buffer = r->held;
    size_t len = r->held_len, want = len + r->chunk_bytes, cut = 0;
    bool whole = false;
    r->held = NULL;
    r->held_len = 0;
    while (!st && !cut) {
        st = fill(r, &buffer, &len, want, &whole, err);
        if (st || whole)
            break;
        cut = last_cut(r->tokenizer, buffer, len);
        if (!cut && want > r->max_bytes)
            st = no_cut(r, r->path[r->next_path - 1], buffer, len, err);
        want *= 2;
    }
    if (st) {
        mem_free(buffer);
        return st;
    }
    hand_out(r, chunk, buffer, len, whole ? len : cut, whole);
    return STATUS_OK;
}

enum status text_reader_get(void *reader, struct text_chunk *chunk, bool *end,
                            struct err *err)
{
    struct text_reader *r = reader;
    return r->text ? get_from_memory(r, chunk, end, err)
                   : get_from_file(r, chunk, end, err);
}

enum status text_reader_learn_chars(struct tokenizer *t, const char *const *path,
                                    size_t paths, uint64_t max_chars, struct err *err)
{
    /* Cut between characters, whatever they are. */
    const struct tokenizer any = {.kind = TOKENIZER_CHARS};
    struct text_reader r;
    struct text_chunk chunk;
    uint8_t *seen = mem_zalloc(UNICODE_CODES, 1);
    bool end = false;
    text_reader_files(&r, &any, path, paths, max_chars);
    enum status st = text_reader_get(&r, &chunk, &end, err);
    while (!st && !end) {
        struct err why = ERR_INIT;
        st = char_vocab_mark(seen, chunk.text, chunk.len, chunk.at, &why);
        if (st)
            err_in(err, &why, chunk.path);
        mem_free(chunk.owned);
        if (!st)
            st = text_reader_get(&r, &chunk, &end, err);
    }
    *t = (struct tokenizer){.kind = TOKENIZER_CHARS};
    if (!st)
        char_vocab_from_marks(&t->chars, seen);
    t->n = t->chars.n;
    text_reader_release(&r);
    mem_free(seen);
    return st;
}
