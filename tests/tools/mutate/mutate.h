/* Random damage to bytes, the same from the same seed. */
#ifndef GAIT_TESTS_MUTATE_H
#define GAIT_TESTS_MUTATE_H

#include "base/strbuf.h"

#include <stdint.h>

struct mutator {
    uint64_t random;
    char what[128]; /* the changes made, for messages */
};

void mutator_init(struct mutator *m, uint64_t seed, uint64_t number);
uint64_t mutator_below(struct mutator *m, uint64_t n); /* n > 0 */

/* One to six changes to `text`; pieces may come from `other`. */
void mutate(struct mutator *m, struct strbuf *text, const struct strbuf *other);

#endif
