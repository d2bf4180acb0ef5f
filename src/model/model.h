/*
 * A decoder-only transformer of either family (shape.h): token embedding (and learned
 * positions), blocks of norm, causal attention, norm and MLP around a residual stream, a
 * last norm and a head. Forward and exact backward over a batch of fixed size (B, T).
 *
 * What the backward pass needs of a block is kept (struct block_acts); cheap results
 * (norm outputs, GELU, SwiGLU) are computed again instead. With recompute only the stream
 * before each block is kept and the block runs once more.
 *
 * Legal order: model_init, model_plan, memory_plan_allocate, model_bind,
 * model_init_weights or param_store_put, then model_forward, model_learn …,
 * model_release.
 */
#ifndef GAIT_MODEL_MODEL_H
#define GAIT_MODEL_MODEL_H

#include "engine/engine.h"
#include "engine/memory_plan.h"
#include "engine/param_store.h"
#include "model/params.h"
#include "model/shape.h"

struct model_options {
    int64_t batch;  /* sequences at once, B */
    int64_t tokens; /* of each, T: at most the shape's context; 0: the context */
    bool recompute;
    bool unfused_qkv, unfused_gate_up; /* products of their parts instead of one */
    double dropout;
    uint64_t dropout_seed;
    int64_t logits_max; /* numbers of logits that exist at once; 0: 128 MiB of f32 */
};

/* What the forward pass leaves for the backward pass; M = B * T. */
struct block_acts {
    act *hat_1, *hat_2; /* (M, C) normalised stream before attention and before the MLP */
    real *rstd_1, *rstd_2; /* (M) */
    act *qkv;              /* (M, (H + 2 G) D) */
    act *att;              /* (B, H, T, T) with plain attention, else NULL */
    real *lse;             /* (B, H, T) */
    act *heads;            /* (M, H D) output of all heads */
    act *up;               /* (M, F), or (M, 2 F) gate and up */
};

/* Kinds of linears; layers share them. */
enum model_linear {
    LINEAR_QKV,
    LINEAR_PROJ,
    LINEAR_UP,
    LINEAR_DOWN,
    LINEAR_HEAD,
    LINEARS
};

struct model {
    const struct engine *engine;
    struct model_shape shape;
    struct model_options options;
    int64_t B, T, M; /* sequences, tokens of each, B * T */
    struct model_params params;
    struct param_store store;
    struct linear linear[LINEARS];
    struct attention attention;
    struct norm norm;

    real *grad;              /* (params.table.total) */
    struct block_acts *acts; /* (layers); all the same with recompute */
    real **saved;            /* (layers) (M, C) stream before each block: recompute */
    real *stream;            /* (M, C) */
    real *d_stream;          /* (M, C) gradient of the residual stream */
    act *hat_f;              /* (M, C) */
    real *rstd_f;            /* (M) */
    int64_t head_pieces, head_rows; /* of the M rows: those whose logits exist at once */
    act *logits; /* (head_rows, V) of a piece; its backward pass leaves their gradient */
    real *softmax;          /* (head_rows, 2) of the logits: max, 1 / sum */
    real *loss;             /* (M) nats, 0 where the target is < 0 */
    act *narrow, *narrow_2; /* (M, max(C, H D)) */
    act *wide;              /* (M, max(F, (H + 2 G) D)) */
    real *cosine, *sine;    /* (T, D / 2), Llama */
    void *attention_scratch;
    void *linear_workspace;
    int threads; /* that the workspaces were planned for: not more may run */
};

/* A batch. position is that of a training batch among all micro-batches of the run, for
 * dropout; < 0 means no dropout. */
struct model_batch {
    const int32_t *tokens;  /* (B, T) in 0 … vocab - 1, else a bug */
    const int32_t *targets; /* (B, T) too, or < 0 for those that are not scored */
    int64_t position;
};

/* On OK the caller calls model_release(); the engine must outlive the model. */
enum status model_init(struct model *m, const struct engine *engine,
                       const struct model_shape *shape,
                       const struct model_options *options, struct err *err);
void model_release(struct model *m);
/* Plan all of its tensors. The model must not move afterwards. */
void model_plan(struct model *m, struct memory_plan *plan);
/* Once the memory is there. */
void model_bind(struct model *m);
/* A number depends on the seed, its tensor and its index alone. */
void model_init_weights(struct model *m, uint64_t seed);

/* Fill loss; the logits are then those of the first rows. */
void model_forward(struct model *m, const struct model_batch *batch);
/* Called when a pass of a part of the model has ended, for who looks at the clock. */
enum model_pass { MODEL_FORWARD, MODEL_BACKWARD };
struct model_watch {
    void (*passed)(void *context, enum model_pass pass);
    void *context;
};

/* Fill loss, and gradients of scale * (sum of losses) into grad; accumulate adds to what is
 * there. watch: or NULL. */
void model_learn(struct model *m, const struct model_batch *batch, real scale,
                 bool accumulate, const struct model_watch *watch);

/* All before the head: the normalised stream in narrow. */
void body_forward(struct model *m, const struct model_batch *batch);
/* One block over the stream, in place; backward needs its acts. */
void block_forward(struct model *m, int64_t layer, int64_t position);

/* Dropout's sites: the embedding is 0, then three a block. */
enum dropout_site { SITE_ATTENTION, SITE_PROJ, SITE_DOWN, SITES_A_BLOCK };
struct dropout model_dropout(const struct model *m, int64_t position, int64_t layer,
                             enum dropout_site site);
struct dropout embedding_dropout(const struct model *m, int64_t position);

/* The head's weight: its own, or the embedding's. */
struct weight head_weight(const struct model *m);

#endif
