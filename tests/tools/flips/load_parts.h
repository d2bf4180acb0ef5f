/* Parts that the loaders of load_files.h share. */
#ifndef GAIT_TESTS_LOAD_PARTS_H
#define GAIT_TESTS_LOAD_PARTS_H

#include "base/content_hash.h"
#include "data/tokenizer.h"

void hash_size(struct content_hash *hash, size_t n);
void hash_tokenizer(struct content_hash *hash, const struct tokenizer *t);

#endif
