#include "train/data_identity.h"

#include "data/tokenizer_file.h"

#include <inttypes.h>
#include <stdio.h>

enum { SAMPLES = 4096 };

/* FNV-1a over tokens at even distances; every token is below INT32_MAX. */
static uint64_t sample_hash(uint64_t hash, const struct token_range *r)
{
    size_t step = r->n / SAMPLES + 1;
    for (size_t at = 0; at < r->n; at += step) {
        int32_t token = 0;
        if (token_range_copy(r, &token, at, 1, INT32_MAX, NULL) == STATUS_OK)
            hash = (hash ^ (uint64_t)(uint32_t)token) * UINT64_C(1099511628211);
    }
    return hash;
}

struct data_identity data_identity(const struct dataset *d)
{
    struct data_identity id;
    uint64_t hash = sample_hash(UINT64_C(14695981039346656037), &d->train);
    hash = sample_hash(hash, &d->validation);
    snprintf(id.text, sizeof id.text, "%zu+%zu:%016" PRIx64, d->train.n, d->validation.n,
             hash);
    return id;
}

enum status tokenizer_check_same(const struct tokenizer *t, const char *path,
                                 struct err *err)
{
    struct tokenizer saved;
    enum status s = tokenizer_open(&saved, path, "", err);
    if (s != STATUS_OK)
        return s;
    if (!tokenizer_is_same(t, &saved))
        s = err_set(err, STATUS_INPUT,
                    "the data's tokenizer is not the one of the checkpoint (%s): use the "
                    "data and the tokenizer that it was trained with, or another "
                    "checkpoint_dir",
                    path);
    tokenizer_release(&saved);
    return s;
}
