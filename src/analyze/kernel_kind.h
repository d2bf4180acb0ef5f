/*
 * What a device kernel is, from the words in its name: libraries write the instruction
 * they use, the types and the algorithm into it. A name says nothing for sure; what is
 * not understood is counted as such.
 */
#ifndef GAIT_ANALYZE_KERNEL_KIND_H
#define GAIT_ANALYZE_KERNEL_KIND_H

#include "analyze/device_peaks.h"

#include <stdbool.h>

/* On which units a kernel multiplies matrices. */
enum kernel_units {
    KERNEL_UNITS_NONE,    /* no product of matrices */
    KERNEL_UNITS_MATRIX,  /* tensor cores, matrix cores */
    KERNEL_UNITS_PLAIN,   /* the ordinary multipliers */
    KERNEL_UNITS_UNKNOWN, /* a product, and the name does not say */
    KERNEL_UNITS_COUNT
};
enum kernel_units kernel_units_of(const char *name);

/* Of the factors, where the name of a product says it, else PRECISION_UNKNOWN. */
enum precision kernel_precision_of(const char *name);

#define ATTENTION_KIND_LIST(E)                                                           \
    E(FLASH, "flash")                                                                    \
    E(EFFICIENT, "memory-efficient")                                                     \
    E(CUDNN, "cudnn")                                                                    \
    E(PLAIN, "plain softmax between products")
#define ATTENTION_KIND_VALUE(v, text) ATTENTION_KIND_##v,
enum attention_kind { ATTENTION_KIND_LIST(ATTENTION_KIND_VALUE) ATTENTION_KIND_COUNT };
extern const char *const attention_kind_text[ATTENTION_KIND_COUNT];

/* Is a kernel, or an operator, attention of some kind? -1: no. */
int kernel_attention_kind(const char *kernel);
int op_attention_kind(const char *op);

#define COPY_KIND_LIST(E)                                                                \
    E(PAGEABLE_TO_DEVICE, "host to device, pageable")                                    \
    E(PINNED_TO_DEVICE, "host to device, pinned")                                        \
    E(HOST_TO_DEVICE, "host to device, memory not said")                                 \
    E(DEVICE_TO_PAGEABLE, "device to host, pageable")                                    \
    E(DEVICE_TO_PINNED, "device to host, pinned")                                        \
    E(DEVICE_TO_HOST, "device to host, memory not said")                                 \
    E(DEVICE_TO_DEVICE, "within a device")                                               \
    E(PEER_TO_PEER, "between devices")                                                   \
    E(OTHER, "other")
#define COPY_KIND_VALUE(v, text) COPY_KIND_##v,
enum copy_kind { COPY_KIND_LIST(COPY_KIND_VALUE) COPY_KIND_COUNT };
extern const char *const copy_kind_text[COPY_KIND_COUNT];

/* "Memcpy HtoD (Pageable -> Device)" */
enum copy_kind copy_kind_of(const char *name);

#endif
