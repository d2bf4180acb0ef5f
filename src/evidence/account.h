/*
 * Where a step goes, to the last twentieth: each part of 5 % and more has a sentence that
 * says what ran or what was waited for, whether or not a rule knows a remedy. Kernels by
 * what they are (kernel_family.h); where the device idles, or there is none, what the
 * main thread was in, as a tree of its calls. Where the host waits for a device on which
 * nothing is recorded, or launched graphs may run, the device only seems idle: that part
 * is not recorded. What no one can say is unexplained.
 */
#ifndef GAIT_EVIDENCE_ACCOUNT_H
#define GAIT_EVIDENCE_ACCOUNT_H

#include <stddef.h>

struct evidence;

/* Of a step: what is less has no sentence of its own. */
#define ACCOUNT_LEAST_FRAC 0.05

/* E(VALUE, "as told") */
#define ACCOUNT_LIST(E)                                                                  \
    E(COMPUTE, "compute")                                                                \
    E(COMMUNICATION, "communication")                                                    \
    E(COPIES, "copies")                                                                  \
    E(IDLE, "idle")                                                                      \
    E(UNRECORDED, "not recorded")                                                        \
    E(HOST, "host")                                                                      \
    E(UNEXPLAINED, "unexplained")
#define ACCOUNT_VALUE(v, text) ACCOUNT_##v,
enum account_kind { ACCOUNT_LIST(ACCOUNT_VALUE) ACCOUNT_COUNT };
extern const char *const account_text[ACCOUNT_COUNT];

enum { ACCOUNT_TEXT_MAX = 512 };

struct account_part {
    enum account_kind kind;
    char what[ACCOUNT_TEXT_MAX], where[ACCOUNT_TEXT_MAX];
    double ns; /* of a step */
};

struct account {
    struct account_part *part; /* (n) largest first */
    size_t n, cap;
    double step_ns;        /* what it is of */
    double small_ns;       /* in parts that are too small for a sentence */
    double unexplained_ns; /* what no one can say, however small */
};

/* Of a step, in all parts of a kind. */
double account_ns(const struct account *a, enum account_kind kind);

void account_init(struct account *a, const struct evidence *e);
void account_release(struct account *a);
#endif
