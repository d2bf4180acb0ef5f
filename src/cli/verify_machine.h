/* A machine in words, as a history tells machines apart: CPU, cores, instruction sets. */
#ifndef GAIT_CLI_VERIFY_MACHINE_H
#define GAIT_CLI_VERIFY_MACHINE_H

#include "base/strbuf.h"
#include "history/history.h"
#include "verify/verify.h"

struct args;

/* Of a recording, by its first rank; nothing where it does not say. */
void verify_machine_of_run(struct strbuf *out, const struct run *run);
/* This one; nothing in a build without the trainer. */
void verify_machine_here(struct strbuf *out);

/* Private to the files verify_*.c: append with the gates of r, as the keeping functions
 * of verify_history.h say. */
enum status verify_history_add(enum status st, const struct args *args,
                               const struct history_comparison *c,
                               const struct verify_result *r, size_t unread,
                               struct err *err);

#endif
