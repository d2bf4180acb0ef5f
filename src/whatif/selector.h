/*
 * Which spans of a run a question is about: a kind and a pattern of names, like
 * "op:aten::copy_" or "kernel:*gemm*". In a pattern * stands for any text and ? for one
 * character; it is held against the whole name, of device work also against its label.
 */
#ifndef GAIT_WHATIF_SELECTOR_H
#define GAIT_WHATIF_SELECTOR_H

#include "base/status.h"
#include "run/run.h"

/* E(VALUE, "word", kinds of spans, on a device?) */
#define SELECT_LIST(E)                                                                   \
    E(OP, "op", 1u << SPAN_KIND_OP, false)                                               \
    E(CALL, "call", 1u << SPAN_KIND_RUNTIME | 1u << SPAN_KIND_SYNC, false)               \
    E(RANGE, "range", 1u << SPAN_KIND_ANNOTATION | 1u << SPAN_KIND_PHASE, false)         \
    E(FRAME, "frame", 1u << SPAN_KIND_PYTHON, false)                                     \
    E(KERNEL, "kernel", 1u << SPAN_KIND_KERNEL, true)                                    \
    E(COPY, "copy", 1u << SPAN_KIND_COPY | 1u << SPAN_KIND_SET, true)                    \
    E(COLLECTIVE, "collective", 1u << SPAN_KIND_COLLECTIVE, true)

#define SELECT_VALUE(v, word, kinds, device) SELECT_##v,
enum select { SELECT_LIST(SELECT_VALUE) SELECT_COUNT };
extern const char *const select_word[SELECT_COUNT];

enum { PATTERN_MAX = 512 };

struct selector {
    enum select what;
    char pattern[PATTERN_MAX];
};

/* "op:NAME" */
enum status selector_parse(struct selector *s, const char *text, size_t len,
                           struct err *err);

bool selector_on_device(const struct selector *s);
bool selector_takes(const struct selector *s, enum span_kind kind, const char *name);

/* Is the whole of text what the pattern says? */
bool pattern_matches(const char *pattern, const char *text);

#endif
