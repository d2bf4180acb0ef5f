#include "checkpoint/hf_model.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

#include <string.h>

static enum status open_dir(struct hf_model *m, const char *from, struct err *err)
{
    enum status st = hf_open(&m->dir, from, err);
    if (st)
        return st;
    m->shape = m->dir.shape;
    m->special = m->dir.special;
    m->layout = &m->dir.layout;
    m->source = m->dir.source;
    m->copied_from = m->dir.path;
    m->tokenizer = path_join(from, "tokenizer.json");
    if (file_is_absent(m->tokenizer)) {
        mem_free(m->tokenizer);
        m->tokenizer = NULL;
    }
    return STATUS_OK;
}

static bool is_that(const struct safetensor *t, const struct hf_tensor *wanted)
{
    return t && t->dtype == SAFETENSORS_DTYPE_F32 && t->dims == (size_t)wanted->dims &&
           t->shape[0] == (uint64_t)wanted->shape[0] &&
           (t->dims == 1 || t->shape[1] == (uint64_t)wanted->shape[1]);
}

static enum status find_weights(struct hf_model *m, struct err *err)
{
    const struct safetensors_file *f = &m->checkpoint.model_file;
    size_t found = 0;
    m->own_source = mem_zalloc(m->own_layout.n, sizeof *m->own_source);
    for (size_t i = 0; i < m->own_layout.n; i++) {
        const struct hf_tensor *t = &m->own_layout.tensor[i];
        m->own_source[i].rows = t->dims == 2 ? t->shape[0] : 1;
        m->own_source[i].columns = t->shape[t->dims - 1];
        if (t->only_there)
            continue;
        m->own_source[i].file = f;
        m->own_source[i].tensor = safetensors_find(&f->header, t->name);
        if (!is_that(m->own_source[i].tensor, t))
            return err_set(err, STATUS_INPUT,
                           "%s: tensor \"%s\" is missing or not what its model has",
                           f->path, t->name);
        found++;
    }
    if (found != f->header.n)
        return err_set(err, STATUS_INPUT,
                       "%s has %zu tensors and its model %zu; it was not written by this "
                       "program",
                       f->path, f->header.n, found);
    return STATUS_OK;
}

static enum status open_checkpoint(struct hf_model *m, const char *from, struct err *err)
{
    struct strbuf path;
    strbuf_init(&path);
    enum status st = checkpoint_resolve(&path, from, err);
    if (!st)
        st = checkpoint_open(&m->checkpoint, path.s, err);
    strbuf_release(&path);
    if (st)
        return st;
    m->shape = m->checkpoint.model;
    m->special = (struct hf_special_tokens){-1, -1};
    hf_layout_init(&m->own_layout, &m->shape);
    st = find_weights(m, err);
    if (!st)
        st = checkpoint_verify_weights(&m->checkpoint, err);
    m->layout = &m->own_layout;
    m->source = m->own_source;
    if (!st)
        st = checkpoint_tokenizer(&m->tokenizer, &m->checkpoint, err);
    return st;
}

enum status hf_model_open(struct hf_model *m, const char *from, struct err *err)
{
    *m = (struct hf_model){.checkpoint.model_file.fd = -1};
    arena_init(&m->checkpoint.arena);
    enum status st = (hf_is_dir(from) ? open_dir : open_checkpoint)(m, from, err);
    if (st)
        hf_model_close(m);
    return st;
}

void hf_model_close(struct hf_model *m)
{
    mem_free(m->tokenizer);
    mem_free(m->own_source);
    hf_layout_release(&m->own_layout);
    checkpoint_close(&m->checkpoint);
    hf_close(&m->dir);
    *m = (struct hf_model){.checkpoint.model_file.fd = -1};
}
