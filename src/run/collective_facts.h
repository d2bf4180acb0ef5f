/*
 * What a recorder knows of one collective beside its times, as a text that travels in
 * span.shapes, since different ones are few: "allreduce Float in=4096 out=4096 ranks=8
 * group=0".
 */
#ifndef GAIT_RUN_COLLECTIVE_FACTS_H
#define GAIT_RUN_COLLECTIVE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COLLECTIVE_WORD_MAX = 64, COLLECTIVE_TEXT_MAX = 512 };

struct collective_word {
    const char *s; /* (len) not terminated */
    size_t len;    /* 0: not recorded */
};

struct collective_facts {
    struct collective_word operation, group, dtype;
    int64_t elements_in, elements_out; /* 0: none or not recorded */
    int64_t ranks;                     /* of the group; 0: not recorded */
    bool numbered;                     /* span.seq is its number in the group */
};

/* Writes the text and returns its length; longer words are cut. */
size_t collective_facts_text(char out[COLLECTIVE_TEXT_MAX],
                             const struct collective_facts *f);
/* Reads it back; words point into the text. False where it is no such text. */
bool collective_facts_parse(struct collective_facts *f, const char *text, size_t len);

/* Bytes of the larger side; 0: not known. */
int64_t collective_facts_bytes(const struct collective_facts *f);

#endif
