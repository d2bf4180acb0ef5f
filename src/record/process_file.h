/*
 * What the hook wrote about one process of a recorded job (hook/gait_hook/result.py):
 * a JSON file process-<pid>.json beside the traces that it names. The job could write
 * there too, so nothing in it is believed unchecked.
 *
 * Legal order: process_file_open, reading, process_file_close.
 */
#ifndef GAIT_RECORD_PROCESS_FILE_H
#define GAIT_RECORD_PROCESS_FILE_H

#include "base/arena.h"
#include "base/json_read.h"

/* How far the recording of a process came. */
#define RECORD_STATES(E)                                                                 \
    E(STARTED, "started")                                                                \
    E(RECORDING, "recording")                                                            \
    E(ENDED_EARLY, "ended early")                                                        \
    E(COMPLETE, "complete")                                                              \
    E(JOB_PROFILES, "job profiles itself")                                               \
    E(FAILED, "failed")

#define RECORD_STATE_VALUE(v, text) RECORD_STATE_##v,
enum record_state { RECORD_STATES(RECORD_STATE_VALUE) RECORD_STATE_COUNT };
extern const char *const record_state_text[RECORD_STATE_COUNT];

enum { RECORD_VERSION = 1 };
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

/* A member that must be a list (of objects); a missing one is an error. */
enum status process_file_list(const struct process_file *p, const char *key,
                              const struct json **out, struct err *err);
/* A duration or count: a whole number from 0, missing: 0. */
enum status process_file_ns(const struct json *row, const char *key, int64_t *out,
                            struct err *err);

#endif
