/*
 * Python text as a syntax tree, private to this folder. Broken Python gives a tree with
 * error nodes; what is whole in it is still found.
 */
#ifndef GAIT_SOURCE_PYTHON_TREE_H
#define GAIT_SOURCE_PYTHON_TREE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <tree_sitter/api.h>

/* The grammar's only entry; its distribution has no header for it. */
const TSLanguage *tree_sitter_python(void);

enum {
    PYTHON_SYMBOLS_MAX = 512, /* of the grammar */
    SOURCE_DEPTH_MAX = 2000,  /* of nesting; what people write stays below 200 */
    /* CPU time of the thread, for parsing, for the walk and for the search: keeps hostile
     * input from holding the program. */
    PYTHON_PARSE_MICROS_MAX = 10 * 1000 * 1000,
};

#define SOURCE_TOO_LONG "%s takes too long to check; split the file"

/* The kinds of nodes that this folder asks for, by their names in the grammar. */
#define PYTHON_NODES(X)                                                                  \
    X(argument_list)                                                                     \
    X(as_pattern)                                                                        \
    X(assignment)                                                                        \
    X(attribute)                                                                         \
    X(augmented_assignment)                                                              \
    X(await)                                                                             \
    X(binary_operator)                                                                   \
    X(block)                                                                             \
    X(boolean_operator)                                                                  \
    X(break_statement)                                                                   \
    X(call)                                                                              \
    X(class_definition)                                                                  \
    X(comment)                                                                           \
    X(comparison_operator)                                                               \
    X(concatenated_string)                                                               \
    X(conditional_expression)                                                            \
    X(continue_statement)                                                                \
    X(decorated_definition)                                                              \
    X(decorator)                                                                         \
    X(default_parameter)                                                                 \
    X(dictionary)                                                                        \
    X(dictionary_comprehension)                                                          \
    X(dictionary_splat)                                                                  \
    X(dictionary_splat_pattern)                                                          \
    X(dotted_name)                                                                       \
    X(aliased_import)                                                                    \
    X(elif_clause)                                                                       \
    X(else_clause)                                                                       \
    X(except_clause)                                                                     \
    X(expression_list)                                                                   \
    X(expression_statement)                                                              \
    X(false)                                                                             \
    X(float)                                                                             \
    X(for_statement)                                                                     \
    X(function_definition)                                                               \
    X(generator_expression)                                                              \
    X(identifier)                                                                        \
    X(if_statement)                                                                      \
    X(import_from_statement)                                                             \
    X(import_statement)                                                                  \
    X(integer)                                                                           \
    X(keyword_argument)                                                                  \
    X(lambda)                                                                            \
    X(line_continuation)                                                                 \
    X(list)                                                                              \
    X(list_comprehension)                                                                \
    X(list_pattern)                                                                      \
    X(list_splat)                                                                        \
    X(named_expression)                                                                  \
    X(none)                                                                              \
    X(not_operator)                                                                      \
    X(parameters)                                                                        \
    X(parenthesized_expression)                                                          \
    X(pattern_list)                                                                      \
    X(raise_statement)                                                                   \
    X(relative_import)                                                                   \
    X(return_statement)                                                                  \
    X(set)                                                                               \
    X(set_comprehension)                                                                 \
    X(slice)                                                                             \
    X(string)                                                                            \
    X(string_content)                                                                    \
    X(subscript)                                                                         \
    X(true)                                                                              \
    X(tuple)                                                                             \
    X(tuple_pattern)                                                                     \
    X(typed_default_parameter)                                                           \
    X(typed_parameter)                                                                   \
    X(unary_operator)                                                                    \
    X(while_statement)                                                                   \
    X(wildcard_import)                                                                   \
    X(with_clause)                                                                       \
    X(with_statement)

enum python_node {
    PY_other,
#define X(name) PY_##name,
    PYTHON_NODES(X)
#undef X
};

/* The fields of nodes that it asks for. */
#define PYTHON_FIELDS(X)                                                                 \
    X(alias)                                                                             \
    X(alternative)                                                                       \
    X(argument)                                                                          \
    X(arguments)                                                                         \
    X(attribute)                                                                         \
    X(body)                                                                              \
    X(condition)                                                                         \
    X(consequence)                                                                       \
    X(definition)                                                                        \
    X(function)                                                                          \
    X(key)                                                                               \
    X(left)                                                                              \
    X(module_name)                                                                       \
    X(name)                                                                              \
    X(object)                                                                            \
    X(operator)                                                                          \
    X(parameters)                                                                        \
    X(right)                                                                             \
    X(subscript)                                                                         \
    X(superclasses)                                                                      \
    X(type)                                                                              \
    X(value)

enum python_field {
#define X(name) FIELD_##name,
    PYTHON_FIELDS(X)
#undef X
        PYTHON_FIELDS_N,
};

enum python_node python_node_of_symbol(TSSymbol symbol);
enum python_node python_node(TSNode n); /* PY_other also for a null node */
/* Broken Python lacks parts anywhere, so these take a null node too, and answer with
 * one, 0 or "". */
TSNode python_field(TSNode n, enum python_field field);
uint32_t python_children(TSNode n); /* named ones */
TSNode python_child(TSNode n, uint32_t i);
TSNode python_parent(TSNode n); /* a null node: n is the root */
uint32_t python_end(TSNode n);  /* byte behind it */
const char *python_type(TSNode n);
int32_t python_line(TSNode n);     /* of its first character, from 1 */
int32_t python_end_line(TSNode n); /* of its last one */

/* A node's bytes within the text. */
struct slice {
    const char *s;
    size_t len;
};
struct slice python_slice(const char *text, TSNode n);
bool slice_is(struct slice a, const char *b);
bool slice_is_any(struct slice a, const char *const *list); /* up to a NULL */
bool slice_equal(struct slice a, struct slice b);
uint32_t slice_hash(struct slice s,
                    uint32_t seed); /* the caller takes it modulo a size */
bool slice_has(struct slice text, const char *word); /* anywhere within it */
/* b of a.b; what is not dotted, as it is. */
struct slice python_last_name(const char *text, TSNode name);
/* The last word of what a call calls: "item" of loss.item(). */
struct slice python_called(const char *text, TSNode call);
bool python_is_name_byte(char c); /* of an ASCII name */

/* Work on one text, node by node: most take a moment, whatever the text; the limit is for
 * hostile ones. */
struct work_limit {
    int64_t begin_ns; /* CPU time of this thread */
    uint32_t asked;
    bool over;
};
struct work_limit work_limit_begin(void);
/* To be asked for each node, and within work that may take long at one. Once over, it
 * stays so. */
bool work_limit_is_over(struct work_limit *l);

/* On OK the caller frees *out with ts_tree_delete(). Any number of threads. */
enum status python_parse(TSTree **out, const char *text, size_t len, const char *name,
                         struct err *err);

#endif
