/*
 * Tokens to files of a fixed number of tokens, stem-00000.bin and on, in a folder that is
 * nobody else's yet.
 *
 * Legal order: shard_writer_init, shard_writer_add…, shard_writer_end, shard_writer_cut;
 * shard_writer_release at any time.
 */
#ifndef GAIT_DATA_SHARD_WRITER_H
#define GAIT_DATA_SHARD_WRITER_H

#include "base/content_hash.h"
#include "base/strbuf.h"
#include "data/prepared_index.h"
#include "data/token_list.h"

#include <stdio.h>

struct shard_writer {
    const char *dir, *stem;
    int width; /* bytes a token */
    uint64_t shard_tokens;
    uint64_t n;                    /* tokens of all shards */
    struct prepared_shards shards; /* the last one is open while f is */
    FILE *f;
    char *scratch; /* tokens in their width */
    size_t cap_scratch;
    struct content_hash *hasher; /* of the open shard's last block */
    size_t hashed_bytes;         /* that it has seen */
    struct strbuf hashes;        /* of the open shard's whole blocks */
};

/* dir and stem must outlive it. */
void shard_writer_init(struct shard_writer *w, const char *dir, const char *stem,
                       int width, uint64_t shard_tokens);
void shard_writer_release(struct shard_writer *w); /* the files stay */

enum status shard_writer_add(struct shard_writer *w, const token_id *id, size_t n,
                             struct err *err);
/* No more tokens come; all are on the disk then. */
enum status shard_writer_end(struct shard_writer *w, struct err *err);
/* Move all tokens behind the first `keep` to another writer of the same width, and end
 * that one too. */
enum status shard_writer_cut(struct shard_writer *w, uint64_t keep,
                             struct shard_writer *rest, struct err *err);

#endif
