/* Prompts as tokens, from words, a file of lines, or numbers. */
#ifndef GAIT_CLI_PROMPT_LIST_H
#define GAIT_CLI_PROMPT_LIST_H

#include "cli/sampling.h"
#include "data/tokenizer.h"

struct prompt_list {
    int32_t **token; /* (n) */
    int64_t *len;    /* (n), each at least 1 */
    size_t n, cap, cap_len;
};

/* Without any prompt there is one, of the token that begins a text or of a line's end. */
enum status prompt_list_init(struct prompt_list *l, const struct sampling_options *o,
                             const struct tokenizer *t, int64_t vocab,
                             int64_t begin_token, struct err *err);
void prompt_list_release(struct prompt_list *l);

#endif
