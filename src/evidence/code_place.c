#include "evidence/code_place.h"

#include "run/name_sort.h"

#include <stdio.h>
#include <string.h>

static const struct host_op *place_of(const struct host_thread *t,
                                      const struct host_op *call)
{
    if (call->frame >= 0)
        return &t->op[call->frame];
    const struct host_op *op = call;
    while (op->op_parent >= 0)
        op = &t->op[op->op_parent];
    return op;
}

bool code_place_known(const struct host_op *call)
{
    return call->frame >= 0 || call->op_parent >= 0 || call->kind == SPAN_KIND_OP;
}

name_id code_place_key(const struct evidence *e, const struct host_thread *t,
                       const struct host_op *call)
{
    return e->run->spans.name[place_of(t, call)->span];
}

/* "Qwen2RMSNorm" of "nn.Module: Qwen2RMSNorm_3" around a frame; its length, 0: none. */
static int module_around(const struct evidence *e, const struct host_thread *t,
                         const struct host_op *frame, const char **name)
{
    static const char prefix[] = "nn.Module: ";
    for (int32_t i = frame->parent; i >= 0; i = t->op[i].parent) {
        const char *s = evidence_name(e, &t->op[i]);
        if (name_sort(s, strlen(s)) == NAME_SORT_LINE)
            return 0; /* another function of the user's: the module is further out */
        if (strncmp(s, prefix, sizeof prefix - 1) != 0)
            continue;
        *name = s + sizeof prefix - 1;
        const char *number = strrchr(*name, '_');
        return number ? (int)(number - *name) : (int)strlen(*name);
    }
    return 0;
}

/* Behind the last "): " of "model.py(12): forward", behind the last ": " of a node of the
 * backward pass. */
static const char *last_part(const char *name)
{
    const char *last = name;
    for (const char *colon = name; (colon = strstr(colon, ": ")); colon += 2)
        last = colon + 2;
    return last;
}

void code_place_name(char *text, size_t size, const struct evidence *e,
                     const struct host_thread *t, const struct host_op *call)
{
    const struct host_op *place = place_of(t, call);
    const char *name = last_part(evidence_name(e, place)), *module = name;
    int len = 0;
    if (!strcmp(name, "forward") || !strcmp(name, "__call__"))
        len = module_around(e, t, place, &module);
    snprintf(text, size, "%.*s", len ? len : (int)strlen(name), module);
}

void code_place_where(char *text, size_t size, const struct evidence *e,
                      const struct host_thread *t, const struct host_op *call)
{
    char name[PLACE_NAME_MAX];
    const char *line = evidence_line(e, t, call);
    code_place_name(name, sizeof name, e, t, call);
    bool twice = *line && !strcmp(name, last_part(line));
    snprintf(text, size, "%s%s%s", twice ? "" : name, *line && !twice ? ", " : "", line);
}
