/* One column of a row group: gathered, then written as pages. Private to parquet. */
#ifndef GAIT_PARQUET_PARQUET_CHUNK_H
#define GAIT_PARQUET_PARQUET_CHUNK_H

#include "base/names.h"
#include "base/strbuf.h"
#include "parquet/parquet.h"

/* Numbers of the format. */
enum { FORMAT_PLAIN = 0, FORMAT_RLE = 3, FORMAT_RLE_DICTIONARY = 8 };
int parquet_physical_type(enum parquet_type type);

struct parquet_chunk {
    const struct parquet_column *column;
    struct names distinct; /* values as Parquet's plain bytes, once each; id 0 is "" */
    bool has_empty;        /* a value is id 0 */
    uint32_t *entry;       /* (n_entries) ids of the values that are not NULL */
    size_t n_entries, cap_entries;
    uint32_t *there; /* (n_rows) 1: not NULL */
    size_t n_rows, cap_rows;
    size_t distinct_bytes, plain_bytes;
    struct strbuf mended; /* a text whose bytes were not UTF-8 */
};

void parquet_chunk_init(struct parquet_chunk *c, const struct parquet_column *column);
void parquet_chunk_release(struct parquet_chunk *c);
void parquet_chunk_clear(struct parquet_chunk *c);
void parquet_chunk_add(struct parquet_chunk *c, const struct parquet_value *v);

/* Append its pages, which will stand in the file from at on, and the ColumnChunk that
 * tells of them. Returns the bytes of the pages. */
int64_t parquet_chunk_write(struct parquet_chunk *c, struct strbuf *pages,
                            struct strbuf *meta, int64_t at);

#endif
