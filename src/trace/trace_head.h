/*
 * What stands beside traceEvents, before or after it: the rank, the device, the base of
 * the clock, how the profiler was set. And the rank from a file's name, where the text
 * does not say.
 */
#ifndef GAIT_TRACE_TRACE_HEAD_H
#define GAIT_TRACE_TRACE_HEAD_H

#include "run/run.h"
#include "trace/json_scan.h"

enum { HEAD_TEXT_BYTES = 128, HEAD_KEYS_KEPT = 8 };

/* H(member, "key"): switches of the profiler, kept as facts trace.<key>. */
#define HEAD_SWITCH_LIST(H)                                                              \
    H(schema_version, "schemaVersion")                                                   \
    H(record_shapes, "record_shapes")                                                    \
    H(with_stack, "with_stack")                                                          \
    H(profile_memory, "profile_memory")                                                  \
    H(with_flops, "with_flops")                                                          \
    H(with_modules, "with_modules")

struct trace_head {
    int64_t rank;                 /* -1: not said */
    int64_t world;                /* 0: not said */
    int64_t base_ns;              /* 0: not said */
    char device[HEAD_TEXT_BYTES]; /* model; "" where not said */
    char host[HEAD_TEXT_BYTES];
    char backend[HEAD_TEXT_BYTES];
#define HEAD_SWITCH_MEMBER(member, key) int64_t member; /* -1: not said */
    HEAD_SWITCH_LIST(HEAD_SWITCH_MEMBER)
    /* The first keys that are not known here: to tell the user what a file is. */
    char other_key[HEAD_KEYS_KEPT][HEAD_TEXT_BYTES];
    int other_keys;
};

void trace_head_init(struct trace_head *h);

/* One member of the outermost object; value is its raw JSON. A value that is not as
 * expected is passed over. */
void trace_head_member(struct trace_head *h, const struct json_text *key,
                       const struct json_text *value);

/* Facts of what the head said, for this rank's row. */
void trace_head_to_run(const struct trace_head *h, struct run *run, int32_t rank);

/* The number in rank-34, rank_0, worker3 … of the file's own name, else of its folder's;
 * -1 where there is none. */
int64_t rank_from_path(const char *path);

#endif
