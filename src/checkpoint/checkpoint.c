#include "checkpoint/checkpoint.h"

#include "base/file.h"
#include "base/json_writer.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "checkpoint/safetensors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char step_key[] = "gait.step";

static char *model_path(const char *dir)
{
    struct strbuf b;
    strbuf_init(&b);
    strbuf_printf(&b, "%s/model.safetensors", dir);
    char *path = strbuf_detach(&b);
    strbuf_release(&b);
    return path;
}

/* The tensors as the file knows them; shape has CHECKPOINT_DIMS_MAX places for each. */
static void convert(struct safetensor *to, uint64_t *shape,
                    const struct checkpoint_tensor *from, size_t n)
{
    for (size_t i = 0; i < n; i++, shape += CHECKPOINT_DIMS_MAX) {
        if (from[i].dims < 0 || from[i].dims > CHECKPOINT_DIMS_MAX)
            BUG("tensor \"%s\" has %d dimensions", from[i].name, from[i].dims);
        for (int k = 0; k < from[i].dims; k++)
            shape[k] = (uint64_t)from[i].shape[k];
        to[i] = (struct safetensor){.name = from[i].name,
                                    .dtype = SAFETENSORS_DTYPE_F32,
                                    .shape = shape,
                                    .dims = (size_t)from[i].dims,
                                    .data = from[i].data};
    }
}

static enum status make_folder(const char *dir, struct err *err)
{
    if (!mkdir(dir, 0777) || (errno == EEXIST && file_is_dir(dir)))
        return STATUS_OK;
    if (errno == EEXIST)
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot put a checkpoint into %s: it is a file; name a folder",
                       dir);
    if (errno == ENOENT)
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot make the folder %s: the folder above it does not exist; "
                       "make it first, or change checkpoint_dir",
                       dir);
    return file_err(err, "make the folder", dir);
}

enum status checkpoint_check(const char *dir, struct err *err)
{
    enum status st = make_folder(dir, err);
    if (st)
        return st;
    char *path = model_path(dir);
    st = file_check_writable(path, err);
    mem_free(path);
    return st;
}

static void describe_model(struct strbuf *out, const struct checkpoint_model *m)
{
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_object(&w);
    json_field_int(&w, "layers", m->layers);
    json_field_int(&w, "heads", m->heads);
    json_field_int(&w, "width", m->width);
    json_field_int(&w, "context", m->context);
    json_key(&w, "bias");
    json_bool(&w, m->bias);
    json_end(&w);
}

static void list_vocabulary(struct strbuf *out, const struct checkpoint_model *m)
{
    struct json_writer w;
    json_init(&w, out);
    w.compact = true;
    json_begin_array(&w);
    for (size_t i = 0; i < m->characters; i++)
        json_int(&w, m->vocabulary[i]);
    json_end(&w);
}

static enum status write_model(const char *path, const struct checkpoint_model *model,
                               struct safetensor *tensor, size_t n, int64_t step,
                               struct err *err)
{
    struct strbuf settings, vocabulary;
    char step_text[32];
    strbuf_init(&settings);
    strbuf_init(&vocabulary);
    describe_model(&settings, model);
    list_vocabulary(&vocabulary, model);
    snprintf(step_text, sizeof step_text, "%lld", (long long)step);
    const struct safetensors_pair metadata[] = {
        {.key = "format", .value = "gait"},
        {.key = step_key, .value = step_text},
        {.key = "layout", .value = "linear weights are (outputs, inputs)"},
        {.key = "model", .value = settings.s},
        {.key = "vocabulary", .value = vocabulary.s},
    };
    enum status st = safetensors_write(path, tensor, n, metadata,
                                       sizeof metadata / sizeof *metadata, err);
    strbuf_release(&vocabulary);
    strbuf_release(&settings);
    return st;
}

enum status checkpoint_save(const char *dir, const struct checkpoint_model *model,
                            const struct checkpoint_tensor *tensor, size_t n,
                            int64_t step, struct err *err)
{
    enum status st = make_folder(dir, err);
    if (st)
        return st;
    struct safetensor *t = mem_zalloc(n, sizeof *t);
    uint64_t *shape = mem_zalloc(n * CHECKPOINT_DIMS_MAX, sizeof *shape);
    convert(t, shape, tensor, n);
    char *path = model_path(dir);
    st = write_model(path, model, t, n, step, err);
    mem_free(path);
    mem_free(shape);
    mem_free(t);
    return st;
}

static bool same_shape(const struct safetensor *in_file,
                       const struct checkpoint_tensor *wanted)
{
    if (in_file->dims != (size_t)wanted->dims)
        return false;
    for (size_t k = 0; k < in_file->dims; k++)
        if (in_file->shape[k] != (uint64_t)wanted->shape[k])
            return false;
    return true;
}

static enum status other_model(struct err *err, const char *path, const char *name,
                               const char *what)
{
    return err_set(
        err, STATUS_INPUT,
        "%s: tensor \"%s\" %s; use the settings (layers, heads, width, context, "
        "data set) that it was trained with",
        path, name, what);
}

static enum status check_same_model(const struct safetensors_header *h, const char *path,
                                    const struct checkpoint_tensor *wanted, size_t n,
                                    struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct safetensor *t = safetensors_find(h, wanted[i].name);
        if (!t)
            return other_model(err, path, wanted[i].name, "is missing");
        if (t->dtype != SAFETENSORS_DTYPE_F32)
            return other_model(err, path, wanted[i].name, "is not F32");
        if (!same_shape(t, &wanted[i]))
            return other_model(err, path, wanted[i].name, "has another shape");
    }
    if (h->n != n)
        return err_set(err, STATUS_INPUT,
                       "%s has %zu tensors and the model has %zu; use the settings "
                       "(layers, bias …) that it was trained with",
                       path, h->n, n);
    return STATUS_OK;
}

/* The step that the file states, -1 where it states none that can be one. */
static int64_t stated_step(const struct safetensors_header *h)
{
    const char *text = safetensors_metadata(h, step_key);
    if (!text || *text < '0' || *text > '9')
        return -1;
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    return errno || *end ? -1 : v;
}

enum status checkpoint_load(const char *dir, const struct checkpoint_tensor *tensor,
                            size_t n, int64_t *step, struct err *err)
{
    struct safetensors_file f;
    char *path = model_path(dir);
    enum status st = safetensors_open(&f, path, err);
    if (st)
        goto out;
    st = check_same_model(&f.header, path, tensor, n, err);
    for (size_t i = 0; !st && i < n; i++)
        st = safetensors_load(&f, safetensors_find(&f.header, tensor[i].name),
                              tensor[i].data, err);
    if (!st && step)
        *step = stated_step(&f.header);
    safetensors_close(&f);
out:
    mem_free(path);
    return st;
}
