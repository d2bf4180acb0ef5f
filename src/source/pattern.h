/*
 * A pattern of a rule, in tree-sitter's notation, and its matches at a node. Private to
 * this folder.
 *
 *   (kind …)  a node of this kind      field: …   the child that is this field
 *   (_)       any named node           . …        no named node lies between
 *   "+"       a token                  … .        no named node follows
 *   [… …]     one of these             …? …*      may be absent; any number of them
 *   … @name   the node is captured
 *
 * What is not asked for may stand between what is. tree-sitter's own engine answers the
 * same (tests/unit/source/test_pattern.c), but takes a second to prepare all rules.
 */
#ifndef GAIT_SOURCE_PATTERN_H
#define GAIT_SOURCE_PATTERN_H

#include "source/python_nodes.h"

enum { PATTERN_CAPTURES_MAX = 16, PATTERN_NAMES_MAX = 2 };

enum pattern_what { PATTERN_NODE, PATTERN_ANY_NODE, PATTERN_TOKEN, PATTERN_CHOICE };

struct pattern_part {
    enum pattern_what what;
    TSSymbol symbol; /* of a node or token */
    TSFieldId field; /* 0: any */
    bool immediate, last, optional, repeats;
    int32_t captures[PATTERN_NAMES_MAX]; /* (n_captures) rows of pattern.captures */
    int32_t n_captures;
    int32_t first, next; /* part within, or choice; part behind it; -1: none */
};

struct pattern {
    struct pattern_part *parts; /* (n) the root is parts[0] */
    size_t n, cap;
    struct slice captures[PATTERN_CAPTURES_MAX]; /* their names */
    int32_t n_captures;
};

/* Takes the first pattern off the rest, "(…)" or "((…) @hit (#…) …)"; false at the end. */
bool pattern_next(struct slice *rest, struct slice *pattern);

/* Reads the parts of one; its text must outlive *p, which the caller releases. A pattern
 * that is wrong is a bug. */
void pattern_read(struct pattern *p, struct slice text);
void pattern_release(struct pattern *p);

enum { PREDICATE_ARGUMENTS_MAX = 64 };

/* (#name @capture "a" "b") */
struct predicate_text {
    struct slice name;
    struct predicate_argument {
        bool is_capture;
        struct slice text; /* without the quotes or the @, escapes as written */
    } arguments[PREDICATE_ARGUMENTS_MAX];
    int32_t n;
};

/* Takes the first predicate off the rest of a pattern's text; false: there is none. */
bool predicate_next(struct slice *rest, struct predicate_text *p);

/* The row of a capture's name; BUG where there is none. */
int32_t pattern_capture(const struct pattern *p, struct slice name);

/* --- matching */

/* Calls take() for each way to match at a row: captures has a node, or a null node, for
 * each of p's names. False where there were too many ways to try them all. */
bool pattern_match(const struct pattern *p, const struct python_nodes *nodes, int32_t row,
                   void (*take)(void *context, const TSNode *captures), void *context);

#endif
