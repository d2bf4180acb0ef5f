/*
 * Events of a trace, parsed by several threads, as if one had read the text from its
 * beginning to its end.
 *
 * Each thread takes the next block and parses its events in advance, on the guess that an
 * event begins where the block does. Then, in the order of the blocks, the guess is
 * checked: the block before must have ended between two events. If it has not, what was
 * parsed is dropped, and the block is read again behind what the one before left. So the
 * result does not depend on the number of threads. Damage, the head and the footer are
 * read in that order too (container_reader.h).
 *
 * What is done with events is the caller's: a struct block_consumer for each thread.
 */
#ifndef GAIT_TRACE_BLOCK_READER_H
#define GAIT_TRACE_BLOCK_READER_H

#include "trace/block_source.h"
#include "trace/container_reader.h"

struct block_consumer {
    void *context; /* of one thread */
    void (*event)(void *context, const struct trace_event *e);
    /* All events of the open block are wrong. */
    void (*drop)(void *context);
    /* The open block's events are right. Called in the order of blocks, one thread at a
     * time. False ends the reading here: blocks behind it count as unread. */
    bool (*accept)(void *context, const struct block *block);
    /* After accept, without order: time to put the block away. False stops all reading.
     */
    bool (*put_away)(void *context, int64_t order);
};

struct block_reader {
    struct block_source *blocks;        /* not owned; used under a lock */
    struct container_reader *container; /* not owned; used in the order of blocks */
    struct block_consumer *consumer;    /* (threads) */
    int threads;
    bool in_turn; /* the caller does the work of all threads, a block each: for fuzzing */
    void (*progress)(void *context); /* NULL: none. One thread at a time */
    void *progress_context;
};

/* Reads to the end; the calling thread is one of the threads. */
void block_reader_run(const struct block_reader *r);

#endif
