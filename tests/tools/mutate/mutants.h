/*
 * Files with random damage, many thousands in one process, each within bounded time and
 * memory. A program of mutants is
 *
 *   NAME [--seed S] [--runs N] [--from I] FILE…
 *   NAME --seed S --save I OUT FILE…      write the Ith mutant, to look at it
 */
#ifndef GAIT_TESTS_MUTANTS_H
#define GAIT_TESTS_MUTANTS_H

#include "base/status.h"
#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

struct mutant {
    uint64_t number;
    const char *text; /* (len) in storage of exactly its size: a read beyond it is seen */
    size_t len;
    const char *label;
};

struct mutants {
    const char *program;
    /* STATUS_OK: answered; STATUS_INPUT: refused; STATUS_FAILED: something is wrong, and
     * a line says what. */
    enum status (*try)(const struct mutant *m);
    /* Another form of a file to damage too, if there is one; may be NULL. */
    bool (*other_form)(const struct strbuf *text, struct strbuf *out);
};

/* Returns main's result. */
int mutants_main(const struct mutants *kind, int argc, char **argv);
_Noreturn void mutants_stop(const struct mutants *kind, const char *what,
                            const char *name);

#endif
