/* The least and the greatest value of a chunk, by which readers leave out what they need
 * not look at. Private to parquet. */
#ifndef GAIT_PARQUET_CHUNK_BOUNDS_H
#define GAIT_PARQUET_CHUNK_BOUNDS_H

#include "parquet/parquet_chunk.h"
#include "parquet/thrift_compact.h"

/* As field `number`: how many values are NULL, and the bounds where they can be told. */
void chunk_bounds_put(struct thrift *t, int16_t number, const struct parquet_chunk *c);

#endif
