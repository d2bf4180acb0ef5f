/* Sizes as people write them on a command line. */
#ifndef GAIT_CLI_SIZE_TEXT_H
#define GAIT_CLI_SIZE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number above 0 of bytes or of a unit: 500MB, 2GB (powers of ten, as files are
 * measured), 512MiB (powers of two). false where the text is nothing of it. */
bool size_parse(uint64_t *out, const char *text);

#endif
