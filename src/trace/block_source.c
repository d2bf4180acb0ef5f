#include "trace/block_source.h"

#include "base/mem.h"
#include "trace/resync.h"
#include "trace/text_index.h"

#include <string.h>

enum { BLOCK_BYTES_FIRST = 4 << 10 };

void block_init(struct block *b)
{
    *b = (struct block){0};
}

void block_release(struct block *b)
{
    mem_free(b->text);
    *b = (struct block){0};
}

void block_source_init(struct block_source *s, struct byte_source *source,
                       size_t block_bytes)
{
    *s = (struct block_source){.source = source};
    s->block_bytes = block_bytes ? block_bytes : BLOCK_BYTES_DEFAULT;
    if (s->block_bytes < BLOCK_BYTES_MIN)
        s->block_bytes = BLOCK_BYTES_MIN;
}

void block_source_release(struct block_source *s)
{
    mem_free(s->tail);
    *s = (struct block_source){0};
}

/* Room for more text behind what the block has, and no more than it will need: memory
 * grows with the text, so that a small trace does not take a large block. */
static void block_make_room(struct block *b, size_t want)
{
    if (b->cap > b->len + TEXT_PADDING)
        return;
    size_t text = b->len < BLOCK_BYTES_FIRST / 2 ? BLOCK_BYTES_FIRST : 2 * b->len;
    if (text > want)
        text = want;
    b->cap = text + TEXT_PADDING;
    b->text = mem_resize(b->text, b->cap, 1);
}

/* The tail of the last block, then text up to the size of a block. */
static void block_fill(struct block_source *s, struct block *b)
{
    size_t want = s->tail_len + s->block_bytes;
    vec_grow(b->text, b->cap, s->tail_len + TEXT_PADDING);
    if (s->tail_len)
        memcpy(b->text, s->tail, s->tail_len);
    b->len = s->tail_len;
    s->tail_len = 0;
    while (b->len < want && !s->over) {
        block_make_room(b, want);
        size_t room = b->cap - TEXT_PADDING - b->len;
        if (room > want - b->len)
            room = want - b->len;
        size_t got = byte_source_read(s->source, b->text + b->len, room);
        b->len += got;
        s->over = got == 0;
    }
}

/* What stands behind the cut is the next block's. */
static void block_cut(struct block_source *s, struct block *b, size_t cut)
{
    s->tail_len = b->len - cut;
    vec_grow(s->tail, s->tail_cap, s->tail_len);
    memcpy(s->tail, b->text + cut, s->tail_len);
    b->len = cut;
}

bool block_source_next(struct block_source *s, struct block *b)
{
    if (s->over)
        return false;
    block_fill(s, b);
    b->offset = s->offset;
    b->order = s->order++;
    b->at_event = s->at_event;
    b->last = s->over;
    size_t cut = s->over ? 0 : resync_last_event(b->text, b->len);
    s->at_event = cut > 0;
    if (cut)
        block_cut(s, b, cut);
    memset(b->text + b->len, ' ', TEXT_PADDING);
    s->offset += (int64_t)b->len;
    return true;
}
