/*
 * Text in, one gzip member out to a descriptor. The same library as gzip_stream.h, which
 * reads.
 *
 * Legal order: gzip_writer_new, gzip_writer_add …, gzip_writer_end, gzip_writer_free.
 */
#ifndef GAIT_TRACE_GZIP_WRITER_H
#define GAIT_TRACE_GZIP_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct gzip_writer;

struct gzip_writer *gzip_writer_new(int fd); /* the caller closes fd */
void gzip_writer_free(struct gzip_writer *w);

/* False with errno where the descriptor cannot be written to. */
bool gzip_writer_add(struct gzip_writer *w, const void *data, size_t len);
bool gzip_writer_end(struct gzip_writer *w);

#endif
