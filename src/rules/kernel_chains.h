/*
 * Passes over memory that eager PyTorch makes one after another on a stream: elementwise,
 * copy, concatenation, reduction and normalization kernels that one fused kernel could
 * replace. Work that is fused already (Triton, libraries, a captured graph) and the
 * optimizer's is no such pass.
 */
#ifndef GAIT_RULES_KERNEL_CHAINS_H
#define GAIT_RULES_KERNEL_CHAINS_H

#include "evidence/evidence.h"

struct kernel_pass {
    int64_t span;                     /* the kernel */
    const struct host_thread *thread; /* that launched it; NULL: before the recording */
    const struct host_op *call;       /* the launch; NULL as well */
    double bytes; /* that its operator moves, counted from shapes; 0: not known */
};

/* Passes pass[first..first + n) of one stream, with no other kernel between them. */
struct kernel_chain {
    size_t first, n;
    double ns, longest_ns; /* of its kernels together, and of the longest */
    double known_ns;       /* in passes whose bytes are known */
    double most_bytes;     /* of a pass */
};

struct kernel_chains {
    struct kernel_pass *pass; /* (n_passes) all of them, stream by stream as they began */
    size_t n_passes, cap_passes;
    struct kernel_chain *chain; /* (n) those of at least so many passes */
    size_t n, cap;
    double passes_ns, kernels_ns; /* of all passes; of all kernels in the window */
};

void kernel_chains_init(struct kernel_chains *c, const struct evidence *e,
                        size_t least_passes);
void kernel_chains_release(struct kernel_chains *c);

#endif
