/*
 * Texts being written: B sequences that begin with prompts and grow token by token. All
 * go in lockstep; one whose prompt is shorter begins to write earlier. When the context
 * is full, its later half is read again from place 0 and the writing goes on.
 */
#ifndef GAIT_GENERATE_WRITING_H
#define GAIT_GENERATE_WRITING_H

#include "generate/generator.h"
#include "generate/pick.h"

struct written {
    int32_t *token; /* (cap) prompt, then what was written */
    int64_t n, prompt, cap;
    bool done;
};

struct writing {
    struct generator *g;
    struct pick_options pick;
    struct pick_work work;
    int64_t max_new;      /* tokens to write to each */
    int64_t stop_token;   /* ends a sequence, and is not part of it; -1: none */
    struct written *text; /* (B) */
    int32_t *fed;         /* (context, B) tokens of a pass */
    /* A token was written; may be NULL. */
    void (*on_token)(void *owner, int64_t sequence, int32_t token);
    /* The logits after place `index` of a sequence's tokens (V); may be NULL. With it a
     * prompt is read token by token. */
    void (*on_logits)(void *owner, int64_t sequence, int64_t index, const real *logits);
    void *owner;
};

/* The caller sets g, pick, max_new, stop_token and callbacks of *w, then opens: copies of
 * the B prompts, each with at least one token within the vocabulary. On OK the caller
 * calls writing_close(). */
enum status writing_open(struct writing *w, const int32_t *const *prompt,
                         const int64_t *prompt_n, struct err *err);
void writing_close(struct writing *w);

/* Write all texts to their ends. Logits of which none can be taken are an error. */
enum status writing_run(struct writing *w, struct err *err);

#endif
