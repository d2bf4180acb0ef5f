/* A node's text as a row. */
#include "execution/node_parts.h"

#include "base/mem.h"
#include "trace/name_table.h"

#include <string.h>

enum { SCOPE_BACKWARD = 1 };

/* --- attributes --- */

/* *row: of schemas; NODE_NONE where the text is none. */
static enum status schema_of(int32_t *row, struct node_table *t, const char *text,
                             struct err *err)
{
    struct op_schema s;
    name_id name;
    size_t len = strlen(text);
    *row = NODE_NONE;
    if (len > NAME_BYTES_MAX)
        return STATUS_OK;
    enum status st = node_table_name(&name, t, text, len, err);
    if (st)
        return st;
    size_t before = t->cap_schema_of;
    vec_grow(t->schema_of, t->cap_schema_of, (size_t)name + 1);
    memset(t->schema_of + before, 0, (t->cap_schema_of - before) * sizeof *t->schema_of);
    if (!t->schema_of[name]) {
        t->schema_of[name] = NODE_NONE;
        if (op_schema_parse(&s, text)) {
            vec_grow(t->schema, t->cap_schemas, t->schemas + 1);
            t->schema[t->schemas++] = s;
            t->schema_of[name] = (int32_t)t->schemas;
        }
    }
    *row = t->schema_of[name] > 0 ? t->schema_of[name] - 1 : NODE_NONE;
    return STATUS_OK;
}

static enum status read_attributes(struct node_table *t, struct node *x,
                                   const struct json *attrs, struct err *err)
{
    enum status st = STATUS_OK;
    const struct json *j = attrs && attrs->kind == JSON_KIND_ARRAY ? attrs->child : NULL;
    for (; j && !st; j = j->next) {
        const char *name = json_string_or(json_get(j, "name"), "");
        const struct json *value = json_get(j, "value");
        int64_t number = json_int_or(value, 0);
        if (!strcmp(name, "seq_id"))
            x->seq = json_int_or(value, -1);
        else if (!strcmp(name, "tid"))
            x->thread = (int32_t)(number & INT32_MAX);
        else if (!strcmp(name, "fw_tid"))
            x->made_thread = (int32_t)(number & INT32_MAX);
        else if (!strcmp(name, "scope"))
            x->backward = number == SCOPE_BACKWARD;
        else if (!strcmp(name, "op_schema"))
            st = schema_of(&x->schema, t, json_string_or(value, ""), err);
    }
    return st;
}

/* The value of an argument; NULL: it was not given. */
static const struct json *argument(const struct json *inputs, int at)
{
    const struct json *j = at < 0 ? NULL : node_list(inputs, "values");
    for (; j && at > 0; at--)
        j = j->next;
    return j;
}

static void see_values(const struct node_table *t, struct node *x,
                       const struct json *inputs)
{
    const struct op_schema *s = &t->schema[x->schema];
    const struct json *chance = argument(inputs, s->chance);
    x->trains = json_bool_or(argument(inputs, s->training), false);
    x->draws = s->draws && json_double_or(chance, 1) != 0;
}

static enum status add_node(struct node_table *t, const struct json *j, struct err *err)
{
    const struct json *inputs = json_get(j, "inputs");
    struct node x = {.id = json_int_or(json_get(j, "id"), -1),
                     .parent_id = json_int_or(json_get(j, "ctrl_deps"), -1),
                     .seq = -1,
                     .parent = NODE_NONE,
                     .schema = NODE_NONE,
                     .first_tensor = t->tensors};
    const struct json *name = json_get(j, "name");
    if (x.id < 0 || !name || name->kind != JSON_KIND_STRING)
        return err_set(err, STATUS_INPUT,
                       "a node has no id or no name; is it an execution trace of another "
                       "version?");
    enum status st = node_table_name(&x.name, t, name->text, name->len, err);
    if (!st)
        st = read_attributes(t, &x, json_get(j, "attrs"), err);
    if (!st && x.schema != NODE_NONE) {
        see_values(t, &x, inputs);
        st = node_add_side(t, &x, inputs, false, err);
        if (!st)
            st = node_add_side(t, &x, json_get(j, "outputs"), true, err);
    }
    if (st)
        return st;
    vec_grow(t->node, t->cap, t->n + 1);
    t->node[t->n++] = x;
    return STATUS_OK;
}

enum status node_parse(struct node_table *t, const char *text, size_t len,
                       struct err *err)
{
    struct arena arena;
    const struct json *j;
    arena_init(&arena);
    enum status st = json_read(&j, &arena, text, len, err);
    if (!st)
        st = add_node(t, j, err);
    arena_release(&arena);
    return st;
}
