#include "train/update_counts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void update_counts_print(struct strbuf *out, const struct optimizer *o,
                         const struct param_table *params)
{
    for (size_t i = 0; i < params->n; i++)
        strbuf_printf(out, "%s%s %" PRId64, i ? "," : "", params->param[i].name,
                      o->updates[i]);
}

/* One "<parameter> <count>"; NULL where the text is not that of this table. */
static const char *read_count(const char *text, int64_t *count, const char *name,
                              int64_t most)
{
    size_t len = strlen(name);
    char *end;
    if (strncmp(text, name, len) || text[len] != ' ')
        return NULL;
    *count = strtoll(text + len + 1, &end, 10);
    return end > text + len + 1 && *count >= 0 && *count <= most ? end : NULL;
}

/* The order is that of the table, which the shape of the model alone decides. */
static bool read_counts(const char *text, int64_t *updates,
                        const struct param_table *params, int64_t most)
{
    for (size_t i = 0; i < params->n; i++) {
        text = read_count(text, &updates[i], params->param[i].name, most);
        if (!text || *text != (i + 1 < params->n ? ',' : '\0'))
            return false;
        text++;
    }
    return true;
}

enum status update_counts_load(struct optimizer *o, const struct param_table *params,
                               const struct checkpoint *c, struct err *err)
{
    const char *text = checkpoint_position(c, UPDATE_COUNTS_KEY);
    if (text && !o->updates)
        return err_set(err, STATUS_INPUT,
                       "%s was trained with top_k, so its tensors were not updated in "
                       "every step; set top_k: %zu to update all of them from here on",
                       c->path, params->n);
    if (text && !read_counts(text, o->updates, params, c->step))
        return err_set(err, STATUS_INPUT,
                       "%s: \"" UPDATE_COUNTS_KEY "\" is not a count for each tensor of "
                       "this model; use an older checkpoint",
                       c->path);
    for (size_t i = 0; !text && o->updates && i < params->n; i++)
        o->updates[i] = c->step;
    return STATUS_OK;
}
