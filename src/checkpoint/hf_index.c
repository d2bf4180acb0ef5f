#include "checkpoint/hf_index.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

const char hf_single_name[] = "model.safetensors";
const char hf_index_name[] = "model.safetensors.index.json";

enum { INDEX_MAX_BYTES = 64 << 20, SHARDS_MAX = 4096, SHARD_NAME_MAX = 200 };

bool hf_shard_name_is_safe(const char *name)
{
    static const char end[] = ".safetensors";
    size_t n = strlen(name), m = sizeof end - 1;
    return n > m && n <= SHARD_NAME_MAX && name[0] != '.' && !strpbrk(name, "/\\") &&
           !strcmp(name + n - m, end);
}

static int compare_entry(const void *a, const void *b)
{
    const struct safetensor *x = ((const struct hf_entry *)a)->tensor;
    const struct safetensor *y = ((const struct hf_entry *)b)->tensor;
    return strcmp(x->name, y->name);
}

/* Once all files are open and no longer move. Names are NUL-terminated; one with a NUL
 * inside is no tensor of ours. */
static enum status index_tensors(struct hf_index *x, struct err *err)
{
    size_t n = 0;
    for (size_t i = 0; i < x->n_files; i++)
        n += x->file[i].header.n;
    x->entry = mem_zalloc(n, sizeof *x->entry);
    for (size_t i = 0; i < x->n_files; i++)
        for (size_t k = 0; k < x->file[i].header.n; k++)
            x->entry[x->n++] =
                (struct hf_entry){&x->file[i], &x->file[i].header.tensor[k]};
    if (n)
        qsort(x->entry, n, sizeof *x->entry, compare_entry);
    for (size_t i = 1; i < n; i++)
        if (!compare_entry(&x->entry[i - 1], &x->entry[i]))
            return err_set(err, STATUS_INPUT, "tensor \"%.80s\" is in %s and in %s",
                           x->entry[i].tensor->name,
                           path_name(x->entry[i - 1].file->path),
                           path_name(x->entry[i].file->path));
    return STATUS_OK;
}

static enum status open_shard(struct hf_index *x, const char *dir, const char *name,
                              struct err *err)
{
    char *path = path_join(dir, name);
    vec_grow(x->file, x->cap_files, x->n_files + 1);
    enum status st = safetensors_open(&x->file[x->n_files], path, err);
    if (!st)
        x->n_files++;
    mem_free(path);
    return st;
}

enum status hf_index_check(const struct json *root, struct err *err)
{
    const struct json *map = json_get(root, "weight_map");
    if (!map || map->kind != JSON_KIND_OBJECT || !map->n)
        return err_set(err, STATUS_INPUT, "%s has no weight_map", hf_index_name);
    for (const struct json *j = map->child; j; j = j->next) {
        const char *file = json_string_or(j, "");
        if (!hf_shard_name_is_safe(file) || strlen(file) != j->len)
            return err_set(
                err, STATUS_INPUT,
                "%s puts \"%.80s\" into \"%.80s\"; a file *.safetensors of the "
                "same folder must stand there",
                hf_index_name, j->key, file);
    }
    return STATUS_OK;
}

static const struct safetensors_file *find_file(const struct hf_index *x,
                                                const char *name)
{
    for (size_t i = 0; i < x->n_files; i++)
        if (!strcmp(path_name(x->file[i].path), name))
            return &x->file[i];
    return NULL;
}

static enum status open_listed(struct hf_index *x, const char *dir,
                               const struct json *map, struct err *err)
{
    const char *last = ""; /* most neighbours share a file */
    for (const struct json *j = map->child; j; j = j->next) {
        if (!strcmp(j->text, last) || find_file(x, j->text))
            continue;
        last = j->text;
        if (x->n_files == SHARDS_MAX)
            return err_set(err, STATUS_INPUT, "%s lists more than %d files",
                           hf_index_name, SHARDS_MAX);
        enum status st = open_shard(x, dir, j->text, err);
        if (st)
            return st;
    }
    return STATUS_OK;
}

static enum status check_places(const struct hf_index *x, const struct json *map,
                                struct err *err)
{
    for (const struct json *j = map->child; j; j = j->next) {
        const struct hf_entry *e = hf_index_find(x, j->key);
        if (!e || strcmp(path_name(e->file->path), j->text) != 0)
            return err_set(err, STATUS_INPUT,
                           "%s puts \"%.80s\" into %s, which does not hold it; download "
                           "the model again",
                           hf_index_name, j->key, j->text);
    }
    if (map->n != x->n)
        return err_set(err, STATUS_INPUT,
                       "%s lists %zu tensors and its files hold %zu; download the model "
                       "again",
                       hf_index_name, map->n, x->n);
    return STATUS_OK;
}

static enum status open_shards(struct hf_index *x, const char *dir, const char *path,
                               struct err *err)
{
    struct arena a;
    const struct json *root;
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, INDEX_MAX_BYTES, err);
    if (st)
        return st;
    arena_init(&a);
    struct err why = ERR_INIT;
    st = json_read(&root, &a, text, len, &why);
    if (st)
        err_set_at(err, st, why.offset, "%s: %s", hf_index_name, why.text);
    if (!st)
        st = hf_index_check(root, err);
    if (!st)
        st = open_listed(x, dir, json_get(root, "weight_map"), err);
    if (!st)
        st = index_tensors(x, err);
    if (!st)
        st = check_places(x, json_get(root, "weight_map"), err);
    arena_release(&a);
    mem_free(text);
    return st;
}

static enum status no_weights(const char *dir, struct err *err)
{
    char *pickle = path_join(dir, "pytorch_model.bin");
    bool there = file_exists(pickle);
    mem_free(pickle);
    if (there)
        return err_set(
            err, STATUS_INPUT,
            "%s holds pytorch_model.bin only, a pickle, which can run code and "
            "is not read; save the model as safetensors",
            dir);
    return err_set(err, STATUS_INPUT, "%s holds neither %s nor %s; check the path", dir,
                   hf_single_name, hf_index_name);
}

enum status hf_index_open(struct hf_index *x, const char *dir, struct err *err)
{
    *x = (struct hf_index){0};
    char *single = path_join(dir, hf_single_name);
    char *index = path_join(dir, hf_index_name);
    enum status st;
    if (!file_is_absent(single)) {
        st = open_shard(x, dir, hf_single_name, err);
        if (!st)
            st = index_tensors(x, err);
    } else if (!file_is_absent(index)) {
        st = open_shards(x, dir, index, err);
    } else {
        st = no_weights(dir, err);
    }
    mem_free(single);
    mem_free(index);
    if (st)
        hf_index_close(x);
    return st;
}

void hf_index_close(struct hf_index *x)
{
    for (size_t i = 0; i < x->n_files; i++)
        safetensors_close(&x->file[i]);
    mem_free(x->file);
    mem_free(x->entry);
    *x = (struct hf_index){0};
}

const struct hf_entry *hf_index_find(const struct hf_index *x, const char *name)
{
    const struct safetensor wanted = {.name = name};
    const struct hf_entry key = {.tensor = &wanted};
    return x->n ? bsearch(&key, x->entry, x->n, sizeof *x->entry, compare_entry) : NULL;
}
