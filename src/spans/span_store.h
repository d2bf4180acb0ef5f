/*
 * Any number of spans in bounded memory: they are put away in runs, each sorted and
 * packed, and given back in the order in which they began. What is packed stays in memory
 * up to a bound; what does not fit goes to a temporary file that has no name, so that
 * nothing is left behind however the process ends.
 *
 * A run is what was recorded in one go: a block of a trace's text, a buffer of the probe;
 * some thousand spans are best. `order` numbers a recording's runs as recorded, over all
 * threads; it breaks ties, so that the result does not depend on who read what.
 *
 * One writer a thread; all of them share a pool. Legal order: span_pool_new; for each
 * thread span_writer_new, (add…, end_run | drop_run)…; when all writers rest,
 * span_reader_new and its stream to the end; then free in any order.
 *
 * Memory, at most:
 *   pool    memory_bytes, and 128 bytes a run;
 *   writer  224 bytes a row of its longest run, and never more than 10 MiB;
 *   reader  64 MiB of buffers (512 bytes a run where more than 131,072 overlap), 320
 * bytes for each run that overlaps, 16 for any other. A row takes some 14 bytes, 76 at
 * most, in memory or file.
 */
#ifndef GAIT_SPANS_SPAN_STORE_H
#define GAIT_SPANS_SPAN_STORE_H

#include "spans/span_stream.h"

/* A longer run is put away in parts of this many. */
enum { SPAN_RUN_ROWS = 65536 };

struct span_pool;   /* the packed runs of all threads; safe to use from each */
struct span_writer; /* the run that one thread is recording */
struct span_reader;

/* memory_bytes: of packed rows held in memory. folder: of the temporary file; NULL:
 * $TMPDIR or /tmp. The file is made when it is needed. */
struct span_pool *span_pool_new(size_t memory_bytes, const char *folder);
void span_pool_free(struct span_pool *p);
int64_t span_pool_spilled_bytes(struct span_pool *p);

/* writer: a number of its own, 0 …, by which the reader knows whose lanes and names. */
struct span_writer *span_writer_new(struct span_pool *p, int writer);
void span_writer_free(struct span_writer *w);
/* step and line are not kept. Lane and kind are valid, the rest may be anything. */
void span_writer_add(struct span_writer *w, const struct span *span);
/* Puts the run away. STATUS_ENVIRONMENT when the temporary file cannot take it (the
 * message says what to do); then the pool is of no more use. */
enum status span_writer_end_run(struct span_writer *w, int64_t order, struct err *err);
void span_writer_drop_run(struct span_writer *w); /* as if nothing had been added */

/* lane[writer][i] and name[writer][i] give the rank's ids for a writer's own. They must
 * live as long as the reader. It may be opened again for another pass, also while another
 * is open; rows have step -1 and no line. */
struct span_reader *span_reader_new(struct span_pool *p, const int32_t *const *lane,
                                    const name_id *const *name);
struct span_stream *span_reader_stream(struct span_reader *r);
/* To be asked when the stream has ended: whether that was the end. */
enum status span_reader_status(const struct span_reader *r, struct err *err);
void span_reader_free(struct span_reader *r);

#endif
