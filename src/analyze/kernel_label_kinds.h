/*
 * Kinds of kernels whose names follow a grammar of their own. Each appends a label and
 * returns true, or appends nothing. Private to the kernel_label*.c files.
 */
#ifndef GAIT_ANALYZE_KERNEL_LABEL_KINDS_H
#define GAIT_ANALYZE_KERNEL_LABEL_KINDS_H

#include "analyze/kernel_words.h"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

struct word_meaning {
    const char *word, *means;
};

/* kernel_label_products.c */
bool label_attention(struct strbuf *out, const struct kernel_name *k);
bool label_convolution(struct strbuf *out, const struct kernel_name *k);
bool label_gemm(struct strbuf *out, const struct kernel_name *k);

/* kernel_label_functor.c: kernels that are given what to do */
bool label_given(struct strbuf *out, const struct kernel_name *k);
/* The first name in template arguments that says what is done. */
bool functor_in(const char *args, struct identifier *functor);

/* Behind the operation: " f32", " (cuDNN)". Nothing where the name does not say it. */
void label_add_type(struct strbuf *out, const char *type);
void label_add_library(struct strbuf *out, const struct kernel_name *k);

#endif
