/* Bytes as words of a question: what is taken reads the same from its plain form. */
#include "whatif/question.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORDS_MAX = 4 };
    char text[1024];
    const char *words[WORDS_MAX], *again[1];
    struct question q, plain;
    struct err err = ERR_INIT;
    size_t n = 0, used = 0, plain_used = 0;
    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *at = text; at <= text + size && n < WORDS_MAX; at += strlen(at) + 1)
        words[n++] = at;
    if (question_parse(&q, &used, words, n, &err))
        return 0;
    if (!used || used > n || !question_begins(words[0]))
        abort();
    again[0] = q.text;
    if (question_parse(&plain, &plain_used, again, 1, &err) || plain.kind != q.kind ||
        strcmp(plain.text, q.text) != 0)
        abort();
    return 0;
}
