/*
 * Loading reads what it needs twice: once to compare it with its hash, once to hand it
 * over, so that a damaged checkpoint changes nothing. The second time is from memory in
 * all but the largest models, and is compared again.
 */
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/checkpoint_parts.h"
#include "checkpoint/state_file.h"

#include <string.h>

enum { PART_NUMBERS = 1 << 18 };

struct loader_parts {
    const struct safetensors_file *file;
    struct content_hash *hasher;
    float *part; /* (PART_NUMBERS) */
};

/* Damage: say where, and which checkpoint is sound. */
static enum status damaged(const struct checkpoint *c, struct err *err)
{
    struct strbuf other;
    strbuf_init(&other);
    const char *name = path_name(c->path);
    char *dir = name > c->path ? mem_strndup(c->path, (size_t)(name - c->path - 1))
                               : mem_strdup(".");
    struct err found = err ? *err : (struct err)ERR_INIT;
    if (!checkpoint_find_intact(&other, *dir ? dir : "/", name, NULL) && other.len)
        err_set(err, STATUS_INPUT, "%s; use an older checkpoint: %s is intact",
                found.text, other.s);
    else
        err_set(err, STATUS_INPUT, "%s; there is no other intact checkpoint in %s",
                found.text, dir);
    mem_free(dir);
    strbuf_release(&other);
    return STATUS_INPUT;
}

static enum status wrong(struct err *err, const struct safetensors_file *f,
                         const char *name, const char *what)
{
    return err_set(err, STATUS_INPUT,
                   "%s: tensor \"%s\" %s; use the settings that it was trained with",
                   f->path, name, what);
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

static enum status check_tensors(const struct safetensors_file *f,
                                 const struct checkpoint_tensor *wanted, size_t n,
                                 struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct safetensor *t = safetensors_find(&f->header, wanted[i].name);
        if (!t)
            return wrong(err, f, wanted[i].name, "is missing");
        if (t->dtype != SAFETENSORS_DTYPE_F32)
            return wrong(err, f, wanted[i].name, "is not F32");
        if (!same_shape(t, &wanted[i]))
            return wrong(err, f, wanted[i].name, "has another shape");
    }
    return STATUS_OK;
}

/* Read a tensor and compare its hash; hand it over where `to` is given. */
static enum status read_tensor(const struct loader_parts *l, const struct safetensor *t,
                               const struct checkpoint_tensor *to, struct err *err)
{
    const struct safetensors_file *f = l->file;
    struct strbuf key;
    uint64_t bytes = t->end - t->begin;
    enum status st = STATUS_OK;
    content_hash_reset(l->hasher);
    for (uint64_t first = 0; !st && first < bytes;) {
        size_t room = PART_NUMBERS * sizeof *l->part;
        size_t n = bytes - first < room ? (size_t)(bytes - first) : room;
        st = safetensors_load(f, t, first, n, l->part, err);
        if (st)
            return st;
        content_hash_add(l->hasher, l->part, n);
        if (to)
            to->put(to, (int64_t)(first / sizeof *l->part),
                    (int64_t)(n / sizeof *l->part), l->part);
        first += n;
    }
    strbuf_init(&key);
    strbuf_printf(&key, SAFETENSORS_HASH_KEY "%s", t->name);
    const char *stated = safetensors_metadata(&f->header, key.s);
    if (!stated || strcmp(stated, content_hash_text(l->hasher).s) != 0)
        st = err_set(err, STATUS_INPUT,
                     "%s: the bytes of tensor \"%s\" are not those that were written",
                     f->path, t->name);
    strbuf_release(&key);
    return st;
}

static void parts_init(struct loader_parts *l, const struct safetensors_file *f)
{
    l->file = f;
    l->hasher = content_hash_new();
    l->part = mem_alloc(PART_NUMBERS * sizeof *l->part);
}

static void parts_release(struct loader_parts *l)
{
    mem_free(l->part);
    content_hash_free(l->hasher);
}

static enum status load_from(const struct checkpoint *c, const struct safetensors_file *f,
                             const struct checkpoint_tensor *tensor, size_t n,
                             struct err *err)
{
    struct loader_parts l;
    enum status st = check_tensors(f, tensor, n, err);
    if (st)
        return st;
    parts_init(&l, f);
    for (int pass = 0; !st && pass < 2; pass++)
        for (size_t i = 0; !st && i < n; i++)
            st = read_tensor(&l, safetensors_find(&f->header, tensor[i].name),
                             pass ? &tensor[i] : NULL, err);
    if (st == STATUS_INPUT)
        st = damaged(c, err);
    parts_release(&l);
    return st;
}

enum status checkpoint_load(const struct checkpoint *c, enum checkpoint_part part,
                            const struct checkpoint_tensor *tensor, size_t n,
                            struct err *err)
{
    struct safetensors_file moments;
    if (part == CHECKPOINT_WEIGHTS)
        return load_from(c, &c->model_file, tensor, n, err);
    enum status st = checkpoint_open_file(c, &moments, checkpoint_optimizer_name, err);
    if (st)
        return *c->optimizer ? damaged(c, err) : st;
    st = load_from(c, &moments, tensor, n, err);
    safetensors_close(&moments);
    return st;
}

static enum status verify_tensors(const struct safetensors_file *f, struct err *err)
{
    struct loader_parts l;
    enum status st = STATUS_OK;
    parts_init(&l, f);
    for (size_t i = 0; !st && i < f->header.n; i++)
        st = read_tensor(&l, &f->header.tensor[i], NULL, err);
    parts_release(&l);
    return st;
}

enum status checkpoint_verify_weights(const struct checkpoint *c, struct err *err)
{
    enum status st = verify_tensors(&c->model_file, err);
    return st == STATUS_INPUT ? damaged(c, err) : st;
}

static enum status verify_plain(const struct checkpoint *c, const struct json *file,
                                struct err *err)
{
    struct content_hash_text hash;
    char *path = path_join(c->path, file->key);
    enum status st = content_hash_file(&hash, path, err);
    if (!st && strcmp(hash.s, file->text) != 0)
        st = err_set(err, STATUS_INPUT, "%s is not what was written", path);
    mem_free(path);
    return st;
}

enum status checkpoint_tokenizer(char **path, const struct checkpoint *c, struct err *err)
{
    const struct json *file = json_get(c->files, checkpoint_tokenizer_name);
    *path = NULL;
    if (!file)
        return STATUS_OK;
    enum status st = verify_plain(c, file, err);
    if (st)
        return st == STATUS_INPUT ? damaged(c, err) : st;
    *path = path_join(c->path, checkpoint_tokenizer_name);
    return STATUS_OK;
}

enum status checkpoint_verify(const struct checkpoint *c, struct err *err)
{
    enum status st = STATUS_OK;
    for (const struct json *file = c->files->child; !st && file; file = file->next) {
        struct safetensors_file f;
        if (strchr(file->key, '/'))
            return err_set(err, STATUS_INPUT, "%s names a file outside it", c->path);
        if (strcmp(file->key, checkpoint_model_name) != 0 &&
            strcmp(file->key, checkpoint_optimizer_name) != 0) {
            st = verify_plain(c, file, err);
            continue;
        }
        st = checkpoint_open_file(c, &f, file->key, err);
        if (st)
            break;
        st = verify_tensors(&f, err);
        safetensors_close(&f);
    }
    return st;
}
