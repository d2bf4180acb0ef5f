/* The system calls that concern files, and where their arguments name one. */
#ifndef GAIT_TOOLS_CALL_TABLE_H
#define GAIT_TOOLS_CALL_TABLE_H

#include <stddef.h>

enum call_kind {
    CALL_OTHER,
    CALL_OPEN,  /* creates a file where its flags say so */
    CALL_READ,  /* its third argument is a length */
    CALL_WRITE, /* likewise */
    CALL_WRITEV,
    CALL_CLOSE,
    CALL_MMAP,  /* counts only where it maps a file */
    CALL_FCNTL, /* counts only where it locks */
};

struct call {
    int number;
    const char *name;
    enum call_kind kind;
    signed char fd, path; /* which argument; -1: none */
    signed char flags;    /* of an open */
};

extern const struct call call_table[];
extern const size_t call_table_n;

/* NULL for a number that is not in the table. */
const struct call *call_find(long number);

#endif
