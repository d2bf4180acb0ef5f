/*
 * What the hook wrote about one process of a recorded job (hook/gait_hook/recording/result.py):
 * a JSON file process-<pid>.json beside the traces that it names. The job could write
 * there too, so nothing in it is believed unchecked.
 *
 * Legal order: process_file_open, reading, process_file_close.
 */
#ifndef GAIT_RECORD_PROCESS_FILE_H
#define GAIT_RECORD_PROCESS_FILE_H

#include "base/arena.h"
#include "base/json_read.h"
#include "record/contract.h"

/* Also the limit of every list in it: a row has more than 16 bytes. */
#define PROCESS_FILE_MAX_BYTES ((size_t)64 << 20)

struct process_file {
    struct arena arena;
    const struct json *root;
    enum record_state state;
    int32_t rank, world;
    int64_t pid;
    int64_t steps;   /* optimizer steps that the job took, as far as they were counted */
    size_t rounds;   /* of which something is known */
    size_t traced;   /* rounds with a trace */
    const char *why; /* the last of its notes, or "" */
};

/* On failure there is nothing to close; err names the file. */
enum status process_file_open(struct process_file *p, const char *path, struct err *err);
/* The same from a text in memory; name is for messages. */
enum status process_file_parse(struct process_file *p, const char *text, size_t len,
                               const char *name, struct err *err);
void process_file_close(struct process_file *p);

/* The member of an object that the contract calls so, or NULL. */
static inline const struct json *contract_get(const struct json *object,
                                              enum record_key key)
{
    return json_get(object, record_key_text[key]);
}

/* A member that must be a list (of objects); a missing one is an error. */
enum status process_file_list(const struct process_file *p, enum record_key key,
                              const struct json **out, struct err *err);
/* A duration or count: a whole number from 0, missing: 0. */
enum status process_file_ns(const struct json *row, const char *key, int64_t *out,
                            struct err *err);

/* The same of a member that the contract names. */
static inline enum status contract_ns(const struct json *row, enum record_key key,
                                      int64_t *out, struct err *err)
{
    return process_file_ns(row, record_key_text[key], out, err);
}

#endif
