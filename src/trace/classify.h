/*
 * What an event is, from its category and name: never from its pid (in a container the
 * CPU's pid can be 1 and the GPU's 2).
 *
 * To teach it a category: add a line to categories[] in classify.c. To teach it a library
 * of collectives: collective_words[].
 */
#ifndef GAIT_TRACE_CLASSIFY_H
#define GAIT_TRACE_CLASSIFY_H

#include "run/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum category {
    CATEGORY_UNKNOWN,
    CATEGORY_OP,
    CATEGORY_PYTHON,
    CATEGORY_RUNTIME,
    CATEGORY_ANNOTATION,
    CATEGORY_OVERHEAD,
    CATEGORY_KERNEL,            /* device work */
    CATEGORY_COPY,              /* device work */
    CATEGORY_SET,               /* device work */
    CATEGORY_MTIA,              /* device work, copies and marks under one category */
    CATEGORY_COLLECTIVE,        /* collective_comm */
    CATEGORY_DEVICE_SYNC,       /* cuda_sync: a wait on a device lane, not work */
    CATEGORY_DEVICE_ANNOTATION, /* a host annotation drawn over the device's rows */
    CATEGORY_CONTAINER,         /* rows of the profiler itself */
    CATEGORY_FLOW,              /* arrows */
    CATEGORY_INSTANT,
    CATEGORY_MARK, /* known, and of no use: counted only */
    CATEGORY_COUNT
};

enum category classify_category(const char *cat, size_t len);

/* The kind of a complete event. in_collective: its args name a collective. */
enum span_kind classify_span(enum category category, const char *name, size_t len,
                             bool in_collective);
enum lane_kind classify_lane(enum category category);

/* "ProfilerStep#12" gives 12; false for any other name. */
bool classify_step(int64_t *number, const char *name, size_t len);
/* What sort of mark of a training step an event is, NONE where it is none; *number gets
 * its number, or -1. To teach it another trainer's marks: step_marks[] in classify.c. */
enum step_method classify_mark(int64_t *number, enum category category, const char *name,
                               size_t len);
/* Does a kernel of this name move data between ranks? */
bool classify_is_collective(const char *name, size_t len);
/* Does this call of a device's runtime block the thread that makes it? */
bool classify_is_blocking(const char *name, size_t len);

#endif
