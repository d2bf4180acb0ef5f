/*
 * What may stand in an anonymous run: words of PyTorch, of its libraries and compilers,
 * and of training in general. Whatever is not here is somebody's own and is replaced.
 */
#ifndef GAIT_ANONYMOUS_PUBLIC_WORDS_H
#define GAIT_ANONYMOUS_PUBLIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* An identifier: each of its parts (at _, at capitals, at digits) is public, or it begins
 * as kernels of known libraries do, or is a driver's call, or ends as PyTorch's own backward nodes do. */
bool public_identifier(const char *s, size_t len);
/* The first part of a name with "::": at, aten, c10d, cutlass … */
bool public_namespace(const char *s, size_t len);
/* What stands behind std:: and is C++'s own. */
bool public_in_std(const char *s, size_t len);
/* A package that everybody can install, behind site-packages: torch, triton, numpy … */
bool public_package(const char *s, size_t len);
/* One of those that a path may begin with: torch. */
bool public_root(const char *s, size_t len);
/* A package of Python itself, behind lib/python3.11. */
bool public_standard(const char *s, size_t len);
/* A folder of a path that says nothing of whose it is: lib, python3.11, site-packages. */
bool public_folder(const char *s, size_t len);
/* A function that Python or PyTorch calls by this name: forward, __next__, <module>. */
bool public_function(const char *s, size_t len);

/* The words by which rules know a function or kernel, wherever they stand in its name:
 * the i-th one, or NULL behind the last. They stay as a part of what replaces it. */
const char *telling_word(size_t i);

#endif
