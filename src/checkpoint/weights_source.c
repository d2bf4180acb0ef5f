#include "checkpoint/weights_source.h"

#include "base/file.h"
#include "base/mem.h"

#include <string.h>

/* The tokenizer of a Hugging Face directory: one file, or a vocabulary and its merges. */
static char *hf_tokenizer_path(const char *folder)
{
    static const char *const names[] = {"tokenizer.json", "vocab.json"};
    struct strbuf path;
    strbuf_init(&path);
    for (size_t i = 0; i < 2; i++) {
        strbuf_clear(&path);
        strbuf_printf(&path, "%s/%s", folder, names[i]);
        if (!file_is_absent(path.s)) {
            strbuf_clear(&path);
            strbuf_puts(&path, folder);
            return strbuf_detach(&path);
        }
    }
    strbuf_release(&path);
    return NULL;
}

static enum status open_hf(struct weights_source *w, const char *path, struct err *err)
{
    enum status s = hf_open(&w->hf, path, err);
    if (s != STATUS_OK)
        return s;
    w->is_open = w->is_hf = true;
    w->shape = w->hf.shape;
    w->begin_token = w->hf.special.bos;
    w->end_token = w->hf.special.eos;
    w->folder = mem_strdup(path);
    w->tokenizer = hf_tokenizer_path(path);
    return STATUS_OK;
}

static enum status open_checkpoint(struct weights_source *w, const char *path,
                                   struct err *err)
{
    struct strbuf folder;
    strbuf_init(&folder);
    enum status s = checkpoint_resolve(&folder, path, err);
    if (s == STATUS_OK)
        s = checkpoint_open(&w->checkpoint, folder.s, err);
    if (s == STATUS_OK) {
        w->is_open = true;
        w->shape = w->checkpoint.model;
        w->folder = mem_strdup(folder.s);
        s = checkpoint_tokenizer(&w->tokenizer, &w->checkpoint, err);
    }
    strbuf_release(&folder);
    return s;
}

enum status weights_open(struct weights_source *w, const char *path, struct err *err)
{
    memset(w, 0, sizeof *w);
    w->begin_token = w->end_token = -1;
    if (!file_is_dir(path))
        return err_set(err, STATUS_INPUT,
                       "there is no folder %s; name one with a checkpoint, of Gait or in "
                       "Hugging Face's form",
                       path);
    enum status s =
        hf_is_dir(path) ? open_hf(w, path, err) : open_checkpoint(w, path, err);
    if (s != STATUS_OK)
        weights_close(w);
    return s;
}

void weights_close(struct weights_source *w)
{
    if (w->is_open && w->is_hf)
        hf_close(&w->hf);
    else if (w->is_open)
        checkpoint_close(&w->checkpoint);
    mem_free(w->folder);
    mem_free(w->tokenizer);
    memset(w, 0, sizeof *w);
}

enum status weights_load(const struct weights_source *w,
                         const struct checkpoint_tensor *tensor, size_t n,
                         struct err *err)
{
    if (w->is_hf)
        return hf_load(&w->hf, tensor, n, err);
    return checkpoint_load(&w->checkpoint, CHECKPOINT_WEIGHTS, tensor, n, err);
}
