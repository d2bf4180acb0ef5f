/*
 * A file of tokens, mapped and never loaded; it must not shrink while it is open (reading
 * past its new end would be a SIGBUS). Forms:
 *   raw uint16           nanoGPT's train.bin and val.bin, and gait's own shards
 *   raw uint32           gait's own shards of large vocabularies
 *   llm.c's              256 int32 of header: 20240520, version 1, count; uint16 follow
 *                        (Llama 3: 20240801, version 7, count; uint32 follow)
 */
#ifndef GAIT_DATA_TOKEN_FILE_H
#define GAIT_DATA_TOKEN_FILE_H

#include "base/status.h"
#include "data/token_range.h"

#include <stdbool.h>

enum { TOKEN_FILE_LLMC_HEADER_BYTES = 1024 };

struct token_file {
    char *path; /* owned */
    void *map;
    size_t map_bytes;
    struct token_piece piece;  /* base and path point into this struct's storage */
    bool llmc;                 /* has llm.c's header */
    struct token_check *check; /* owned; NULL where no hashes are known */
};

/* width 2 or 4: a raw file of that; 0: llm.c's header tells, else raw uint16. On OK the
 * caller calls token_file_close(). A file that is cut short, has odd bytes or holds
 * nothing is an error. */
enum status token_file_open(struct token_file *f, const char *path, int width,
                            struct err *err);
/* From here on its tokens are compared with these hashes as they are used, see
 * token_check.h. For raw files, and before piece is taken from it. */
void token_file_check(struct token_file *f, const char *hashes);
void token_file_close(struct token_file *f);

#endif
