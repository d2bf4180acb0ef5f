/*
 * Names of one reader, bounded: at most NAMES_MAX of them in NAMES_TEXT_BYTES_MAX,
 * whatever a trace holds (for each reading thread). Beyond, every new name is "(other)".
 * Each name remembers what it was classified as, so that a name is looked at once and not
 * once an event.
 */
#ifndef GAIT_TRACE_NAME_TABLE_H
#define GAIT_TRACE_NAME_TABLE_H

#include "reduce/reduce.h"
#include "trace/classify.h"
#include "trace/json_scan.h"

enum {
    NAMES_MAX = 1000000,
    NAMES_TEXT_BYTES_MAX = 64 << 20,
    NAME_BYTES_MAX = 16 << 10, /* of one name; longer ones are cut */
};

struct named {
    name_id id;       /* in the shard */
    uint8_t category; /* for which kind holds; CATEGORY_UNKNOWN: not yet */
    uint8_t kind;
    int16_t work_rule; /* of op_work.h; -1: not looked for yet */
    uint8_t mark;      /* enum step_method */
};

struct name_table {
    struct reduce_shard *shard; /* not owned */
    struct names names;         /* local ids */
    struct named *named;        /* (names.n) by local id */
    size_t cap_named;
    size_t text_bytes;
    uint32_t other;     /* local id of "(other)" */
    int64_t names_lost; /* times "(other)" was given instead */
    char *cooked;       /* (NAME_BYTES_MAX); NULL until it is needed */
};

void name_table_init(struct name_table *t, struct reduce_shard *shard);
void name_table_release(struct name_table *t);

/* The local id of a text of the trace; *done gets COOK_* bits. */
uint32_t name_table_add(struct name_table *t, const struct json_text *text,
                        unsigned *done);
/* The same for bytes that need no cooking. */
uint32_t name_table_add_bytes(struct name_table *t, const char *s, size_t len);

name_id name_table_shard_id(const struct name_table *t, uint32_t local);
/* The kind of a complete event of this name and category. */
enum span_kind name_table_kind(struct name_table *t, uint32_t local,
                               enum category category);
/* The rule that counts the work of an operator of this name; 0: none. */
int name_table_work_rule(struct name_table *t, uint32_t local);
/* What mark of a step it is; after name_table_kind() of the same category. */
enum step_method name_table_mark(const struct name_table *t, uint32_t local);

#endif
