#include "trace/name_table.h"

#include "base/mem.h"
#include "trace/op_work.h"

#include <string.h>

static uint32_t table_append(struct name_table *t, const char *s, size_t len)
{
    uint32_t local = names_add(&t->names, s, len);
    vec_grow(t->named, t->cap_named, t->names.n);
    t->named[local] = (struct named){.id = shard_name(t->shard, s, len), .work_rule = -1};
    t->text_bytes += len;
    return local;
}

void name_table_init(struct name_table *t, struct reduce_shard *shard)
{
    *t = (struct name_table){.shard = shard};
    names_init(&t->names);
    table_append(t, "", 0);
    t->other = table_append(t, "(other)", 7);
}

void name_table_release(struct name_table *t)
{
    names_release(&t->names);
    mem_free(t->named);
    mem_free(t->cooked);
    *t = (struct name_table){0};
}

uint32_t name_table_add_bytes(struct name_table *t, const char *s, size_t len)
{
    int64_t known = names_find(&t->names, s, len);
    if (known >= 0)
        return (uint32_t)known;
    if (t->names.n >= NAMES_MAX || t->text_bytes + len > NAMES_TEXT_BYTES_MAX) {
        t->names_lost++;
        return t->other;
    }
    return table_append(t, s, len);
}

uint32_t name_table_add(struct name_table *t, const struct json_text *text,
                        unsigned *done)
{
    if (!text->is_raw && text->len <= NAME_BYTES_MAX)
        return name_table_add_bytes(t, text->s, text->len);
    if (!t->cooked)
        t->cooked = mem_alloc(NAME_BYTES_MAX);
    size_t len = json_text_cook(t->cooked, NAME_BYTES_MAX, text, done);
    return name_table_add_bytes(t, t->cooked, len);
}

name_id name_table_shard_id(const struct name_table *t, uint32_t local)
{
    return t->named[local].id;
}

enum span_kind name_table_kind(struct name_table *t, uint32_t local,
                               enum category category)
{
    struct named *n = &t->named[local];
    if (n->category != category) {
        const char *s = t->names.str[local];
        n->kind = (uint8_t)classify_span(category, s, t->names.len[local], false);
        n->category = (uint8_t)category;
        int64_t number;
        n->mark = (uint8_t)classify_mark(&number, category, s, t->names.len[local]);
    }
    return (enum span_kind)n->kind;
}

int name_table_work_rule(struct name_table *t, uint32_t local)
{
    struct named *n = &t->named[local];
    if (n->work_rule < 0)
        n->work_rule = (int16_t)op_work_rule(t->names.str[local], t->names.len[local]);
    return n->work_rule;
}

enum step_method name_table_mark(const struct name_table *t, uint32_t local)
{
    return (enum step_method)t->named[local].mark;
}
