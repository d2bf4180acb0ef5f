/*
 * A data set: tokens to train on and tokens to validate on, and what they mean. It is
 *   builtin               the built-in text (grammar.h), whose entropy is known
 *   shakespeare           tinyshakespeare.txt of data_dir
 *   a text file           UTF-8 (with tokenizer bytes: anything)
 *   a folder of *.txt     in the order of their names, each a document
 *   a file *.bin          tokens (token_file.h)
 *   a folder of *.bin     tokens; validation is those with "val" in their names
 *   a folder of gait data prepare
 *
 * Texts are tokenized into memory; files of tokens are mapped and never loaded, and those
 * of gait data prepare are compared with their hashes as they are used. Where a
 * data set has no validation of its own, its end is kept apart for it. Pickles (meta.pkl)
 * are programs and are never read.
 */
#ifndef GAIT_DATA_DATASET_H
#define GAIT_DATA_DATASET_H

#include "base/status.h"
#include "data/token_file.h"
#include "data/token_range.h"
#include "data/tokenizer.h"

#include <stddef.h>
#include <stdint.h>

/* Larger texts are refused: their tokens are held in memory. */
#define DATASET_TEXT_MAX_BYTES ((uint64_t)1 << 30)

struct dataset_options {
    const char *name;      /* builtin, shakespeare, or a path */
    const char *data_dir;  /* "" or NULL: the environment's GAIT_DATA */
    const char *tokenizer; /* auto, bytes, chars, gpt2, or a path; NULL: auto */
    uint64_t max_chars;    /* of a text; 0: all of it */
    size_t builtin_chars;
    uint64_t builtin_seed;      /* of the built-in text only */
    double validation_fraction; /* 0 … 1, both excluded */
    size_t context;             /* each part must hold at least one window of it */
    int threads;                /* to tokenize with; 0: one */
};

#define DATASET_KIND_LIST(X)                                                             \
    X(BUILTIN, "built-in text")                                                          \
    X(TEXT, "text")                                                                      \
    X(TOKENS, "token files")                                                             \
    X(PREPARED, "prepared tokens")

enum dataset_kind {
#define DATASET_KIND_VALUE(v, text) DATASET_##v,
    DATASET_KIND_LIST(DATASET_KIND_VALUE)
#undef DATASET_KIND_VALUE
        DATASET_KIND_COUNT
};

extern const char *const dataset_kind_text[DATASET_KIND_COUNT];

struct dataset {
    enum dataset_kind kind;
    struct tokenizer tokenizer; /* TOKENIZER_NONE where nobody knows */
    /* Ids are below this; loaders check it as they copy. Who says so: "tokenizer",
     * "index", "meta.json" or "largest token". */
    size_t vocabulary;
    const char *vocabulary_from;
    size_t n; /* tokens of both parts */
    struct token_range train, validation;
    size_t memory_bytes; /* of tokens in memory; mapped ones do not count */
    /* Of the built-in text by characters or bytes, NAN elsewhere: the exact entropy of
     * its source, and what the validation part itself holds (its whole sentences: -log p
     * over characters), which differs from the former by that sample's luck. */
    double entropy_nats_per_char;
    double validation_nats_per_char;
    /* private */
    void *tokens;            /* in memory */
    struct token_file *file; /* (files) */
    size_t files, cap_files;
};

/* On OK the caller calls dataset_close(). What is missing, empty, too short, too large or
 * of another form is an error that says what to do. */
enum status dataset_open(struct dataset *d, const struct dataset_options *o,
                         struct err *err);
void dataset_close(struct dataset *d);
/* Read all tokens and compare them with their hashes. Only data of gait data prepare has
 * some: of other data it is an error. */
enum status dataset_check(const struct dataset *d, const char *name, struct err *err);

#endif
