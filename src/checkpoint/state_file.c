#include "checkpoint/state_file.h"

#include "base/json_writer.h"
#include "base/mem.h"

#include <string.h>

const char checkpoint_state_name[] = "state.json";
const char checkpoint_model_name[] = "model.safetensors";
const char checkpoint_optimizer_name[] = "optimizer.safetensors";
const char checkpoint_tokenizer_name[] = "tokenizer.json";

static const char format_text[] = "gait-checkpoint";

enum { STATE_VERSION = 1 };

static void write_position(struct json_writer *w, const struct checkpoint_state *s)
{
    json_key(w, "position");
    json_begin_object(w);
    for (size_t i = 0; i < s->positions; i++)
        json_field_string(w, s->position[i].key, s->position[i].value);
    json_end(w);
}

static void write_files(struct json_writer *w, const struct state_hashes *h)
{
    json_key(w, "files");
    json_begin_object(w);
    json_field_string(w, checkpoint_model_name, h->model.s);
    if (*h->optimizer.s)
        json_field_string(w, checkpoint_optimizer_name, h->optimizer.s);
    if (*h->tokenizer.s)
        json_field_string(w, checkpoint_tokenizer_name, h->tokenizer.s);
    json_end(w);
}

/* They are JSON already and go into the text as they are. */
static void write_settings(struct json_writer *w, const char *text)
{
    struct arena a;
    const struct json *j;
    arena_init(&a);
    if (json_read(&j, &a, text, strlen(text), NULL))
        BUG("settings that are not JSON: %.60s", text);
    arena_release(&a);
    json_key(w, "settings");
    strbuf_puts(w->out, text);
    w->after_key = false;
}

void state_write(struct strbuf *out, const struct checkpoint_state *s,
                 const struct state_hashes *hashes)
{
    struct json_writer w;
    json_init(&w, out);
    json_begin_object(&w);
    json_field_string(&w, "format", format_text);
    json_field_int(&w, "version", STATE_VERSION);
    json_field_int(&w, "step", s->step);
    json_field_string(&w, "optimizer", *hashes->optimizer.s ? s->optimizer : "");
    write_position(&w, s);
    write_files(&w, hashes);
    if (s->settings)
        write_settings(&w, s->settings);
    json_field_string(&w, CONTENT_HASH_SEAL, CONTENT_HASH_UNSEALED);
    json_end(&w);
    content_hash_seal(out->s, out->len);
}

static enum status check_kind(const struct json *root, struct err *err)
{
    int64_t version = json_int_or(json_get(root, "version"), 0);
    if (strcmp(json_string_or(json_get(root, "format"), ""), format_text) != 0)
        return err_set(err, STATUS_INPUT, "it is not the state of a checkpoint");
    if (version == STATE_VERSION)
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "it is of version %lld and this program knows version %d; use the "
                   "program that wrote it",
                   (long long)version, STATE_VERSION);
}

static bool all_strings(const struct json *object)
{
    if (!object || object->kind != JSON_KIND_OBJECT)
        return false;
    for (const struct json *j = object->child; j; j = j->next)
        if (j->kind != JSON_KIND_STRING)
            return false;
    return true;
}

enum status state_read(struct checkpoint *c, char *text, size_t len, struct err *err)
{
    const struct json *root;
    enum status st = json_read(&root, &c->arena, text, len, err);
    if (!st)
        st = check_kind(root, err);
    if (st)
        return st;
    if (!content_hash_is_sealed(text, len))
        return err_set(err, STATUS_INPUT, "its text is not what was written");
    c->step = json_int_or(json_get(root, "step"), -1);
    c->optimizer = json_string_or(json_get(root, "optimizer"), "");
    c->position = json_get(root, "position");
    c->files = json_get(root, "files");
    if (c->step < 0 || !all_strings(c->position) || !all_strings(c->files))
        return err_set(err, STATUS_INPUT, "it lacks a good step, position or files");
    c->settings = json_get(root, "settings");
    return STATUS_OK;
}
