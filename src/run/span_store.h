/*
 * Any number of spans in bounded memory: they are put away in runs, each sorted and
 * packed, and given back in the order in which they began. What is packed stays in memory
 * up to a bound; what does not fit goes to a temporary file that has no name, so that
 * nothing is left behind however the process ends.
 *
 * A run is what was recorded in one go, at most SPAN_RUN_ROWS spans: a block of a trace's
 * text, a buffer of the probe. `order` numbers a recording's runs as recorded, over all
 * threads; it breaks ties, so that the result does not depend on who read what.
 *
 * One writer a thread; all of them share a pool. Legal order: span_pool_new; for each
 * thread span_writer_new, (add…, end_run | drop_run)…; when all writers rest,
 * span_reader_new and its stream to the end; then free in any order.
 */
#ifndef GAIT_RUN_SPAN_STORE_H
#define GAIT_RUN_SPAN_STORE_H

#include "run/span_stream.h"

enum { SPAN_RUN_ROWS = 65536 };

struct span_pool;   /* the packed runs of all threads; safe to use from each */
struct span_writer; /* the run that one thread is recording */
struct span_reader;

/* memory_bytes: of packed rows held in memory. folder: of the temporary file; NULL:
 * $TMPDIR or /tmp. The file is made when it is needed. */
struct span_pool *span_pool_new(size_t memory_bytes, const char *folder);
void span_pool_free(struct span_pool *p);
int64_t span_pool_spilled_bytes(const struct span_pool *p);

/* writer: a number of its own, 0 …, by which the reader knows whose lanes and names. */
struct span_writer *span_writer_new(struct span_pool *p, int writer);
void span_writer_free(struct span_writer *w);
/* step and line are not kept. A full run ends by itself, with the order of the last
 * span_writer_end_run() (0 before the first) counted on; so whoever numbers its runs keeps
 * them below SPAN_RUN_ROWS. */
void span_writer_add(struct span_writer *w, const struct span *span);
/* Puts the run away. STATUS_ENVIRONMENT when the temporary file cannot take it (the
 * message says what to do); then the pool is of no more use. */
enum status span_writer_end_run(struct span_writer *w, int64_t order, struct err *err);
void span_writer_drop_run(struct span_writer *w); /* as if nothing had been added */

/* lane[writer][i] and name[writer][i] give the run's ids for a writer's own. They must
 * live as long as the reader. It may be opened again for another pass. */
struct span_reader *span_reader_new(struct span_pool *p, const int32_t *const *lane,
                                    const name_id *const *name);
struct span_stream *span_reader_stream(struct span_reader *r);
enum status span_reader_status(const struct span_reader *r, struct err *err);
void span_reader_free(struct span_reader *r);

#endif
