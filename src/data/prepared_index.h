/*
 * What gait data prepare leaves in a folder beside its shards, gait-data.json:
 *
 *   {"format": "gait-data", "version": 2, "dtype": "uint16", "vocabulary": 50257,
 *    "tokenizer": "tokenizer.json", "tokenizer_xxh3": "…",
 *    "train": [{"file": "train-00000.bin", "tokens": 100000000, "blocks": "…"}, …],
 *    "validation": [{"file": "val-00000.bin", "tokens": 1000, "blocks": "…"}],
 *    "xxh3": "…"}
 *
 * Names are plain: nothing outside the folder is read. Everything has a hash: the
 * tokenizer, each block of each shard (token_check.h), and the index itself
 * (content_hash_seal()). Version 1 had none and is still read.
 */
#ifndef GAIT_DATA_PREPARED_INDEX_H
#define GAIT_DATA_PREPARED_INDEX_H

#include "base/content_hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PREPARED_INDEX_NAME "gait-data.json"

struct prepared_shard {
    char *file; /* name within the folder; owned */
    uint64_t tokens;
    char *hashes; /* CONTENT_HASH_DIGITS for each block; owned; NULL in version 1 */
};

struct prepared_shards {
    struct prepared_shard *item; /* (n) */
    size_t n, cap;
};

struct prepared_index {
    int width; /* 2 or 4: dtype uint16 or uint32 */
    size_t vocabulary;
    struct content_hash_text tokenizer; /* hash of tokenizer.json; empty in version 1 */
    struct prepared_shards train, validation; /* the latter may be empty */
};

bool prepared_index_is_in(const char *dir);
/* On OK the caller calls prepared_index_release(). */
enum status prepared_index_read(struct prepared_index *x, const char *dir,
                                struct err *err);
enum status prepared_index_write(const struct prepared_index *x, const char *dir,
                                 struct err *err);
/* hashes are copied; NULL where there are none. */
void prepared_shards_add(struct prepared_shards *s, const char *file, uint64_t tokens,
                         const char *hashes);
/* The shard of that name, or NULL. */
const struct prepared_shard *prepared_index_find(const struct prepared_index *x,
                                                 const char *file);
void prepared_shard_release(struct prepared_shard *s);
void prepared_shards_release(struct prepared_shards *s);
void prepared_index_release(struct prepared_index *x);

#endif
