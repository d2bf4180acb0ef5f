/*
 * Where a JSON text has its marks: brackets, colons and commas outside strings, and the
 * quotes that open strings. One pass over the bytes, 64 at a time, without a branch on
 * what they are; whoever parses then goes from mark to mark and never looks at the bytes
 * between that it does not want.
 *
 * The text is indexed a strip at a time, so that marks and bytes are still in the cache
 * when they are used. Three kernels of one meaning: AVX-512, AVX2, plain; the best that
 * the CPU has is chosen at the first use.
 */
#ifndef GAIT_TRACE_TEXT_INDEX_H
#define GAIT_TRACE_TEXT_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TEXT_PADDING = 64, /* spaces that must follow a text */
    INDEX_STRIP_BYTES = 16 << 10,
    INDEX_FIRST_STRIP_BYTES = 512,
    MARKS_BEHIND = 8, /* behind the last mark stand so many at the end of the text, where
                         there is a space: a look ahead finds no mark */
};

/* What one stretch of 64 bytes hands on to the next. */
struct index_state {
    uint64_t in_string; /* all ones inside a string, else 0 */
    uint64_t escaped;   /* 1: the first byte stands behind a backslash */
};

struct text_index {
    const char *text;
    size_t len;
    size_t base; /* where indexing began: no string was open there */
    size_t done; /* indexed up to here */
    size_t
        strip; /* bytes to index next: few at first, for what turns out to be no event */
    struct index_state state;
    uint32_t *at; /* (n) places of marks */
    size_t cap;
    uint32_t next, n; /* at[next] is the first mark not yet used */
    /* (a stretch of 64 from base) not 0: a string in it has a backslash or a control
     * character */
    uint8_t *odd;
    size_t odd_cap;
};

void text_index_init(struct text_index *x);
void text_index_release(struct text_index *x);

/* Index text[from..len) from now on; TEXT_PADDING spaces follow it. */
void text_index_start(struct text_index *x, const char *text, size_t from, size_t len);
/* Marks of the next strip behind those from at[next] on, which move to at[0]; false when
 * the text has no more. */
bool text_index_more(struct text_index *x);
/* Where the last mark that was used ends. */
static inline size_t text_index_used(const struct text_index *x)
{
    return x->at[x->next - 1] + 1;
}

/* May text[from..to), inside a string, hold a backslash or a control character? */
static inline bool text_index_is_odd(const struct text_index *x, size_t from, size_t to)
{
    for (size_t i = (from - x->base) >> 6; i <= (to - x->base) >> 6; i++)
        if (x->odd[i])
            return true;
    return false;
}

/* --- the kernels, for their tests --- */

/* Marks of text[from..from + 64 * stretches), 64 * stretches of them at most, written to
 * at; odd gets a byte a stretch. Returns how many marks. */
typedef size_t index_kernel(struct index_state *state, const char *text, size_t from,
                            size_t stretches, uint32_t *at, uint8_t *odd);

/* Kernel i, or NULL where this CPU cannot run it; the last is the plain one. */
enum { INDEX_KERNELS = 3 };
index_kernel *text_index_kernel(int i);
const char *text_index_kernel_name(int i);

#endif
