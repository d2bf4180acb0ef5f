/*
 * What an engine can compute: one table of operations, filled by each implementation with
 * functions of the same signature. The model calls op_*() (engine.h), which look into the
 * table and record a span.
 *
 * Two number types: `real` (float) for the residual stream, its gradient, weights'
 * gradients, norms' and biases' parameters and all sums; `act` for what flows between the
 * ops and for the weights that linears read: float again, or bf16 with precision: bf16.
 * act is opaque so that the two cannot be mixed up; the kernel files know it as number.
 *
 * To add an implementation of an op:
 *   1. write it with the signature in struct engine_ops;
 *   2. put it into the table where engine.c composes the engines;
 *   3. let tests/unit/engine compare it with the reference for odd sizes and 1..n
 * threads. To add an op: add it to struct engine_ops, write ref_<op>() in a ref_*.h, name
 * it in kernel_set.h, its cost in op_cost.c, op_<op>() in engine.c, and test it.
 *
 * Names of sizes: B sequences, T tokens a sequence, C width, V vocabulary, M rows (B *
 * T); a linear maps rows of K numbers to rows of N. Arrays are row-major. "accumulate"
 * adds to the output instead of overwriting it.
 */
#ifndef GAIT_ENGINE_OPS_H
#define GAIT_ENGINE_OPS_H

#include "base/status.h"
#include "engine/real.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct act act;

/* String literals, as the probe keeps pointers: LINEAR_NAMES("qkv"). */
struct linear_names {
    const char *forward, *backward_input, *backward_weight;
};
#define LINEAR_NAMES(text)                                                               \
    {                                                                                    \
        text ".forward", text ".backward_input", text ".backward_weight"                 \
    }

enum { LINEAR_PARTS_MAX = 3 };

/* y (M, N) = x (M, K) W^T + b, with W (N, K) and b (N). One object for each shape; what
 * an implementation prepares for the shape hangs at `prepared`. parts cut N: a fused
 * linear has one part and is one product, an unfused one is computed part by part. Both
 * read and write the same arrays. */
struct linear {
    int64_t M, N, K;
    int n_parts;
    int64_t part[LINEAR_PARTS_MAX]; /* (n_parts), their sum is N */
    bool has_bias;
    struct linear_names names;
    bool bf16;              /* set by linear_open */
    const char *kernel;     /* set by linear_open: who computes the forward product */
    bool undecided;         /* set by linear_open: linear_decide() has to find it out */
    void *prepared;         /* of the implementation */
    size_t workspace_bytes; /* set by linear_open: what it needs while it runs */
    void *workspace;        /* set by the owner before the first use */
};

/* What a linear may read and overwrite while it finds out who computes it fastest. */
struct linear_operands {
    act *x, *y, *dx; /* (M, K), (M, N), also dy, (M, K) */
    const act *w;    /* (N, K) */
    const real *b;   /* (N) or NULL */
    real *dw;        /* (N, K) */
};

/* A table of f32 vectors that is stored as the engine stores weights. */
struct weight {
    const act *value;   /* as linears read it */
    const int16_t *low; /* what bf16 left off (bf16.h); NULL: value is complete */
};

/* Which numbers of a tensor are dropped: a pure function of these and the number's index
 * (Philox), so that the backward pass draws them again and stores nothing. */
struct dropout {
    double probability; /* 0: off */
    uint64_t seed;
    uint32_t site;     /* which tensor of the model */
    uint32_t position; /* of the micro-batch in training */
};

struct attention {
    int64_t B, T, H; /* sequences, tokens, heads of queries */
    int64_t G;       /* heads of keys and values; G divides H */
    int64_t D;       /* numbers a head */
    struct dropout dropout;
};
/* Numbers of a row of qkv: H heads of q, then G of k, then G of v. */
static inline int64_t attention_row(const struct attention *a)
{
    return (a->H + 2 * a->G) * a->D;
}

struct norm {
    bool rms; /* RMSNorm: no mean, no beta */
    double epsilon;
    int64_t M, C;
};

/* Causal self-attention: an implementation chooses what it keeps for the backward pass. */
struct attention_ops {
    /* Bytes of scratch that it needs with this many threads, and numbers of att that it
     * keeps (0: none; INT64_MAX: too many). */
    size_t (*scratch_bytes)(const struct attention *a, int threads);
    int64_t (*kept)(const struct attention *a);
    void (*forward)(const struct attention *a, act *out, /* (B, T, H, D) */
                    real *lse,                           /* (B, H, T) log of sum of exp */
                    act *att, /* (B, H, T, T), or NULL where none is kept */
                    void *scratch, const act *qkv);        /* (B, T, row) */
    void (*backward)(const struct attention *a, act *dqkv, /* (B, T, row) */
                     void *scratch, const act *dout,       /* (B, T, H, D) */
                     const act *out,                       /* (B, T, H, D) */
                     const act *qkv,                       /* (B, T, row) */
                     const real *lse,                      /* (B, H, T) */
                     const act *att);                      /* as above */
};

