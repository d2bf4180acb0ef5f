#include "checkpoint/hf_config_fields.h"

#include <math.h>
#include <string.h>

bool config_is_null(const struct json *j)
{
    return !j || j->kind == JSON_KIND_NULL;
}

enum status config_refuse(struct err *err, const char *key, const char *why)
{
    return err_set(err, STATUS_INPUT, "config.json: %s: %s", key, why);
}

enum status config_size(int64_t *out, const struct json *config, const char *key,
                        struct err *err)
{
    *out = json_int_or(json_get(config, key), -1);
    if (*out > 0)
        return STATUS_OK;
    return config_refuse(err, key, "a whole number above 0 must stand there");
}

enum status config_size_or(int64_t *out, const struct json *config, const char *key,
                           int64_t otherwise, struct err *err)
{
    *out = otherwise;
    return config_is_null(json_get(config, key)) ? STATUS_OK
                                                 : config_size(out, config, key, err);
}

enum status config_positive_or(double *out, const struct json *j, const char *key,
                               double otherwise, struct err *err)
{
    *out = config_is_null(j) ? otherwise : json_double_or(j, NAN);
    if (isfinite(*out) && *out > 0)
        return STATUS_OK;
    return config_refuse(err, key, "a number above 0 must stand there");
}

enum status config_bool_or(bool *out, const struct json *config, const char *key,
                           bool otherwise, struct err *err)
{
    const struct json *j = json_get(config, key);
    *out = config_is_null(j) ? otherwise : json_bool_or(j, false);
    if (config_is_null(j) || j->kind == JSON_KIND_BOOL)
        return STATUS_OK;
    return config_refuse(err, key, "true or false must stand there");
}

enum status config_need_bool(const struct json *config, const char *key, bool only,
                             struct err *err)
{
    bool v;
    enum status st = config_bool_or(&v, config, key, only, err);
    if (st || v == only)
        return st;
    return err_set(err, STATUS_INPUT,
                   "config.json: %s is %s; Gait's models have it %s only", key,
                   v ? "true" : "false", only ? "true" : "false");
}

enum status config_need_text(const struct json *config, const char *key, const char *only,
                             struct err *err)
{
    const struct json *j = json_get(config, key);
    const char *text = config_is_null(j) ? only : json_string_or(j, "(not a text)");
    if (!strcmp(text, only))
        return STATUS_OK;
    return err_set(err, STATUS_INPUT,
                   "config.json: %s is \"%.*s\"; Gait's models have \"%s\" only", key,
                   CONFIG_SHOWN_MAX, text, only);
}
