/*
 * Writes everything into <out>.tmp-<pid> and gives it its name at the end. What was
 * written is listed in gait-export.json, so that a later --force can tell an export,
 * which it may replace, from a folder that someone has put work into, which it may not.
 */
#include "checkpoint/hf_export.h"

#include "base/file.h"
#include "base/folder_reader.h"
#include "base/json_writer.h"
#include "base/leftover.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/path.h"
#include "checkpoint/durable.h"
#include "checkpoint/export_tokenizer.h"
#include "checkpoint/hf_shards.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char list_name[] = "gait-export.json";
static const char list_format[] = "gait-export";
enum { LIST_VERSION = 1, LIST_MAX_BYTES = 4 << 20 };

static bool is_listed(const struct json *files, const char *name)
{
    if (!strcmp(name, list_name))
        return true;
    for (const struct json *j = files ? files->child : NULL; j; j = j->next)
        if (!strcmp(json_string_or(j, ""), name))
            return true;
    return false;
}

/* The first name in dir that `files` does not list; the caller frees it. NULL: none. */
static enum status find_unlisted(char **found, const char *dir, const struct json *files,
                                 struct err *err)
{
    struct folder_reader f;
    *found = NULL;
    folder_open(&f, dir);
    for (const char *name; !*found && (name = folder_next(&f));)
        if (!is_listed(files, name))
            *found = mem_strdup(name);
    return folder_close(&f, err);
}

/* A folder that is not empty may be replaced where its list covers all that is in it. */
static enum status check_replaceable(const char *out, struct err *err)
{
    struct arena a;
    const struct json *root = NULL;
    char *path = path_join(out, list_name), *text = NULL, *other = NULL;
    size_t len;
    arena_init(&a);
    enum status st = file_read(&text, &len, path, LIST_MAX_BYTES, err);
    if (st == STATUS_ENVIRONMENT) /* the disk's fault, not the folder's */
        goto out;
    if (!st && json_read(&root, &a, text, len, NULL))
        root = NULL;
    bool ours = !strcmp(json_string_or(json_get(root, "format"), ""), list_format);
    st = find_unlisted(&other, out, ours ? json_get(root, "files") : NULL, err);
    if (!st && (!ours || other))
        st = err_set(err, STATUS_ENVIRONMENT,
                     "%s holds %s, which is not of an export, and is left alone; choose "
                     "another folder",
                     out, other ? other : "files");
out:
    mem_free(other);
    mem_free(text);
    mem_free(path);
    arena_release(&a);
    return st;
}

static enum status check_target(const char *out, bool force, struct err *err)
{
    struct stat s;
    char *other;
    if (stat(out, &s))
        return errno == ENOENT ? STATUS_OK : file_err(err, "write", out);
    if (!S_ISDIR(s.st_mode))
        return err_set(err, STATUS_ENVIRONMENT,
                       "cannot export to %s: it is a file; name a folder", out);
    enum status st = find_unlisted(&other, out, NULL, err);
    if (st)
        return st;
    char *list = path_join(out, list_name);
    bool empty = !other && stat(list, &s) && errno == ENOENT;
    mem_free(other);
    mem_free(list);
    if (empty)
        return STATUS_OK;
    if (force)
        return check_replaceable(out, err);
    return err_set(err, STATUS_ENVIRONMENT,
                   "%s is not empty; choose another folder, or replace an older export "
                   "with --force",
                   out);
}

static enum status write_config(const struct hf_model *m, const char *folder,
                                enum safetensors_dtype dtype, struct err *err)
{
    struct strbuf text;
    strbuf_init(&text);
    hf_config_write(&text, &m->shape, &m->special, dtype);
    char *path = path_join(folder, "config.json");
    enum status st = durable_write(path, text.s, text.len, err);
    mem_free(path);
    strbuf_release(&text);
    return st;
}

static enum status write_list(const char *folder, struct err *err)
{
    struct strbuf text;
    struct json_writer w;
    struct folder_reader f;
    strbuf_init(&text);
    json_init(&w, &text);
    json_begin_object(&w);
    json_field_string(&w, "format", list_format);
    json_field_int(&w, "version", LIST_VERSION);
    json_key(&w, "files");
    json_begin_array(&w);
    folder_open(&f, folder);
    for (const char *name; (name = folder_next(&f));)
        json_string(&w, name);
    json_end(&w);
    json_end(&w);
    enum status st = folder_close(&f, err);
    char *path = path_join(folder, list_name);
    if (!st)
        st = durable_write(path, text.s, text.len, err);
    mem_free(path);
    strbuf_release(&text);
    return st;
}

static enum status write_all(struct hf_model *m, const char *folder,
                             const struct hf_export_options *options,
                             struct hf_export_result *result, struct err *err)
{
    struct hf_shards shards;
    if (mkdir(folder, 0777))
        return file_err(err, "write", folder);
    hf_shards_plan(&shards, m->layout, options);
    enum status st = hf_shards_write(&shards, folder, m, options, err);
    if (!st)
        st = hf_tokenizer_write(&result->tokenizer, m, folder, err);
    if (!st)
        st = write_config(m, folder, options->dtype, err);
    if (!st)
        st = write_list(folder, err);
    result->shape = m->shape;
    result->has_tokenizer = m->tokenizer != NULL;
    result->parameters = shards.parameters;
    result->bytes = shards.bytes;
    result->shards = shards.n;
    hf_shards_release(&shards);
    return st ? st : file_sync(folder, err);
}

/* The name without slashes at its end, a folder that exists by its real path. */
static char *target_of(const char *out)
{
    char *real = realpath(out, NULL);
    if (real)
        return real;
    size_t n = strlen(out);
    while (n > 1 && out[n - 1] == '/')
        n--;
    return mem_strndup(out, n);
}

enum status hf_export(const char *from, const char *out,
                      const struct hf_export_options *options,
                      struct hf_export_result *result, struct err *err)
{
    struct hf_model m;
    char *target = target_of(out), *folder = file_temporary_name(target);
    *result = (struct hf_export_result){0};
    enum status st = durable_recover(target, err);
    if (!st)
        st = check_target(out, options->force, err);
    if (!st)
        st = hf_model_open(&m, from, err);
    if (st)
        goto out;
    leftover_note(folder);
    st = write_all(&m, folder, options, result, err);
    if (!st)
        st = durable_place_folder(folder, target, err);
    if (file_is_dir(folder)) /* a failure's, or the export that was replaced */
        durable_remove(folder, NULL);
    hf_model_close(&m);
out:
    leftover_forget(folder);
    mem_free(folder);
    mem_free(target);
    return st;
}
