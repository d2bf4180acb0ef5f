#include "record/process_file.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"
#include "run/run.h"

#include <string.h>

static enum status wrong(struct err *err, const char *what)
{
    return err_set(err, STATUS_INPUT,
                   "%s; was it written by another version of the hook?", what);
}

enum status process_file_list(const struct process_file *p, enum record_key key,
                              const struct json **out, struct err *err)
{
    *out = contract_get(p->root, key);
    if (!*out || (*out)->kind != JSON_KIND_ARRAY)
        return err_set(err, STATUS_INPUT, "\"%s\" is not a list", record_key_text[key]);
    return STATUS_OK;
}

enum status process_file_ns(const struct json *row, const char *key, int64_t *out,
                            struct err *err)
{
    const struct json *j = json_get(row, key);
    *out = 0;
    if (!j)
        return STATUS_OK;
    *out = json_int_or(j, -1);
    if (*out < 0 || *out > RUN_TIME_MAX_NS)
        return err_set(err, STATUS_INPUT, "\"%s\" is not a whole number from 0", key);
    return STATUS_OK;
}

static enum status read_state(struct process_file *p, struct err *err)
{
    const char *text = json_string_or(contract_get(p->root, RECORD_KEY_FILE_STATE), "");
    for (int i = 0; i < RECORD_STATE_COUNT; i++)
        if (!strcmp(text, record_state_text[i])) {
            p->state = (enum record_state)i;
            return STATUS_OK;
        }
    return wrong(err, "its state is unknown");
}

static enum status read_small(const struct process_file *p, enum record_key key,
                              int64_t max, int64_t *out, struct err *err)
{
    enum status st = process_file_ns(p->root, record_key_text[key], out, err);
    if (!st && *out > max)
        return err_set(err, STATUS_INPUT, "\"%s\" is out of range", record_key_text[key]);
    return st;
}

/* A trace lies beside the file: a name with a folder in it is not one that we wrote. */
static enum status check_round(const struct json *round, struct process_file *p,
                               struct err *err)
{
    const struct json *trace = contract_get(round, RECORD_KEY_ROUND_TRACE);
    const char *name = json_string_or(trace, NULL);
    if (!name || strlen(name) != trace->len || strchr(name, '/') || name[0] == '.')
        return wrong(err, "a round does not say which trace is its own");
    p->traced += *name != '\0';
    return STATUS_OK;
}

static enum status read_rounds(struct process_file *p, struct err *err)
{
    const struct json *rounds;
    enum status st = process_file_list(p, RECORD_KEY_FILE_ROUNDS, &rounds, err);
    if (st)
        return st;
    p->rounds = rounds->n;
    for (const struct json *r = rounds->child; r && !st; r = r->next)
        st = check_round(r, p, err);
    return st;
}

static const char *last_note(const struct process_file *p)
{
    const char *text = "";
    const struct json *notes = contract_get(p->root, RECORD_KEY_FILE_NOTES);
    if (notes && notes->kind == JSON_KIND_ARRAY)
        for (const struct json *n = notes->child; n; n = n->next)
            text = json_string_or(n, text);
    return text;
}

static enum status read_head(struct process_file *p, struct err *err)
{
    int64_t rank = 0, world = 0;
    if (json_int_or(contract_get(p->root, RECORD_KEY_FILE_VERSION), 0) != RECORD_VERSION)
        return wrong(err, "it is not what this version reads");
    enum status st = read_state(p, err);
    if (!st)
        st = read_small(p, RECORD_KEY_FILE_RANK, INT32_MAX, &rank, err);
    if (!st)
        st = read_small(p, RECORD_KEY_FILE_WORLD, INT32_MAX, &world, err);
    if (!st)
        st = read_small(p, RECORD_KEY_FILE_PID, RUN_TIME_MAX_NS, &p->pid, err);
    if (!st)
        st = read_small(p, RECORD_KEY_FILE_STEPS, RUN_TIME_MAX_NS, &p->steps, err);
    if (!st)
        st = read_rounds(p, err);
    p->rank = (int32_t)rank;
    p->world = (int32_t)world;
    p->why = last_note(p);
    return st;
}

enum status process_file_parse(struct process_file *p, const char *text, size_t len,
                               const char *name, struct err *err)
{
    *p = (struct process_file){.why = ""};
    arena_init(&p->arena);
    enum status st = json_read(&p->root, &p->arena, text, len, err);
    if (!st)
        st = read_head(p, err);
    if (st) {
        process_file_close(p);
        return err_prefix(err, "%s", name);
    }
    return STATUS_OK;
}

enum status process_file_open(struct process_file *p, const char *path, struct err *err)
{
    char *text;
    size_t len;
    enum status st = file_read(&text, &len, path, PROCESS_FILE_MAX_BYTES, err);
    if (st)
        return st;
    st = process_file_parse(p, text, len, path_name(path), err);
    mem_free(text);
    return st;
}

void process_file_close(struct process_file *p)
{
    arena_release(&p->arena);
}
