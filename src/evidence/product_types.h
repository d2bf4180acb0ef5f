/* In which types a device multiplies matrices, from the names of its kernels: for traces
 * without shapes and types. */
#ifndef GAIT_EVIDENCE_PRODUCT_TYPES_H
#define GAIT_EVIDENCE_PRODUCT_TYPES_H

#include "analyze/kernel_kind.h"
#include "evidence/evidence.h"

struct product_types {
    double ns[PRECISION_COUNT]; /* of product kernels, over the recording */
    double all_ns;
};

struct product_types product_types_of(const struct evidence *e);

/* Do the names of at least half of the products' time say their type? True also where
 * there are no products. */
bool product_types_known(const struct product_types *p);

/* Is it a product in f32, on whichever units? */
bool product_is_f32(const char *kernel);

#endif
