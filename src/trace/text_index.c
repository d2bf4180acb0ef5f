#include "trace/text_index.h"

#include "base/mem.h"
#include "base/status.h"
#include "trace/text_index_kernels.h"

#include <string.h>

/* Beyond the last mark a kernel may write up to 16 that are none. */
enum { MARKS_SLACK = 64 };

static const struct {
    const char *name;
    index_kernel *kernel;
} kernels[INDEX_KERNELS] = {
#ifdef GAIT_INDEX_X86
    {"AVX-512", index_avx512},
    {"AVX2", index_avx2},
#else
    {"AVX-512", NULL},
    {"AVX2", NULL},
#endif
    {"plain", index_plain},
};

index_kernel *text_index_kernel(int i)
{
#ifdef GAIT_INDEX_X86
    __builtin_cpu_init();
    if (i == 0 &&
        !(__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
          __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("bmi")))
        return NULL;
    if (i == 1 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("bmi")))
        return NULL;
#endif
    return kernels[i].kernel;
}

const char *text_index_kernel_name(int i)
{
    return kernels[i].name;
}

static index_kernel *best_kernel(void)
{
    static index_kernel *chosen; /* threads may both look: they find the same */
    index_kernel *k = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    for (int i = 0; !k && i < INDEX_KERNELS; i++)
        k = text_index_kernel(i);
    __atomic_store_n(&chosen, k, __ATOMIC_RELAXED);
    return k;
}

void text_index_init(struct text_index *x)
{
    *x = (struct text_index){0};
    vec_grow(x->at, x->cap, INDEX_FIRST_STRIP_BYTES + MARKS_SLACK);
}

void text_index_release(struct text_index *x)
{
    mem_free(x->at);
    mem_free(x->odd);
    *x = (struct text_index){0};
}

void text_index_start(struct text_index *x, const char *text, size_t from, size_t len)
{
    if (len > UINT32_MAX - 2 * INDEX_STRIP_BYTES)
        BUG("a text of %zu bytes is indexed in one go", len);
    x->text = text;
    x->len = len;
    x->base = x->done = from;
    x->strip = INDEX_FIRST_STRIP_BYTES;
    x->state = (struct index_state){0};
    x->next = x->n = 0;
    for (int i = 0; i < MARKS_BEHIND; i++)
        x->at[i] = (uint32_t)len;
    size_t need = (len - from) / 64 + 2;
    if (need > x->odd_cap) {
        mem_free(x->odd);
        x->odd = mem_alloc(need);
        x->odd_cap = need;
    }
}

bool text_index_more(struct text_index *x)
{
    if (x->done >= x->len)
        return false;
    uint32_t left = x->n - x->next;
    /* As much again as what is there already and was not enough: a long event is tried a
     * few times, not once for every strip. */
    size_t begun = left ? x->done - x->at[x->next] : 0;
    size_t want = begun > x->strip ? begun : x->strip;
    if (x->strip < INDEX_STRIP_BYTES)
        x->strip *= 2;
    size_t bytes = x->len - x->done;
    size_t stretches = (bytes > want ? want : bytes + 63) / 64;
    memmove(x->at, x->at + x->next, left * sizeof *x->at);
    x->next = 0;
    vec_grow(x->at, x->cap, left + stretches * 64 + MARKS_SLACK);
    x->n =
        left + (uint32_t)best_kernel()(&x->state, x->text, x->done, stretches,
                                       x->at + left, x->odd + (x->done - x->base) / 64);
    x->done += stretches * 64;
    for (int i = 0; i < MARKS_BEHIND; i++)
        x->at[x->n + (uint32_t)i] = (uint32_t)x->len;
    return true;
}
