/*
 * Hugging Face's two forms of a byte-level BPE tokenizer: a tokenizer.json, and a folder
 * with vocab.json and merges.txt (GPT-2).
 *
 * Only what gives exactly the reference's ids is taken; anything else in a tokenizer.json
 * that would change them (a normalizer, another pattern, dropout, …) is refused by name.
 * What is done to whole sequences afterwards (post-processor, truncation, padding) does
 * not concern a training text and is passed over.
 */
#ifndef GAIT_DATA_HF_TOKENIZER_H
#define GAIT_DATA_HF_TOKENIZER_H

#include "base/json_read.h"
#include "base/status.h"

struct bpe;

enum { TOKENIZER_JSON_MAX_BYTES = 64 << 20 };

/* text[0..len) is the tokenizer.json that root was read from; it is taken over, also on
 * failure. On OK the caller calls bpe_free(*out). */
enum status hf_tokenizer_read(struct bpe **out, const struct json *root, char *text,
                              size_t len, struct err *err);

/* Of a folder with vocab.json and merges.txt. A token <|endoftext|> is an added one, as
 * GPT-2's is. */
enum status hf_folder_read(struct bpe **out, const char *dir, struct err *err);

#endif
