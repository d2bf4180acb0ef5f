/* The strings of TOML, decoded. Private to this folder. */
#ifndef GAIT_SOURCE_TOML_STRING_H
#define GAIT_SOURCE_TOML_STRING_H

#include "base/arena.h"

#include <stddef.h>

/* raw[0..len) with its quotes, of any of the four kinds. NULL: *problem says what is
 * wrong with it. */
const char *toml_string(struct arena *a, const char *raw, size_t len,
                        const char **problem);

#endif
