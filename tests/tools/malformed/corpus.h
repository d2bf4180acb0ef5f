/*
 * Malformed traces made by hand, each with what must come of it. A trap is a function
 * that makes one or more cases; traps.h lists them.
 *
 * To add a case: in a trap, corpus_open(), text between, corpus_close(); or
 * damaged_element() where one element of traceEvents is wrong and its neighbours are not.
 * To add a trap: write the function and name it in TRAP_LIST.
 *
 * Good events are operators named GOOD_BEFORE (in front of the damage) and GOOD_AFTER
 * (behind it). A reader may not find fewer than the case says nor more than there are.
 * What looks like an event and is none is named PHANTOM: it must not be found.
 */
#ifndef GAIT_TESTS_CORPUS_H
#define GAIT_TESTS_CORPUS_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GOOD_BEFORE "good::before"
#define GOOD_AFTER "good::after"
#define PHANTOM "phantom::event"

struct bad_case {
    const char *trap;    /* name of its function */
    const char *variant; /* unique within the trap */
    const char *data;
    size_t len;
    enum status status;            /* STATUS_OK: answered, STATUS_INPUT: refused */
    bool either;                   /* either of them is fine; crashes are not */
    int64_t before, after;         /* good events in it */
    int64_t before_min, after_min; /* to be found where it is answered */
    const char *known_fault; /* the reader is known to fail here, and why; NULL: not */
};

typedef void case_fn(void *context, const struct bad_case *c);

struct corpus {
    case_fn *use;
    void *context;
    const char *trap;
    char variant[96];
    struct strbuf text;
    bool first; /* no comma is due */
    int64_t clock_us;
    const char *known_fault; /* of the next case */
    struct bad_case now;
};

/* Calls use() with each case of every trap. */
void corpus_each(case_fn *use, void *context);

/* A case begins: no text, answered, no good events. */
void corpus_open(struct corpus *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void corpus_close(struct corpus *c);

/* Parts of the text. */
void put(struct corpus *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void put_raw(struct corpus *c, const char *s, size_t len);
void put_times(struct corpus *c, const char *s, int times);
void put_head(struct corpus *c);                   /* to the bracket of traceEvents */
void put_foot(struct corpus *c);                   /* from its closing bracket on */
void put_element(struct corpus *c, const char *s); /* with its comma */
void put_comma(struct corpus *c);                  /* where one is due */
void put_before(struct corpus *c, int n);          /* good events, to be found */
void put_after(struct corpus *c, int n);

/* What is expected, where it is not that all good events are found. */
void expect_refusal(struct corpus *c);
void expect_either(struct corpus *c);
void expect_before_only(struct corpus *c); /* what follows the damage may be lost */
/* The next case fails today and should not: it is reported, and counted apart. */
void known_fault(struct corpus *c, const char *why);

enum { AROUND = 3 }; /* good events on each side of the damage */

/* A whole case: good events around an element of traceEvents. */
void damaged_element(struct corpus *c, const char *variant, const char *element);
/* The same, but the text stands between the events as it is, commas and all. */
void damaged_gap(struct corpus *c, const char *variant, const char *text);
/* A whole document of good events around nothing; for what wraps documents. */
void good_document(struct corpus *c, int events);

#endif
