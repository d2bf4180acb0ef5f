/*
 * The text of an execution trace, cut into its nodes: one at a time, so that memory is
 * that of the longest node, whatever the file's size. Plain, gzip or zstd.
 */
#ifndef GAIT_EXECUTION_NODE_STREAM_H
#define GAIT_EXECUTION_NODE_STREAM_H

#include "base/status.h"
#include "trace/byte_source.h"

#include <stdbool.h>

/* Nodes take some kB; lists of thousands of tensors, as fused optimizers have, fit. Read, a
 * text may take 50 times its length. */
#define NODE_TEXT_MAX ((size_t)4 << 20)

struct node_stream {
    struct byte_source *source; /* not owned */
    char *window;               /* text that was read and is not used yet */
    size_t at, end;
    int64_t offset; /* of window[0] in the text */
    char *text;     /* (len) of the node */
    size_t len, cap;
    int64_t begin; /* of the node in the text */
    bool first;    /* no comma is due before the next node */
};

/* Reads the head, up to the first node. The source must outlive the stream; release it
 * also where this fails. */
enum status node_stream_init(struct node_stream *s, struct byte_source *source,
                             struct err *err);
void node_stream_release(struct node_stream *s);

/* The next node: s->text and s->len, which live until the next call. len is 0 behind the
 * last one. */
enum status node_stream_next(struct node_stream *s, struct err *err);

#endif
