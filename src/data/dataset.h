/*
 * A text as tokens in memory, cut into a training part and, at its end, a validation
 * part. The text is the built-in one (grammar.h), whose entropy is known, or a UTF-8
 * file.
 */
#ifndef GAIT_DATA_DATASET_H
#define GAIT_DATA_DATASET_H

#include "base/status.h"
#include "data/tokenizer.h"

#include <stddef.h>
#include <stdint.h>

/* Larger text files are refused: the text and its tokens are held in memory. */
#define DATASET_FILE_MAX_BYTES ((size_t)1 << 30)

struct dataset_options {
    const char *name; /* "builtin" or the path of a text file */
    size_t builtin_chars;
    uint64_t builtin_seed;      /* of the built-in text only */
    double validation_fraction; /* 0 … 1, both excluded */
    size_t context;             /* each part must hold at least one window of it */
};

struct token_range {
    const token_id *token; /* (n) */
    size_t n;
};

struct dataset {
    struct tokenizer tokenizer;
    token_id *tokens; /* (n) the whole text; owned */
    size_t n;
    struct token_range train;
    struct token_range validation; /* the end of the text */
    /* Of the built-in text, NAN for files: the exact entropy of its source, and what the
     * validation part itself holds (its whole sentences: -log p over characters), which
     * differs from the former by that sample's luck. */
    double entropy_nats_per_char;
    double validation_nats_per_char;
};

/* On OK the caller calls dataset_close(). A missing, empty, too short, too large or
 * non-UTF-8 file is an error that says what to do. */
enum status dataset_open(struct dataset *d, const struct dataset_options *o,
                         struct err *err);
void dataset_close(struct dataset *d);

#endif
