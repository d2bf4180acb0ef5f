/* Values of config.json, read one by one: errors name the key and what must stand there.
 * A value that is null counts as missing. */
#ifndef GAIT_CHECKPOINT_HF_CONFIG_FIELDS_H
#define GAIT_CHECKPOINT_HF_CONFIG_FIELDS_H

#include "base/json_read.h"
#include "model/shape.h"

enum { CONFIG_SHOWN_MAX = 60 }; /* characters of a value in a message */

bool config_is_null(const struct json *j);
enum status config_refuse(struct err *err, const char *key, const char *why);

/* A size that must be there; one with a default. */
enum status config_size(int64_t *out, const struct json *config, const char *key,
                        struct err *err);
enum status config_size_or(int64_t *out, const struct json *config, const char *key,
                           int64_t otherwise, struct err *err);
/* key is j's name; NAN as default: it must be there. */
enum status config_positive_or(double *out, const struct json *j, const char *key,
                               double otherwise, struct err *err);
enum status config_bool_or(bool *out, const struct json *config, const char *key,
                           bool otherwise, struct err *err);
/* What Gait's models have in one form only, which is also the default. */
enum status config_need_bool(const struct json *config, const char *key, bool only,
                             struct err *err);
enum status config_need_text(const struct json *config, const char *key, const char *only,
                             struct err *err);

/* rope_theta and the scaling of a Llama config, once the context is known. */
enum status config_rope(struct model_shape *s, const struct json *c, struct err *err);

#endif
