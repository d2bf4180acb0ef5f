#include "trace/op_work.h"

#include "run/op_family.h"
#include "trace/op_work_rules.h"

#include <string.h>

typedef void op_rule(struct op_work *w, const struct op_inputs *in, int parameter);

#define RULE_VALUES(rule, values) OP_RULE_VALUES_##rule = (values),
enum { OP_RULE_LIST(RULE_VALUES) };

struct counted_op {
    const char *name;
    op_rule *rule;
    int parameter;
    enum op_family family;
    bool needs_values;
};

#define COUNTED(op, family, rule, parameter)                                             \
    {op, op_rule_##rule, parameter, OP_FAMILY_##family, OP_RULE_VALUES_##rule},
static const struct counted_op counted[] = {OP_LIST(COUNTED)};

int op_work_rule(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (strlen(counted[i].name) == len && !memcmp(counted[i].name, name, len))
            return (int)i + 1;
    return 0;
}

bool op_work_needs_values(int rule)
{
    return rule && counted[rule - 1].needs_values;
}

bool op_work_is_product(int rule)
{
    return rule && op_family_is_product(counted[rule - 1].family);
}

struct op_work op_work_count(int rule, const struct json_text *dims,
                             const struct json_text *types,
                             const struct json_text *concrete)
{
    struct op_work w = {0};
    struct op_inputs in;
    if (!rule || !op_inputs_read(&in, dims, types, concrete))
        return w;
    counted[rule - 1].rule(&w, &in, counted[rule - 1].parameter);
    if (w.type == OP_TYPE_COMPLEX64 || w.type == OP_TYPE_COMPLEX128)
        w.flop = 0; /* a multiply-add of these is more than two */
    /* What does not fit is not known, and no number stands for it. */
    if (w.flop < 0 || w.flop == INT64_MAX)
        w.flop = 0;
    if (w.bytes < 0 || w.bytes == INT64_MAX)
        w.bytes = 0;
    return w;
}

const struct op_input *op_tensor(const struct op_inputs *in, int i, int rank)
{
    if (i >= in->n || in->in[i].kind != OP_INPUT_TENSOR)
        return NULL;
    return rank < 0 || in->in[i].rank == rank ? &in->in[i] : NULL;
}

void op_add_bytes(int64_t *bytes, int64_t n, enum op_type type)
{
    if (type == OP_TYPE_NONE)
        *bytes = -1;
    else if (*bytes >= 0)
        *bytes = op_plus(*bytes, op_times(n, op_type_bytes(type)));
}

void op_add_inputs(int64_t *bytes, const struct op_inputs *in, int from, int to)
{
    for (int i = from; i < to && i < in->n; i++) {
        const struct op_input *t = &in->in[i];
        if (t->kind == OP_INPUT_TENSOR && t->type != OP_TYPE_NONE)
            op_add_bytes(bytes, t->numbers, t->type);
        else if (t->kind != OP_INPUT_TENSOR || t->rank) /* a tensor without its type */
            *bytes = -1;
    }
}
