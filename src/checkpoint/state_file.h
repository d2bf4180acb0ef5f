/*
 * state.json of a checkpoint. Its last field is the hash of its own text with zeros in
 * the place of that hash; "files" has the hashes of the other files: of a safetensors
 * file its header's, which holds those of the tensors; of any other file all of it.
 */
#ifndef GAIT_CHECKPOINT_STATE_FILE_H
#define GAIT_CHECKPOINT_STATE_FILE_H

#include "checkpoint/checkpoint.h"

extern const char checkpoint_state_name[];     /* state.json */
extern const char checkpoint_model_name[];     /* model.safetensors */
extern const char checkpoint_optimizer_name[]; /* optimizer.safetensors */
extern const char checkpoint_tokenizer_name[]; /* tokenizer.json */

/* A file of the checkpoint and its hash; an empty hash: it has no such file. */
struct state_hashes {
    struct content_hash_text model, optimizer, tokenizer;
};

void state_write(struct strbuf *out, const struct checkpoint_state *s,
                 const struct state_hashes *hashes);
/* Fill what state.json says into *c (step, optimizer, position, settings, files), from
 * text[0..len) in which a NUL stands behind the last byte. */
enum status state_read(struct checkpoint *c, char *text, size_t len, struct err *err);

#endif
