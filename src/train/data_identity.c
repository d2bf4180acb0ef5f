#include "train/data_identity.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "data/tokenizer_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES = 4096, TOKENIZER_MAX_BYTES = 1 << 28 };

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

static enum status compare(const char *ours, const char *saved, struct err *err)
{
    char *a = NULL, *b = NULL;
    size_t n_a, n_b;
    enum status s = file_read(&a, &n_a, ours, TOKENIZER_MAX_BYTES, err);
    if (s == STATUS_OK)
        s = file_read(&b, &n_b, saved, TOKENIZER_MAX_BYTES, err);
    if (s == STATUS_OK && (n_a != n_b || memcmp(a, b, n_a)))
        s = err_set(err, STATUS_INPUT,
                    "the data's tokenizer is not the one of the checkpoint (%s): use the "
                    "data and the tokenizer that it was trained with, or another "
                    "checkpoint_dir",
                    saved);
    mem_free(a);
    mem_free(b);
    return s;
}

/* Both are compared as files: one mechanism says what a tokenizer is. */
enum status tokenizer_check_same(const struct tokenizer *t, const char *path,
                                 struct err *err)
{
    char folder[] = "/tmp/gait-tokenizer-XXXXXX";
    struct strbuf ours;
    if (!mkdtemp(folder))
        return file_err(err, "make the folder", folder);
    strbuf_init(&ours);
    strbuf_printf(&ours, "%s/%s", folder, TOKENIZER_FILE_NAME);
    enum status s = tokenizer_save(t, folder, err);
    if (s == STATUS_OK)
        s = compare(ours.s, path, err);
    unlink(ours.s);
    rmdir(folder);
    strbuf_release(&ours);
    return s;
}
