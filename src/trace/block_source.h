/*
 * The text of a trace in blocks, cut where an event seems to begin, so that several
 * threads can parse blocks at once. A cut is a guess (an event's name may look like an
 * event): whoever puts the blocks together checks it (block_reader.h).
 *
 * One thread at a time asks for a block; with compressed text, it decompresses while the
 * others parse.
 */
#ifndef GAIT_TRACE_BLOCK_SOURCE_H
#define GAIT_TRACE_BLOCK_SOURCE_H

#include "trace/byte_source.h"

enum { BLOCK_BYTES_DEFAULT = 1 << 20, BLOCK_BYTES_MIN = 64 };

struct block {
    char *text; /* (len), and TEXT_PADDING spaces behind it; the block's own */
    size_t len; /* may be 0 for the last one */
    size_t cap;
    int64_t offset; /* of text[0] in the whole */
    int64_t order;  /* 0, 1, … */
    bool at_event;  /* an event seems to begin at text[0] */
    bool last;
};

void block_init(struct block *b);
void block_release(struct block *b);

struct block_source {
    struct byte_source *source; /* not owned */
    size_t block_bytes;
    char *tail; /* (tail_len) behind the cut: the next block begins with it */
    size_t tail_len, tail_cap;
    int64_t offset, order; /* of the next block */
    bool at_event;         /* the next block begins at an event */
    bool over;
};

/* block_bytes: 0 for the default; small ones are for tests. */
void block_source_init(struct block_source *s, struct byte_source *source,
                       size_t block_bytes);
void block_source_release(struct block_source *s);

/* The next block into b, whose memory is used again; false behind the last one. */
bool block_source_next(struct block_source *s, struct block *b);

#endif
