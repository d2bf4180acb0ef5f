/* A YAML file of "name: number" lines, and nothing else. */
#ifndef GAIT_CONFIG_YAML_NUMBERS_H
#define GAIT_CONFIG_YAML_NUMBERS_H

#include "base/status.h"

typedef enum status yaml_number_fn(void *context, const char *key, double value,
                                   struct err *err);

/* take() is called for each; the first error ends it, with the file and line in front. */
enum status yaml_numbers(const char *path, yaml_number_fn *take, void *context,
                         struct err *err);

#endif
