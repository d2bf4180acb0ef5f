/*
 * What an engine can compute: one table of operations, filled by each implementation with
 * functions of the same signature. "reference" fills it with the plain ref_* kernels;
 * "onednn" replaces the linears. The model calls op_*() (engine.h), which look into the
 * table and record a span.
 *
 * To add an implementation of an op:
 *   1. write kern_<op>() with the signature in struct engine_ops;
 *   2. put it into the table of the engine that uses it (engine.c);
 *   3. let tests/unit/engine compare it with ref_<op>() for odd sizes and 1..n threads.
 * To add an op: add it to struct engine_ops and ref_kernels.h, write ref_<op>(), its cost
 * in op_cost.c, op_<op>() in engine.c, and its double-precision test in tests/double.
 *
 * Names of sizes: B sequences, T tokens a sequence, C width, H heads, V vocabulary;
 * a linear maps rows of K numbers to rows of N, M rows at once. Arrays are row-major.
 * "accumulate" adds to the output instead of overwriting it.
 */
#ifndef GAIT_ENGINE_OPS_H
#define GAIT_ENGINE_OPS_H

#include "base/status.h"
#include "engine/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* String literals, as the probe keeps pointers: LINEAR_NAMES("qkv"). */
struct linear_names {
    const char *forward, *backward_input, *backward_weight;
};
#define LINEAR_NAMES(text)                                                               \
    {                                                                                    \
        text ".forward", text ".backward_input", text ".backward_weight"                 \
    }

/* y (M, N) = x (M, K) W^T + b, with W (N, K) and b (N). One object for each shape; what
 * an implementation prepares for the shape hangs at `prepared`. */
struct linear {
    int64_t M, N, K;
    bool has_bias;
    struct linear_names names;
    void *prepared;         /* of the implementation */
    size_t workspace_bytes; /* set by linear_open: what it needs while it runs */
    void *workspace;        /* set by the owner before the first use */
};

struct engine_ops {
    const char *name;

    enum status (*linear_open)(struct linear *l, struct err *err);
    void (*linear_close)(struct linear *l);
    void (*linear_forward)(const struct linear *l, real *y,          /* (M, N) */
                           const real *x,                            /* (M, K) */
                           const real *w,                            /* (N, K) */
                           const real *b);                           /* (N) or NULL */
    void (*linear_backward_input)(const struct linear *l, real *dx,  /* (M, K) */
                                  const real *dy,                    /* (M, N) */
                                  const real *w);                    /* (N, K) */
    void (*linear_backward_weight)(const struct linear *l, real *dw, /* (N, K) */
                                   real *db,                         /* (N) or NULL */
                                   const real *dy,                   /* (M, N) */
                                   const real *x,                    /* (M, K) */
                                   bool accumulate);

    void (*embedding_forward)(real *out,             /* (B, T, C) */
                              const int32_t *tokens, /* (B, T) */
                              const real *wte,       /* (V, C) */
                              const real *wpe,       /* (T, C) */
                              int64_t B, int64_t T, int64_t C);
    /* dwte is always added to: with a tied head its gradient is already there. */
    void (*embedding_backward)(real *dwte,            /* (V, C) */
                               real *dwpe,            /* (T, C) */
                               const real *dout,      /* (B, T, C) */
                               const int32_t *tokens, /* (B, T) */
                               int64_t B, int64_t T, int64_t C, bool accumulate);

    void (*layernorm_forward)(real *out,         /* (M, C) */
                              real *mean,        /* (M) */
                              real *rstd,        /* (M) 1 / standard deviation */
                              const real *x,     /* (M, C) */
                              const real *gamma, /* (C) */
                              const real *beta,  /* (C) or NULL */
                              int64_t M, int64_t C);
    void (*layernorm_backward)(real *dx,          /* (M, C) */
                               real *dgamma,      /* (C) */
                               real *dbeta,       /* (C) or NULL */
                               const real *dout,  /* (M, C) */
                               const real *x,     /* (M, C) */
                               const real *gamma, /* (C) */
                               const real *mean,  /* (M) */
                               const real *rstd,  /* (M) */
                               int64_t M, int64_t C, bool accumulate_dx, bool accumulate);

    void (*attention_forward)(real *out,       /* (B, T, C) */
                              real *att,       /* (B, H, T, T) softmax; t2 <= t is set */
                              real *scratch,   /* (B, H, D + 1, T), D = C / H */
                              const real *qkv, /* (B, T, 3, C) */
                              int64_t B, int64_t T, int64_t C, int64_t H);
    void (*attention_backward)(real *dqkv,       /* (B, T, 3, C) */
                               real *scratch,    /* (B, H, D + 1, T) */
                               const real *dout, /* (B, T, C) */
                               const real *qkv,  /* (B, T, 3, C) */
                               const real *att,  /* (B, H, T, T) */
                               int64_t B, int64_t T, int64_t C, int64_t H);

    void (*gelu_forward)(real *out, const real *x, int64_t n);
    void (*gelu_backward)(real *dx, const real *dout, const real *x, int64_t n);
    void (*residual_add)(real *out, const real *a, const real *b, int64_t n);

    /* A target < 0 is not scored: loss 0, gradient 0. */
    void (*cross_entropy_forward)(real *loss,             /* (M) nats */
                                  real *lse,              /* (M) log of sum of exp */
                                  const real *logits,     /* (M, V) */
                                  const int32_t *targets, /* (M) */
                                  int64_t M, int64_t V);
    /* Gradient of scale * (sum of losses). dlogits may be logits itself. */
    void (*cross_entropy_backward)(real *dlogits,          /* (M, V) */
                                   const real *logits,     /* (M, V) */
                                   const real *lse,        /* (M) */
                                   const int32_t *targets, /* (M) */
                                   real scale, int64_t M, int64_t V);
};

#endif
