/*
 * A tokenizer on disk is a tokenizer.json: Hugging Face's for BPE, and for the other
 * kinds a small JSON of our own under the same name:
 *
 *   {"format":"gait-tokenizer","version":2,"kind":"chars","codes":[10,32,…],"xxh3":"…"}
 *   {"format":"gait-tokenizer","version":2,"kind":"bytes","xxh3":"…"}
 *
 * with the hash of its own text (content_hash_seal()). Version 1 had none and is still
 * read. A file of Hugging Face has none either: prepared data and checkpoints keep the
 * hash of theirs.
 */
#ifndef GAIT_DATA_TOKENIZER_FILE_H
#define GAIT_DATA_TOKENIZER_FILE_H

#include "base/status.h"
#include "data/tokenizer.h"

#define TOKENIZER_FILE_NAME "tokenizer.json"

/* `name` is "bytes", "gpt2", a tokenizer.json, or a folder that holds one or vocab.json
 * and merges.txt. "gpt2" is looked for in data_dir (data_dir.h). On OK the caller calls
 * tokenizer_release(). */
enum status tokenizer_open(struct tokenizer *t, const char *name, const char *data_dir,
                           struct err *err);

/* Write dir/tokenizer.json in one rename. One that was read from a tokenizer.json is
 * written as it was, byte for byte. A tokenizer of kind NONE writes nothing. */
enum status tokenizer_save(const struct tokenizer *t, const char *dir, struct err *err);

#endif
