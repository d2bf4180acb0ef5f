/*
 * Saving. All files go into a folder with a temporary name and are fsynced; the folder is
 * fsynced and renamed; `latest` follows; only then are older checkpoints removed. See
 * durable.h for the rule and tests/unit/checkpoint/test_checkpoint_crash.c for its proof.
 */
#include "base/file.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "checkpoint/durable.h"
#include "checkpoint/shape_json.h"
#include "checkpoint/state_file.h"
#include "checkpoint/step_folder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a step is no place for other steps. */
static enum status make_folder(const char *dir, struct err *err)
{
    char *state = path_join(dir, "state.json");
    bool is_step = file_exists(state);
    mem_free(state);
    if (is_step)
        return err_set(err, STATUS_USAGE,
                       "%s is a checkpoint itself: name the folder above it", dir);
    return file_make_folders(dir, err);
}

enum status checkpoint_check(const char *dir, struct err *err)
{
    enum status st = make_folder(dir, err);
    if (st)
        return st;
    char *path = path_join(dir, "latest");
    st = file_check_writable(path, err);
    mem_free(path);
    return st;
}

/* Parts are whole numbers: safetensors_write() asks for a multiple of 4 bytes. */
static enum status get_bytes(const struct safetensor *s, uint64_t first, size_t n,
                             void *out, struct err *err)
{
    const struct checkpoint_tensor *t = s->owner;
    (void)err;
    t->get(t, (int64_t)(first / sizeof(float)), (int64_t)(n / sizeof(float)), out);
    return STATUS_OK;
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
                                    .get = get_bytes,
                                    .owner = &from[i]};
    }
}

static enum status write_tensors(struct content_hash_text *hash, const char *folder,
                                 const char *name, const struct checkpoint_tensor *tensor,
                                 size_t n, const struct safetensors_pair *metadata,
                                 size_t pairs, struct err *err)
{
    struct safetensors_content c = {.n = n,
                                    .metadata = metadata,
                                    .pairs = pairs,
                                    .hashed = true,
                                    .tensor = mem_zalloc(n, sizeof *c.tensor)};
    uint64_t *shape = mem_zalloc(n * CHECKPOINT_DIMS_MAX, sizeof *shape);
    char *path = path_join(folder, name);
    convert(c.tensor, shape, tensor, n);
    enum status st = safetensors_write(path, &c, err);
    *hash = c.hash;
    mem_free(path);
    mem_free(shape);
    mem_free(c.tensor);
    return st;
}

static enum status write_model(struct content_hash_text *hash, const char *folder,
                               const struct checkpoint_state *s,
                               const struct checkpoint_tensor *tensor, size_t n,
                               struct err *err)
{
    struct strbuf shape;
    strbuf_init(&shape);
    shape_write_json(&shape, &s->model);
    const struct safetensors_pair metadata[] = {
        {.key = "format", .value = "gait"},
        {.key = "layout", .value = "linear weights are (outputs, inputs)"},
        {.key = "model", .value = shape.s},
    };
    enum status st = write_tensors(hash, folder, checkpoint_model_name, tensor, n,
                                   metadata, sizeof metadata / sizeof *metadata, err);
    strbuf_release(&shape);
    return st;
}

static enum status write_optimizer(struct content_hash_text *hash, const char *folder,
                                   const struct checkpoint_state *s,
                                   const struct checkpoint_tensor *tensor, size_t n,
                                   struct err *err)
{
    char step[32];
    snprintf(step, sizeof step, "%lld", (long long)s->step);
    const struct safetensors_pair metadata[] = {
        {.key = "format", .value = "gait"},
        {.key = "optimizer", .value = s->optimizer},
        {.key = "step", .value = step},
    };
    return write_tensors(hash, folder, checkpoint_optimizer_name, tensor, n, metadata,
                         sizeof metadata / sizeof *metadata, err);
}

static enum status write_tokenizer(struct content_hash_text *hash, const char *folder,
                                   const struct checkpoint_state *s, struct err *err)
{
    char *path = path_join(folder, checkpoint_tokenizer_name);
    enum status st = s->write_tokenizer(s->tokenizer, path, err);
    if (!st)
        st = content_hash_file(hash, path, err);
    if (!st)
        st = file_sync(path, err);
    mem_free(path);
    return st;
}

static enum status write_state(const char *folder, const struct checkpoint_state *s,
                               const struct state_hashes *hashes, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text);
    state_write(&text, s, hashes);
    char *path = path_join(folder, checkpoint_state_name);
    enum status st = durable_write(path, text.s, text.len, err);
    mem_free(path);
    strbuf_release(&text);
    return st;
}

struct parts {
    const struct checkpoint_tensor *weights, *moments;
    size_t n_weights, n_moments;
};

/* Everything into a new folder, all of it on disk when this returns OK. */
static enum status write_folder(const char *folder, const struct checkpoint_state *s,
                                const struct parts *p, struct err *err)
{
    struct state_hashes hashes = {0};
    if (mkdir(folder, 0777))
        return file_err(err, "write", folder);
    enum status st = write_model(&hashes.model, folder, s, p->weights, p->n_weights, err);
    if (!st && p->n_moments)
        st = write_optimizer(&hashes.optimizer, folder, s, p->moments, p->n_moments, err);
    if (!st && s->write_tokenizer)
        st = write_tokenizer(&hashes.tokenizer, folder, s, err);
    if (!st)
        st = write_state(folder, s, &hashes, err);
    return st ? st : file_sync(folder, err);
}

/* May `latest` name this step? Where it cannot be read it may. */
static bool is_latest(const char *dir, const char *name)
{
    char latest[STEP_FOLDER_NAME_MAX];
    return latest_read(latest, dir, NULL) || !strcmp(latest, name);
}

/* The folder's name is the checkpoint's; one of the same step that stood there before is
 * in the temporary place afterwards. On failure what got its name is removed again, or
 * each failure would hold the room of a checkpoint; not what `latest` may name. */
static enum status place(const char *dir, const char *folder, const char *name,
                         struct err *err)
{
    char *path = path_join(dir, name);
    bool stood = file_is_dir(path);
    enum status st = durable_place_folder(folder, path, err);
    if (!st)
        st = latest_write(dir, name, err);
    if (st && !stood && file_is_dir(path) && !is_latest(dir, name))
        step_folder_remove(dir, name);
    mem_free(path);
    return st;
}

enum status checkpoint_save(const char *dir, const struct checkpoint_state *state,
                            const struct checkpoint_tensor *weights, size_t n_weights,
                            const struct checkpoint_tensor *moments, size_t n_moments,
                            int64_t keep, struct err *err)
{
    const struct parts parts = {weights, moments, n_weights, n_moments};
    char name[STEP_FOLDER_NAME_MAX];
    enum status st = make_folder(dir, err);
    if (st)
        return st;
    step_folders_recover(dir);
    temporaries_remove(dir);
    step_folder_name(name, state->step);
    char *path = path_join(dir, name), *folder = file_temporary_name(path);
    leftover_note(folder);
    st = write_folder(folder, state, &parts, err);
    if (!st)
        st = place(dir, folder, name, err);
    if (file_is_dir(folder)) /* a failure's, or the one that was replaced */
        durable_remove(folder, NULL);
    if (!st)
        old_checkpoints_remove(dir, name, keep);
    leftover_forget(folder);
    mem_free(folder);
    mem_free(path);
    return st;
}
