#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "checkpoint/checkpoint_parts.h"
#include "checkpoint/shape_json.h"
#include "checkpoint/state_file.h"

#include <string.h>

enum { STATE_MAX_BYTES = 16 << 20 };

static enum status read_state(struct checkpoint *c, struct err *err)
{
    char *path = path_join(c->path, checkpoint_state_name), *text = NULL;
    size_t len;
    enum status st = file_read(&text, &len, path, STATE_MAX_BYTES, err);
    if (!st) {
        st = state_read(c, text, len, err);
        if (st)
            err_prefix(err, "%s", path);
    }
    mem_free(text);
    mem_free(path);
    return st;
}

static enum status read_shape(struct checkpoint *c, struct err *err)
{
    const char *text = safetensors_metadata(&c->model_file.header, "model");
    const struct json *j;
    enum status st;
    if (!text)
        return err_set(err, STATUS_INPUT, "%s does not say which model it holds",
                       c->model_file.path);
    st = json_read(&j, &c->arena, text, strlen(text), err);
    if (!st)
        st = shape_read_json(&c->model, j, err);
    if (st)
        err_prefix(err, "%s", c->model_file.path);
    return st;
}

enum status checkpoint_open_file(const struct checkpoint *c, struct safetensors_file *f,
                                 const char *name, struct err *err)
{
    const char *stated = json_string_or(json_get(c->files, name), NULL);
    if (!stated)
        return err_set(err, STATUS_INPUT,
                       "%s was saved without %s; train on from one "
                       "that has it",
                       c->path, name);
    char *path = path_join(c->path, name);
    enum status st = safetensors_open(f, path, err);
    if (!st && strcmp(stated, f->hash.s) != 0) {
        safetensors_close(f);
        st = err_set(err, STATUS_INPUT, "%s: its header is not the one that was written",
                     path);
    }
    mem_free(path);
    return st;
}

enum status checkpoint_open(struct checkpoint *c, const char *path, struct err *err)
{
    struct err unread = ERR_INIT; /* err_prefix() needs one */
    if (!err)
        err = &unread;
    *c = (struct checkpoint){.path = mem_strdup(path), .model_file.fd = -1};
    arena_init(&c->arena);
    enum status st = read_state(c, err);
    if (!st)
        st = checkpoint_open_file(c, &c->model_file, checkpoint_model_name, err);
    if (!st)
        st = read_shape(c, err);
    if (st)
        checkpoint_close(c);
    return st;
}

void checkpoint_close(struct checkpoint *c)
{
    safetensors_close(&c->model_file);
    arena_release(&c->arena);
    mem_free(c->path);
    *c = (struct checkpoint){.model_file.fd = -1};
}

const char *checkpoint_position(const struct checkpoint *c, const char *key)
{
    return json_string_or(json_get(c->position, key), NULL);
}

enum status checkpoint_check_model(const struct checkpoint *c,
                                   const struct model_shape *here, struct err *err)
{
    struct strbuf differences;
    enum status st = STATUS_OK;
    strbuf_init(&differences);
    if (shape_differences(&differences, here, &c->model))
        st = err_set(err, STATUS_INPUT,
                     "%s holds another model: %s; use the settings that it was trained "
                     "with, or another checkpoint_dir",
                     c->path, differences.s);
    strbuf_release(&differences);
    return st;
}
