/*
 * The nodes of an execution trace as rows, in the order in which the calls began: ids are
 * given out when a call begins, and a node is written when it ends.
 */
#ifndef GAIT_EXECUTION_NODE_TABLE_H
#define GAIT_EXECUTION_NODE_TABLE_H

#include "execution/node_stream.h"
#include "execution/op_schema.h"
#include "run/run.h"

enum { NODE_NONE = -1 };
enum { NODES_MAX = 2 << 20, NODE_TENSORS_MAX = 8 << 20 };

/* A tensor that a call was given, or gave. */
struct node_tensor {
    int64_t storage;             /* address, as a number; used again after it was freed */
    int64_t offset, bytes_until; /* from the storage's beginning: its last byte's end */
    name_id shape, strides, dtype;
    int16_t argument;
    bool result;
    bool number; /* one element of a type that Python's numbers become */
};

struct node {
    int64_t id, parent_id, seq, scalars;
    int32_t parent;              /* row before this one; NODE_NONE */
    int32_t schema;              /* row of schemas; NODE_NONE: it is no operator */
    int32_t thread, made_thread; /* its own; of a backward call its forward call's */
    name_id name;
    size_t first_tensor, tensors; /* arguments before results */
    bool draws, trains;           /* by the values that it was given */
    bool backward;                /* a gradient's own node: seq is its forward call's */
};

struct node_table {
    struct run *run; /* its names */
    struct node *node;
    size_t n, cap;
    struct node_tensor *tensor;
    size_t tensors, cap_tensors;
    struct op_schema *schema;
    size_t schemas, cap_schemas;
    int32_t *schema_of; /* (names) row of each text + 1; -1: it is none; 0: not seen */
    size_t cap_schema_of;
    size_t names, names_bytes; /* that it has added to the run */
};

void node_table_init(struct node_table *t, struct run *run);
void node_table_release(struct node_table *t);

/* All nodes of the stream. */
enum status node_table_read(struct node_table *t, struct node_stream *s, struct err *err);

/* A name of the run, cut to NAME_BYTES_MAX. Names of all nodes together are bounded as those
 * of a trace are (trace/name_table.h); beyond, the file is refused: what is not told apart
 * would be taken for the same. */
enum status node_table_name(name_id *id, struct node_table *t, const char *s, size_t len,
                            struct err *err);

/* One node's text as a row more (node_parse.c). */
enum status node_parse(struct node_table *t, const char *text, size_t len,
                       struct err *err);

#endif
