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

/* A prompt is read in pieces, each pass taking one: rows of the largest, and how many
 * sizes there are, each a quarter of the one before it, the last of a single place. */
enum { GENERATOR_ROWS = 256, GENERATOR_SIZES = 5, GENERATOR_SMALLER = 4 };

/* The linears of passes over so many places, or fewer. */
struct generator_linears {
    int64_t places;
    struct linear of[LINEARS];
};

struct kv_cache {
    act *k, *v; /* (B, T, G, D) */
};

struct generator {
    const struct engine *engine;
    struct model_shape shape;
    int64_t B;
    struct model_params params;
    struct param_store store;
    struct generator_linears size[GENERATOR_SIZES];
    struct kv_cache *cache; /* (layers) */
    /* Rows R are B times the largest size: token by token, sequences within. */
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
