/* Where the rotary positions stand in a config depends on the version that wrote it. */
#include "checkpoint/hf_config_fields.h"

#include <math.h>
#include <string.h>

static enum status read_llama3(struct model_shape *s, const struct json *rope,
                               struct err *err)
{
    struct rope_scaling *r = &s->rope_scaling;
    r->on = true;
    enum status st =
        config_positive_or(&r->factor, json_get(rope, "factor"), "factor", NAN, err);
    if (!st)
        st = config_positive_or(&r->low_freq_factor, json_get(rope, "low_freq_factor"),
                                "low_freq_factor", NAN, err);
    if (!st)
        st = config_positive_or(&r->high_freq_factor, json_get(rope, "high_freq_factor"),
                                "high_freq_factor", NAN, err);
    if (!st)
        st = config_size_or(&r->original_context, rope,
                            "original_max_position_embeddings", s->context, err);
    return st;
}

/* rope_scaling before rope_parameters, and what stands in them before what stands beside
 * them: as transformers does. */
static enum status find_rope(const struct json **rope, const struct json *c,
                             struct err *err)
{
    static const char *const keys[] = {"rope_scaling", "rope_parameters"};
    *rope = NULL;
    for (int i = 0; i < 2; i++) {
        const struct json *j = json_get(c, keys[i]);
        if (!config_is_null(j) && j->kind != JSON_KIND_OBJECT)
            return config_refuse(err, keys[i], "an object or null must stand there");
        if (!*rope && !config_is_null(j) && j->n)
            *rope = j;
    }
    return STATUS_OK;
}

static enum status check_rotates_whole_heads(const struct json *j, struct err *err)
{
    double partial;
    enum status st = config_positive_or(&partial, json_get(j, "partial_rotary_factor"),
                                        "partial_rotary_factor", 1, err);
    if (st || partial == 1)
        return st;
    return config_refuse(err, "partial_rotary_factor",
                         "Gait's models rotate whole heads only");
}

enum status config_rope(struct model_shape *s, const struct json *c, struct err *err)
{
    const struct json *rope, *theta;
    enum status st = find_rope(&rope, c, err);
    if (!st)
        st = check_rotates_whole_heads(rope, err);
    if (!st)
        st = check_rotates_whole_heads(c, err);
    if (st)
        return st;
    theta = json_get(rope, "rope_theta");
    st = config_positive_or(&s->rope_theta,
                            config_is_null(theta) ? json_get(c, "rope_theta") : theta,
                            "rope_theta", 10000, err);
    if (st)
        return st;
    const char *type = json_string_or(json_get(rope, "rope_type"),
                                      json_string_or(json_get(rope, "type"), "default"));
    if (!strcmp(type, "llama3"))
        return read_llama3(s, rope, err);
    if (!strcmp(type, "default"))
        return STATUS_OK;
    return err_set(
        err, STATUS_INPUT,
        "config.json: rope_type is \"%.*s\"; Gait's models have \"default\" and "
        "\"llama3\"",
        CONFIG_SHOWN_MAX, type);
}
