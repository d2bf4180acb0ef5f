/*
 * Texts to a folder of tokens that training maps: tokenized on several threads, written
 * in shards, with an index and the tokenizer beside them. The result depends on the
 * inputs and the options, not on the number of threads, and memory is bounded however
 * large the texts are.
 */
#ifndef GAIT_DATA_PREPARE_H
#define GAIT_DATA_PREPARE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

struct prepare_options {
    const char *const *input; /* (inputs) text files, or folders of *.txt */
    size_t inputs;
    const char *dir;       /* made here; one that exists must be empty */
    const char *tokenizer; /* bytes, chars, gpt2 or a path */
    const char *data_dir;
    const char *separator;      /* a token behind each document; NULL: none */
    uint64_t shard_tokens;      /* most tokens of a file */
    double validation_fraction; /* of all tokens, from their end; 0: none */
    int threads;
};

struct prepare_result {
    size_t documents;
    uint64_t bytes;
    uint64_t train_tokens, validation_tokens;
    size_t shards, vocabulary;
    int width; /* bytes a token */
    int64_t wall_ns;
};

/* Says on stderr how it goes (base/log.h). The folder appears in one rename when all is
 * in it; on failure there is none. */
enum status prepare_run(const struct prepare_options *o, struct prepare_result *result,
                        struct err *err);

#endif
