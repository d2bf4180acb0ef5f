#include "checkpoint/hf_dir.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/number_format.h"
#include "checkpoint/shape_json.h"

#include <string.h>

enum { CONFIG_MAX_BYTES = 1 << 20, PART_NUMBERS = 1 << 18 };

bool hf_is_dir(const char *path)
{
    char *config = path_join(path, "config.json");
    bool there = !file_is_absent(config);
    mem_free(config);
    return there;
}

static enum status read_config(struct hf_dir *d, struct err *err)
{
    char *path = path_join(d->path, "config.json"), *text = NULL;
    size_t len;
    enum status st = file_read(&text, &len, path, CONFIG_MAX_BYTES, err);
    if (!st)
        st = hf_config_parse(&d->shape, &d->special, text, len, err);
    mem_free(text);
    mem_free(path);
    return st;
}

static enum status tensor_err(const struct hf_entry *e, const char *what, struct err *err)
{
    return err_set(err, STATUS_INPUT, "%s: tensor \"%.80s\" %s", path_name(e->file->path),
                   e->tensor->name, what);
}

/* With its prefix or without; both at once is one tensor too many and found later. */
static const struct hf_entry *find_entry(const struct hf_index *x,
                                         const struct hf_tensor *t)
{
    const struct hf_entry *e = hf_index_find(x, t->hf_name);
    return e ? e : hf_index_find(x, t->name);
}

static enum status check_entry(const struct hf_entry *e, const struct hf_tensor *t,
                               struct err *err)
{
    uint64_t shape[2];
    hf_tensor_file_shape(t, shape);
    if (e->tensor->dims != (size_t)t->dims || e->tensor->shape[0] != shape[0] ||
        (t->dims == 2 && e->tensor->shape[1] != shape[1]))
        return tensor_err(e, "has another shape than config.json gives it", err);
    if (!numbers_can_read(e->tensor->dtype))
        return tensor_err(
            e, "is not F32, F16, BF16 or F64; save the model in one of them", err);
    return STATUS_OK;
}

static struct tensor_source source_of(const struct hf_entry *e, const struct hf_tensor *t)
{
    return (struct tensor_source){.file = e->file,
                                  .tensor = e->tensor,
                                  .rows = t->dims == 2 ? t->shape[0] : 1,
                                  .columns = t->shape[t->dims - 1],
                                  .transposed = t->transposed};
}

static enum status find_tensors(struct hf_dir *d, bool *used, struct err *err)
{
    d->source = mem_zalloc(d->layout.n, sizeof *d->source);
    for (size_t i = 0; i < d->layout.n; i++) {
        const struct hf_tensor *t = &d->layout.tensor[i];
        const struct hf_entry *e = find_entry(&d->index, t);
        if (!e)
            return err_set(err, STATUS_INPUT,
                           "%s: tensor \"%s\" is missing, which config.json asks for",
                           d->path, t->hf_name);
        enum status st = check_entry(e, t, err);
        if (st)
            return st;
        used[e - d->index.entry] = true;
        d->source[i] = source_of(e, t);
    }
    return STATUS_OK;
}

/* The head of a tied model, where it is in the file too. */
static enum status check_tied_head(const struct hf_dir *d, bool *used, struct err *err)
{
    const struct hf_entry *head = hf_index_find(&d->index, hf_head_name);
    if (!d->shape.tied || !head)
        return STATUS_OK;
    const struct hf_tensor *embedding =
        hf_layout_find(&d->layout, hf_embedding_name(d->shape.family));
    enum status st = check_entry(head, embedding, err);
    if (st)
        return st;
    struct tensor_source a = source_of(head, embedding);
    bool equal;
    st = tensor_source_equal(&equal, &a, &d->source[embedding - d->layout.tensor], err);
    if (!st && !equal)
        st = tensor_err(head,
                        "differs from the embedding though config.json has "
                        "tie_word_embeddings; set that to false",
                        err);
    used[head - d->index.entry] = true;
    return st;
}

static enum status check_extra(const struct hf_dir *d, const bool *used, struct err *err)
{
    for (size_t i = 0; i < d->index.n; i++) {
        const struct hf_entry *e = &d->index.entry[i];
        if (!used[i] && !hf_is_buffer(hf_plain_name(d->shape.family, e->tensor->name)))
            return tensor_err(e, "is none of the model that config.json describes", err);
    }
    return STATUS_OK;
}

enum status hf_open(struct hf_dir *d, const char *path, struct err *err)
{
    *d = (struct hf_dir){.path = mem_strdup(path)};
    bool *used = NULL;
    enum status st = read_config(d, err);
    if (!st)
        st = hf_index_open(&d->index, path, err);
    if (!st) {
        hf_layout_init(&d->layout, &d->shape);
        used = mem_zalloc(d->index.n, sizeof *used);
        st = find_tensors(d, used, err);
    }
    if (!st)
        st = check_tied_head(d, used, err);
    if (!st)
        st = check_extra(d, used, err);
    mem_free(used);
    if (st)
        hf_close(d);
    return st;
}

void hf_close(struct hf_dir *d)
{
    mem_free(d->source);
    hf_layout_release(&d->layout);
    hf_index_close(&d->index);
    mem_free(d->path);
    *d = (struct hf_dir){0};
}

static enum status check_wanted(const struct hf_dir *d, const struct checkpoint_tensor *t,
                                struct err *err)
{
    const struct hf_tensor *there = hf_layout_find(&d->layout, t->name);
    if (!there)
        return err_set(err, STATUS_INPUT, "%s has no tensor \"%s\"; use its settings",
                       d->path, t->name);
    if (t->dims != there->dims || t->shape[0] != there->shape[0] ||
        (t->dims == 2 && t->shape[1] != there->shape[1]))
        return err_set(err, STATUS_INPUT,
                       "%s: tensor \"%s\" has another shape; use its settings", d->path,
                       t->name);
    return STATUS_OK;
}

static enum status load_parts(const struct tensor_source *s,
                              const struct checkpoint_tensor *to, struct err *err)
{
    int64_t numbers = s->rows * s->columns;
    float *part = mem_alloc(PART_NUMBERS * sizeof *part);
    enum status st = STATUS_OK;
    for (int64_t first = 0; !st && first < numbers; first += PART_NUMBERS) {
        int64_t n = numbers - first < PART_NUMBERS ? numbers - first : PART_NUMBERS;
        st = tensor_source_read(s, first, n, part, err);
        if (!st)
            to->put(to, first, n, part);
    }
    mem_free(part);
    return st;
}

static enum status load_whole(const struct tensor_source *s,
                              const struct checkpoint_tensor *to, struct err *err)
{
    int64_t numbers = s->rows * s->columns;
    float *all = mem_zalloc((size_t)numbers, sizeof *all);
    enum status st = tensor_source_all(s, false, all, err);
    if (!st)
        to->put(to, 0, numbers, all);
    mem_free(all);
    return st;
}

enum status hf_load(const struct hf_dir *d, const struct checkpoint_tensor *tensor,
                    size_t n, struct err *err)
{
    enum status st = STATUS_OK;
    for (size_t i = 0; !st && i < n; i++)
        st = check_wanted(d, &tensor[i], err);
    for (size_t i = 0; !st && i < n; i++) {
        const struct hf_tensor *t = hf_layout_find(&d->layout, tensor[i].name);
        const struct tensor_source *s = &d->source[t - d->layout.tensor];
        st = (s->transposed ? load_whole : load_parts)(s, &tensor[i], err);
    }
    return st;
}
