/* Private to bundle: the header of a file in a tar archive (POSIX.1-1988, "ustar"). */
#ifndef GAIT_BUNDLE_TAR_HEADER_H
#define GAIT_BUNDLE_TAR_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum { TAR_BLOCK_BYTES = 512, TAR_NAME_MAX = 100 };

/* A plain file that everybody may read and its owner may write; of nobody in particular,
 * so that the archive does not say who made it. name has at most TAR_NAME_MAX bytes and
 * bytes is below 8 GiB, which the format's eleven octal digits hold. */
void tar_header(uint8_t out[TAR_BLOCK_BYTES], const char *name, uint64_t bytes,
                int64_t time_s);

#endif
