/*
 * What a device kernel does, in a few words, from its name: "gemm bf16 128×128 (cuBLAS)",
 * "elementwise add f32", "flash attention forward bf16". A label says what the name says
 * and nothing else: no type, tile or library that is not written there.
 *
 * To teach it another kind of kernel: a grammar of its own is a function in the list of
 * kernel_label.c; a word for what such kernels do is a line of kernel_words.c.
 */
#ifndef GAIT_ANALYZE_KERNEL_LABEL_H
#define GAIT_ANALYZE_KERNEL_LABEL_H

#include "base/strbuf.h"

#include <stdbool.h>

/* Append the label of a kernel, a copy or a collective. False: nothing in the name was
 * recognised, and the label is the name without scopes, brackets and parameters. Takes
 * any bytes; a label is never empty where the name is not. */
bool kernel_label(struct strbuf *out, const char *raw);

#endif
