/* What a command prints, as one text; the caller frees it with mem_free(). */
#ifndef GAIT_TESTS_READ_ALL_H
#define GAIT_TESTS_READ_ALL_H

#include "base/mem.h"

#include <stdio.h>

static inline char *read_all(const char *command, size_t *len)
{
    char *text = NULL;
    FILE *output = popen(command, "r");
    size_t n = 0, cap = 0, got;
    assert_non_null(output);
    do {
        vec_grow(text, cap, n + 4096);
        n += got = fread(text + n, 1, 4095, output);
    } while (got);
    pclose(output);
    text[n] = '\0';
    *len = n;
    return text;
}

#define ALL_CASES "cat $(find " TESTS_DIR "/lint -name '*.py' | sort)"
#define ALL_RULES "cat " TESTS_DIR "/../src/lint/rules/*.scm"

#endif
