/* What `gait sample` does: weights and tokenizer from a folder, prompts to tokens, tokens
 * to text on stdout. */
#ifndef GAIT_CLI_SAMPLING_H
#define GAIT_CLI_SAMPLING_H

#include "generate/pick.h"

#include <stdbool.h>
#include <stddef.h>

struct sampling_options {
    const char *weights;       /* a folder */
    const char *const *prompt; /* (n_prompts) */
    size_t n_prompts;
    const char *prompts_file, *prompt_ids, *logits_file; /* or NULL */
    int64_t tokens;
    struct pick_options pick;
    const char *precision;
    int64_t threads;
    bool print_ids, ignore_stop;
};
#define SAMPLING_OPTIONS_INIT                                                            \
    {                                                                                    \
        .tokens = 200, .pick = PICK_OPTIONS_INIT                                         \
    }

enum status sampling_run(const struct sampling_options *o, struct err *err);

#endif
