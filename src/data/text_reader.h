/*
 * Texts as chunks that may be encoded alone: files one after the other, each a document,
 * or one text in memory. A file larger than memory is no matter: one chunk is held at a
 * time, and what stands behind its last sure cut goes with the next.
 */
#ifndef GAIT_DATA_TEXT_READER_H
#define GAIT_DATA_TEXT_READER_H

#include "base/status.h"
#include "data/encode_pool.h"
#include "data/tokenizer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TEXT_CHUNK_BYTES = 1 << 20, TEXT_CHUNK_MAX_BYTES = 64 << 20 };

struct text_reader {
    const struct tokenizer *tokenizer;
    size_t chunk_bytes;
    size_t max_bytes;    /* of a chunk that finds no cut */
    uint64_t chars_left; /* of all files; UINT64_MAX: no limit */
    /* The source: paths, or a text in memory. */
    const char *const *path; /* (paths) */
    size_t paths, next_path;
    const char *text; /* (text_len) */
    size_t text_len;
    /* The place in it. */
    int fd; /* -1: no file is open */
    char *held;
    size_t held_len; /* read and not handed out yet */
    uint64_t at;     /* place in the file or text of what is handed out next */
    uint64_t bytes;  /* handed out of all files, for progress */
};

/* max_chars 0: all of it. What the arguments point to must outlive the reader. */
void text_reader_files(struct text_reader *r, const struct tokenizer *t,
                       const char *const *path, size_t paths, uint64_t max_chars);
void text_reader_memory(struct text_reader *r, const struct tokenizer *t,
                        const char *text, size_t len);
void text_reader_release(struct text_reader *r);

/* The `get` of an encode_job; the context is the reader. A text of a file is the chunk's
 * own. A text without a sure cut in TEXT_CHUNK_MAX_BYTES is an error. */
enum status text_reader_get(void *reader, struct text_chunk *chunk, bool *end,
                            struct err *err);

/* Learn the characters of all files; then begin again with the same files. */
enum status text_reader_learn_chars(struct tokenizer *t, const char *const *path,
                                    size_t paths, uint64_t max_chars, struct err *err);

#endif
