/*
 * The name of a device kernel taken apart: what it is called, what stands between its
 * angle brackets. Names come from traces: they may be cut, unbalanced or megabytes long,
 * so only the beginning is read, once, and whatever it holds is a name.
 */
#ifndef GAIT_ANALYZE_KERNEL_NAME_H
#define GAIT_ANALYZE_KERNEL_NAME_H

#include "base/strbuf.h"

#include <stdbool.h>

enum { KERNEL_NAME_READ_BYTES = 4096 };

struct kernel_name {
    struct strbuf whole; /* without the return type and the parameters */
    struct strbuf base;  /* the last part of the qualified name, without brackets */
    struct strbuf args;  /* what stands in its angle brackets; "" */
};

/* Of a C++ symbol, demangled or not, or of any other name. */
void kernel_name_init(struct kernel_name *k, const char *raw);
void kernel_name_release(struct kernel_name *k);

/* An identifier of a text, from first to last. */
struct identifier {
    const char *s;
    size_t len;
    bool is_scope;     /* "::" follows */
    int angles;        /* brackets open around it */
    bool in_parameter; /* of a function; what a lambda takes does not count as such */
};

struct identifier_scan {
    const char *at;
    int angles, parens, lambdas;
};

/* Start with {.at = text}. False at the end. Numbers are not identifiers. */
bool identifier_next(struct identifier_scan *scan, struct identifier *found);
bool identifier_is(const struct identifier *i, const char *word);

#endif
