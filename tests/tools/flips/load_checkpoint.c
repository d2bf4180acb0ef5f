/* Checkpoints. Which tensors a training asks for comes from its settings, not from the
 * file: here from the first load, which is of undamaged files. */
#include "load_files.h"
#include "load_parts.h"

#include "base/mem.h"
#include "checkpoint/checkpoint_parts.h"
#include "checkpoint/shape_json.h"
#include "checkpoint/state_file.h"
#include "checkpoint/weights_source.h"
#include "data/tokenizer_file.h"

#include <string.h>

struct wanted {
    struct checkpoint_tensor *tensor; /* (n) */
    size_t n;
};

static struct wanted weights, moments;
static struct content_hash *target; /* of what is being loaded */

static void put(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                const float *in)
{
    content_hash_add(target, t->name, strlen(t->name));
    hash_size(target, (size_t)first);
    content_hash_add(target, in, (size_t)n * sizeof *in);
}

static void want_all_of(struct wanted *w, const struct safetensors_header *h)
{
    w->n = h->n;
    w->tensor = mem_zalloc(h->n, sizeof *w->tensor);
    for (size_t i = 0; i < h->n; i++) {
        struct checkpoint_tensor *t = &w->tensor[i];
        *t = (struct checkpoint_tensor){.name = mem_strdup(h->tensor[i].name),
                                        .dims = (int)h->tensor[i].dims,
                                        .put = put};
        for (int k = 0; k < t->dims; k++)
            t->shape[k] = (int64_t)h->tensor[i].shape[k];
    }
}

static enum status learn_tensors(const struct checkpoint *c, struct err *err)
{
    struct safetensors_file f;
    if (weights.n)
        return STATUS_OK;
    enum status st = checkpoint_open_file(c, &f, checkpoint_optimizer_name, err);
    if (st)
        return st;
    want_all_of(&weights, &c->model_file.header);
    want_all_of(&moments, &f.header);
    safetensors_close(&f);
    return STATUS_OK;
}

/* Step, optimizer, position and settings. */
static void hash_json(struct content_hash *hash, const struct json *j)
{
    for (; j; j = j->next) {
        hash_size(hash, (size_t)j->kind);
        hash_size(hash, (size_t)j->truth);
        if (j->key)
            content_hash_add(hash, j->key, strlen(j->key) + 1);
        if (j->text)
            content_hash_add(hash, j->text, j->len + 1);
        hash_json(hash, j->child);
    }
}

static void hash_state(struct content_hash *hash, const struct checkpoint *c)
{
    struct strbuf shape;
    strbuf_init(&shape);
    shape_write_json(&shape, &c->model);
    content_hash_add(hash, shape.s, shape.len);
    hash_size(hash, (size_t)c->step);
    content_hash_add(hash, c->optimizer, strlen(c->optimizer) + 1);
    hash_json(hash, c->position->child);
    hash_json(hash, c->settings ? c->settings->child : NULL);
    strbuf_release(&shape);
}

static enum status hash_its_tokenizer(struct content_hash *hash,
                                      const struct weights_source *w, struct err *err)
{
    struct tokenizer t;
    if (!w->tokenizer)
        return STATUS_OK;
    enum status st = tokenizer_open(&t, w->tokenizer, "", err);
    if (st)
        return st;
    hash_tokenizer(hash, &t);
    tokenizer_release(&t);
    return STATUS_OK;
}

static enum status load_opened(struct content_hash *hash, const struct weights_source *w,
                               struct err *err)
{
    const struct checkpoint *c = &w->checkpoint;
    target = hash;
    hash_state(hash, c);
    enum status st = learn_tensors(c, err);
    if (!st)
        st = hash_its_tokenizer(hash, w, err);
    if (!st)
        st = checkpoint_load(c, CHECKPOINT_WEIGHTS, weights.tensor, weights.n, err);
    if (!st)
        st = checkpoint_load(c, CHECKPOINT_MOMENTS, moments.tensor, moments.n, err);
    return st;
}

enum status load_checkpoint(struct content_hash *hash, const char *folder,
                            struct err *err)
{
    struct weights_source w;
    enum status st = weights_open(&w, folder, err);
    if (!st)
        st = load_opened(hash, &w, err);
    weights_close(&w);
    return st;
}
