/*
 * Python text as a syntax tree, private to this folder. Broken Python gives a tree with
 * error nodes; what is whole in it is still found.
 */
#ifndef GAIT_SOURCE_PYTHON_TREE_H
#define GAIT_SOURCE_PYTHON_TREE_H

#include "base/status.h"

#include <stddef.h>
#include <tree_sitter/api.h>

/* The grammar's only entry; its distribution has no header for it. */
const TSLanguage *tree_sitter_python(void);

/* Time limits keep hostile input from holding the program. */
enum { PYTHON_PARSE_MICROS_MAX = 10 * 1000 * 1000 };

/* On OK the caller frees *out with ts_tree_delete(). */
enum status python_parse(TSTree **out, const char *text, size_t len, const char *name,
                         struct err *err);

#endif
