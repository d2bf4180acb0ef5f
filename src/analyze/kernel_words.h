/*
 * The words in the names of kernels: types, what a functor or a function is called
 * without the parts that all of them have, what kernels do, whose they are.
 */
#ifndef GAIT_ANALYZE_KERNEL_WORDS_H
#define GAIT_ANALYZE_KERNEL_WORDS_H

#include "analyze/kernel_name.h"

/* "f32" of "float"; NULL: it is no type of data. */
const char *kernel_type_of(const char *word, size_t len);

/* The type that a kernel with these template arguments is of: the first of floating
 * point, as others count or index; of keys, simply the first one. NULL: none is named. */
enum kernel_type_choice { KERNEL_TYPE_FLOAT_FIRST, KERNEL_TYPE_FIRST };
const char *kernel_type_in(const char *args, size_t len, enum kernel_type_choice choice);

/* Append "max pool backward nchw" of "max_pool_backward_nchw_kernel". */
void kernel_words(struct strbuf *out, const char *name, size_t len);

/* Is one of these words what a kernel is known to do? */
bool kernel_words_are_known(const char *words);

/* "cuDNN": whose kernel it says to be; "" where it does not. */
const char *kernel_library_of(const char *whole);

#endif
