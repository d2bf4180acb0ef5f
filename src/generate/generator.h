/*
 * A model that writes: one forward pass a token, with the keys and values of the tokens
 * before it in a cache. B sequences go in lockstep, all at the same place t.
 *
 * Legal order: generator_init, memory through the plan (generator_plan,
 * memory_plan_allocate), generator_bind, weights into store, then generator_feed …,
 * generator_release.
 */
#ifndef GAIT_GENERATE_GENERATOR_H
#define GAIT_GENERATE_GENERATOR_H

#include "engine/engine.h"
#include "engine/memory_plan.h"
#include "model/model.h"

/* Tokens of a sequence that one pass takes at most: a prompt is read in such pieces. */
enum { GENERATOR_CHUNK = 16 };

struct kv_cache {
    act *k, *v; /* (B, T, G, D) */
};

struct generator {
    const struct engine *engine;
    struct model_shape shape;
    int64_t B;
    struct model_params params;
    struct param_store store;
    struct linear one[LINEARS];   /* M = B */
    struct linear chunk[LINEARS]; /* M = B * GENERATOR_CHUNK */
    struct kv_cache *cache;       /* (layers) */
    /* Rows R are B, or B * GENERATOR_CHUNK: token by token, sequences within. */
    real *stream;      /* (R, C) */
    act *hat, *narrow; /* (R, max(C, H D)) */
    real *rstd;        /* (R) */
    act *qkv, *heads, *up, *wide;
    act *head_out;       /* (B, V) */
    real *logits;        /* (B, V) of the last token fed */
    real *scores;        /* (B, H, T) */
    real *cosine, *sine; /* (T, D / 2) or NULL */
    void *linear_workspace;
};

enum status generator_init(struct generator *g, const struct engine *engine,
                           const struct model_shape *shape, int64_t B, struct err *err);
void generator_release(struct generator *g);
void generator_plan(struct generator *g, struct memory_plan *plan);
void generator_bind(struct generator *g);

/* Feed n tokens of each sequence at places t … t + n - 1 (at most context - 1); tokens
 * (n, B) lie place by place. Fills logits for the last place. */
void generator_feed(struct generator *g, const int32_t *tokens, int64_t n, int64_t t);

#endif