struct engine_ops {
    enum status (*linear_open)(struct linear *l, struct err *err);
    void (*linear_close)(struct linear *l);
    /* NULL: there is no choice. measure false: what another process has found out. */
    void (*linear_decide)(struct linear *l, const struct linear_operands *o,
                          bool measure);
    void (*linear_forward)(const struct linear *l, act *y,           /* (M, N) */
                           const act *x,                             /* (M, K) */
                           const act *w,                             /* (N, K) */
                           const real *b);                           /* (N) or NULL */
    void (*linear_backward_input)(const struct linear *l, act *dx,   /* (M, K) */
                                  const act *dy,                     /* (M, N) */
                                  const act *w);                     /* (N, K) */
    void (*linear_backward_weight)(const struct linear *l, real *dw, /* (N, K) */
                                   const act *dy,                    /* (M, N) */
                                   const act *x,                     /* (M, K) */
                                   bool accumulate);
    void (*bias_backward)(real *db,      /* (N) sum of the rows of dy */
                          const act *dy, /* (M, N) */
                          int64_t M, int64_t N, bool accumulate);

    void (*embedding_forward)(real *out,             /* (B, T, C) */
                              const int32_t *tokens, /* (B, T) */
                              struct weight wte,     /* (V, C) */
                              struct weight wpe,     /* (T, C), or value NULL: none */
                              int64_t B, int64_t T, int64_t C);
    /* dwte is always added to: with a tied head its gradient is already there. */
    void (*embedding_backward)(real *dwte,            /* (V, C) */
                               real *dwpe,            /* (T, C) or NULL */
                               const real *dout,      /* (B, T, C) */
                               const int32_t *tokens, /* (B, T) */
                               int64_t B, int64_t T, int64_t C, bool accumulate);

    /* hat is x without mean and scale; out = gamma hat + beta. */
    void (*norm_forward)(const struct norm *n, act *out, /* (M, C) */
                         act *hat,                       /* (M, C) */
                         real *rstd,                     /* (M) 1 / scale */
                         const real *x,                  /* (M, C) */
                         const real *gamma,              /* (C) */
                         const real *beta);              /* (C) or NULL */
    /* out once more, from hat: cheaper to compute again than to keep. */
    void (*norm_apply)(const struct norm *n, act *out,    /* (M, C) */
                       const act *hat,                    /* (M, C) */
                       const real *gamma,                 /* (C) */
                       const real *beta);                 /* (C) or NULL */
    void (*norm_backward)(const struct norm *n, real *dx, /* (M, C) */
                          real *dgamma,                   /* (C) */
                          real *dbeta,                    /* (C) or NULL */
                          const act *dout,                /* (M, C) */
                          const act *hat,                 /* (M, C) */
                          const real *gamma,              /* (C) */
                          const real *rstd,               /* (M) */
                          bool accumulate_dx, bool accumulate);

    /* Rotate q and k in place: halves (x, y) of a head become (x c - y s, y c + x s);
     * inverse turns back, which is also the gradient. */
    void (*rope)(const struct attention *a, act *qkv, /* (B, T, row) */
                 const real *cosine,                  /* (T, D / 2) */
                 const real *sine,                    /* (T, D / 2) */
                 bool inverse);

    struct attention_ops attention;
    /* One new token a sequence, at place t: its keys and values join the caches, its
     * queries look at places 0 … t. */
    void (*attention_cached)(const struct attention *a, act *out, /* (B, H, D) */
                             act *k_cache,                        /* (B, T, G, D) */
                             act *v_cache,                        /* (B, T, G, D) */
                             real *scores,                        /* (B, H, T) */
                             const act *qkv,                      /* (B, row) */
                             int64_t t);

    void (*gelu_forward)(act *out, const act *x, int64_t n);
    /* out once more, for the next layer's gradient: the same exponential serves both. dx
     * may be x, and out dout. */
    void (*gelu_backward)(act *dx, act *out, const act *dout, const act *x, int64_t n);
    /* out = silu(gate) up, for rows of gate_up that hold F of gate, then F of up. */
    void (*swiglu_forward)(act *out,           /* (M, F) */
                           const act *gate_up, /* (M, 2 F) */
                           int64_t M, int64_t F);
    void (*swiglu_backward)(act *dgate_up,      /* (M, 2 F), may be gate_up */
                            act *out,           /* (M, F) once more, may be dout */
                            const act *dout,    /* (M, F) */
                            const act *gate_up, /* (M, 2 F) */
                            int64_t M, int64_t F);

    /* stream += branch, with some of branch dropped; and the gradient of branch. */
    void (*residual_add)(real *stream, const act *branch, const struct dropout *d,
                         int64_t n);
    void (*residual_backward)(act *dbranch, const real *dstream, const struct dropout *d,
                              int64_t n);
    void (*dropout_stream)(real *stream, const struct dropout *d,
                           int64_t n); /* in place */

    /* A target < 0 is not scored: loss 0, gradient 0. */
    void (*cross_entropy_forward)(real *loss,             /* (M) nats */
                                  real *softmax,          /* (M, 2): max, 1 / sum */
                                  const act *logits,      /* (M, V) */
                                  const int32_t *targets, /* (M) */
                                  int64_t M, int64_t V);
    /* Gradient of scale * (sum of losses). dlogits may be logits itself. */
    void (*cross_entropy_backward)(act *dlogits,           /* (M, V) */
                                   const act *logits,      /* (M, V) */
                                   const real *softmax,    /* (M, 2) */
                                   const int32_t *targets, /* (M) */
                                   real scale, int64_t M, int64_t V);

    /* Between the engine's numbers and f32. */
    void (*act_to_real)(real *out, const act *x, int64_t n);
    void (*act_from_real)(act *out, const real *x, int64_t n);
};

#endif
