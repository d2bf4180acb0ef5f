/*
 * A training run on disk, to go on from it exactly. <dir>/step-00000400/ holds
 *   model.safetensors      weights, F32, linear weights (outputs, inputs)
 *   optimizer.safetensors  moments: m.<parameter> and v.<parameter>
 *   tokenizer.json         what turns text into the tokens that the weights know
 *   state.json             step, position, settings, and the hashes of the other files
 * and <dir>/latest the name of the folder to go on from. docs/checkpoints.md has it all.
 *
 * A checkpoint is written under another name and gets its own when it is complete and on
 * disk; then `latest` names it; then older ones are removed. A crash at any moment leaves
 * a `latest` that can be loaded.
 *
 * Every tensor has a hash, every header and file too; nothing is used that differs from
 * what was written. Tensors are streamed: saving and loading need a MB beside the model.
 *
 * Legal order: checkpoint_save; or checkpoint_find_latest, checkpoint_open,
 * checkpoint_check_model, checkpoint_load, checkpoint_close.
 */
#ifndef GAIT_CHECKPOINT_CHECKPOINT_H
#define GAIT_CHECKPOINT_CHECKPOINT_H

#include "base/json_read.h"
#include "base/strbuf.h"
#include "checkpoint/safetensors.h"
#include "model/shape.h"

enum { CHECKPOINT_DIMS_MAX = 4 };

struct checkpoint_tensor {
    const char *name;
    int dims;
    int64_t shape[CHECKPOINT_DIMS_MAX]; /* (dims) */
    void *owner;                        /* for the two below */
    /* Saving: numbers [first, first + n) of the tensor into out. */
    void (*get)(const struct checkpoint_tensor *t, int64_t first, int64_t n, float *out);
    /* Loading: the reverse. */
    void (*put)(const struct checkpoint_tensor *t, int64_t first, int64_t n,
                const float *in);
};

struct checkpoint_pair {
    const char *key, *value;
};

/* What is saved beside tensors. */
struct checkpoint_state {
    int64_t step; /* steps of training behind the weights */
    struct model_shape model;
    const char *optimizer;                  /* "adamw", "sgd" */
    const struct checkpoint_pair *position; /* (positions) what else says how far it is */
    size_t positions;
    const char *settings; /* JSON text, or NULL */
    /* Write the tokenizer to path; may be NULL. */
    enum status (*write_tokenizer)(void *owner, const char *path, struct err *err);
    void *tokenizer; /* its owner */
};

/* Make dir where it is missing and see that a checkpoint can be written
 * into it; for before the training. */
enum status checkpoint_check(const char *dir, struct err *err);

/* One training a folder: hold dir (made where it is missing) until the process ends or
 * closes *fd. Another process that holds it is an error. What a crash left of a save is
 * brought back to a state that can be loaded by its name. */
enum status checkpoint_lock(int *fd, const char *dir, struct err *err);

/* Save weights and moments as of state->step, make it the latest, and remove all but the
 * last `keep` saved (0: keep all). dir is made where it is missing. On
 * failure the latest is the one before and what was begun is removed. */
enum status checkpoint_save(const char *dir, const struct checkpoint_state *state,
                            const struct checkpoint_tensor *weights, size_t n_weights,
                            const struct checkpoint_tensor *moments, size_t n_moments,
                            int64_t keep, struct err *err);

/* The path of the checkpoint to go on from; empty where dir has none or is not there. A
 * `latest` that is missing beside checkpoints, or names one that is not intact, is an
 * error that names the newest intact one. */
enum status checkpoint_find_latest(struct strbuf *path, const char *dir, struct err *err);
/* The path of the last saved checkpoint that passes checkpoint_verify(); empty where
 * there is none. `except` (a folder's name, or NULL) is passed over. */
enum status checkpoint_find_intact(struct strbuf *path, const char *dir,
                                   const char *except, struct err *err);
/* The checkpoint that a user means by a step's folder or by the folder above. */
enum status checkpoint_resolve(struct strbuf *path, const char *given, struct err *err);

struct checkpoint {
    char *path;
    int64_t step;
    struct model_shape model;
    const char *optimizer;       /* empty where it has no moments */
    const struct json *position; /* strings by key; use checkpoint_position() */
    const struct json *settings; /* NULL where none were given */
    const struct json *files;    /* hashes by name, see state_file.h */
    struct safetensors_file model_file;
    struct arena arena;
};

/* Open the checkpoint in a step's folder: its state and the headers are checked, tensors
 * are not read. On OK the caller calls checkpoint_close(). */
enum status checkpoint_open(struct checkpoint *c, const char *path, struct err *err);
void checkpoint_close(struct checkpoint *c);
/* NULL where there is none. */
const char *checkpoint_position(const struct checkpoint *c, const char *key);
/* The path of its tokenizer.json, or NULL; the caller frees it with mem_free(). */
char *checkpoint_tokenizer(const struct checkpoint *c);

/* Is it a checkpoint of this model? If not, err names every field that differs. */
enum status checkpoint_check_model(const struct checkpoint *c,
                                   const struct model_shape *here, struct err *err);

enum checkpoint_part { CHECKPOINT_WEIGHTS, CHECKPOINT_MOMENTS };

/* Load these tensors, which may be some of those in the file. Names and shapes are
 * checked and hashes compared for all of them before the first put, so that a wrong or
 * damaged checkpoint changes nothing. (A disk that fails half-way does.) */
enum status checkpoint_load(const struct checkpoint *c, enum checkpoint_part part,
                            const struct checkpoint_tensor *tensor, size_t n,
                            struct err *err);
/* Read everything, or the weights alone, and compare it with its hashes. */
enum status checkpoint_verify(const struct checkpoint *c, struct err *err);
enum status checkpoint_verify_weights(const struct checkpoint *c, struct err *err);

#endif
