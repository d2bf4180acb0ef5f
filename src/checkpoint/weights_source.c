#include "checkpoint/weights_source.h"

#include "base/mem.h"

#include <string.h>

enum status weights_open(struct weights_source *w, const char *path, struct err *err)
{
    struct strbuf folder;
    memset(w, 0, sizeof *w);
    strbuf_init(&folder);
    enum status s = checkpoint_resolve(&folder, path, err);
    if (s == STATUS_OK)
        s = checkpoint_open(&w->checkpoint, folder.s, err);
    if (s == STATUS_OK) {
        w->is_open = true;
        w->shape = w->checkpoint.model;
        w->folder = strbuf_detach(&folder);
        w->tokenizer = checkpoint_tokenizer(&w->checkpoint);
    }
    strbuf_release(&folder);
    return s;
}

void weights_close(struct weights_source *w)
{
    if (w->is_open)
        checkpoint_close(&w->checkpoint);
    mem_free(w->folder);
    mem_free(w->tokenizer);
    memset(w, 0, sizeof *w);
}

enum status weights_load(const struct weights_source *w,
                         const struct checkpoint_tensor *tensor, size_t n,
                         struct err *err)
{
    return checkpoint_load(&w->checkpoint, CHECKPOINT_WEIGHTS, tensor, n, err);
}
