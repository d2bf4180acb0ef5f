#include "data/bpe.h"

#include <string.h>

void bpe_free(struct bpe *b)
{
    if (!b)
        return;
    mem_free(b->text);
    mem_free(b->begin);
    mem_free(b->merge);
    mem_free(b->word);
    added_tokens_release(&b->added);
    mem_free(b->json);
    mem_free(b);
}

const char *bpe_bytes(const struct bpe *b, token_id id, size_t *len)
{
    *len = b->begin[id + 1] - b->begin[id];
    return b->text + b->begin[id];
}

uint64_t bpe_bytes_hash(const char *bytes, size_t len)
{
    uint64_t h = len, word;
    for (; len >= sizeof word; bytes += sizeof word, len -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, bytes, len);
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

int64_t bpe_find(const struct bpe *b, const char *bytes, size_t len)
{
    size_t mask = b->word_slots - 1;
    for (size_t i = bpe_bytes_hash(bytes, len) & mask; b->word[i]; i = (i + 1) & mask) {
        token_id id = b->word[i] - 1;
        size_t have;
        const char *s = bpe_bytes(b, id, &have);
        if (have == len && !memcmp(s, bytes, len))
            return id;
    }
    return -1;
}

const struct bpe_merge *bpe_find_merge(const struct bpe *b, token_id left, token_id right)
{
    size_t mask = b->merge_slots - 1;
    for (size_t i = bpe_pair_hash(left, right) & mask; b->merge[i].rank != UINT32_MAX;
         i = (i + 1) & mask)
        if (b->merge[i].left == left && b->merge[i].right == right)
            return &b->merge[i];
    return NULL;
}
