/* Lines as names of kernels: each gets a label, and no two of them the same. */
#include "analyze/kernel_labels.h"

#include "base/mem.h"
#include "base/names.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines that differ, without the empty one. */
static size_t split_lines(const char **line, char *text, size_t size, struct names *seen)
{
    size_t n = 0;
    for (char *at = text; at < text + size; at += strlen(at) + 1) {
        at[strcspn(at, "\n")] = '\0';
        size_t before = seen->n;
        if (*at && names_add_z(seen, at) == before)
            line[n++] = at;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_strndup((const char *)data, size);
    size_t len = strlen(text);
    const char **raw = mem_zalloc(len + 1, sizeof *raw);
    struct names seen, labels;
    struct kernel_labels l;
    names_init(&seen);
    names_init(&labels);
    size_t n = split_lines(raw, text, len, &seen);
    kernel_labels_init(&l, raw, n);
    for (size_t i = 0; i < n; i++) {
        size_t before = labels.n;
        if (!*l.label[i] || names_add_z(&labels, l.label[i]) != before)
            abort();
    }
    kernel_labels_release(&l);
    names_release(&seen);
    names_release(&labels);
    mem_free(raw);
    mem_free(text);
    return 0;
}
