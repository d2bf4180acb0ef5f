#include "bundle/tar_header.h"

#include "base/status.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the fields begin. */
enum {
    AT_NAME = 0,
    AT_MODE = 100,
    AT_UID = 108,
    AT_GID = 116,
    AT_SIZE = 124,
    AT_TIME = 136,
    AT_CHECKSUM = 148,
    AT_TYPE = 156,
    AT_MAGIC = 257,
};

static const uint64_t OCTAL_11_MAX = 077777777777;

void tar_header(uint8_t out[TAR_BLOCK_BYTES], const char *name, uint64_t bytes,
                int64_t time_s)
{
    char *text = (char *)out;
    uint64_t time = time_s > 0 ? (uint64_t)time_s : 0;
    unsigned sum = 0;
    if (strlen(name) > TAR_NAME_MAX || bytes > OCTAL_11_MAX)
        BUG("%s of %" PRIu64 " bytes does not fit into a tar header", name, bytes);
    memset(out, 0, TAR_BLOCK_BYTES);
    memcpy(text + AT_NAME, name, strlen(name));
    snprintf(text + AT_MODE, 8, "%07o", 0644);
    snprintf(text + AT_UID, 8, "%07o", 0);
    snprintf(text + AT_GID, 8, "%07o", 0);
    snprintf(text + AT_SIZE, 12, "%011" PRIo64, bytes);
    snprintf(text + AT_TIME, 12, "%011" PRIo64, time & OCTAL_11_MAX);
    memset(text + AT_CHECKSUM, ' ', 8); /* counted as blanks */
    text[AT_TYPE] = '0';
    memcpy(text + AT_MAGIC, "ustar\00000", 8);
    for (int i = 0; i < TAR_BLOCK_BYTES; i++)
        sum += out[i];
    snprintf(text + AT_CHECKSUM, 8, "%06o", sum & 0777777);
}
