/* A tokenizer.json for tests: the 256 bytes, some tokens behind them, and what a case
 * changes. */
#ifndef GAIT_TESTS_SMALL_TOKENIZER_H
#define GAIT_TESTS_SMALL_TOKENIZER_H

#include "base/json_writer.h"
#include "base/strbuf.h"
#include "data/byte_chars.h"

#define BYTE_LEVEL                                                                       \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,"          \
    "\"use_regex\":true}"
#define BYTE_LEVEL_ONLY                                                                  \
    "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true,"          \
    "\"use_regex\":false}"
#define LLAMA3_PATTERN                                                                   \
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\\\r\\\\n\\\\p{L}\\\\p{N}]?\\\\p{L}+|\\\\p{N}{1,3}" \
    "| "                                                                                 \
    "?[^\\\\s\\\\p{L}\\\\p{N}]+[\\\\r\\\\n]*|\\\\s*[\\\\r\\\\n]+|\\\\s+(?!\\\\S)|\\\\s+"
#define LLAMA3_SPLIT                                                                     \
    "{\"type\":\"Split\",\"pattern\":{\"Regex\":\"" LLAMA3_PATTERN                       \
    "\"},\"behavior\":\"Isolated\",\"invert\":false}"
#define LLAMA3_PRE                                                                       \
    "{\"type\":\"Sequence\",\"pretokenizers\":[" LLAMA3_SPLIT "," BYTE_LEVEL_ONLY "]}"

/* JSON values as they stand in the file; NULL takes the default. */
struct small_tokenizer {
    const char *vocab;         /* behind the bytes: ",\"ab\":256" */
    const char *merges;        /* "[\"a b\"]" */
    const char *model;         /* further members: ",\"ignore_merges\":true" */
    const char *added;         /* "[…]" */
    const char *pre_tokenizer; /* GPT-2's */
    const char *decoder;       /* null */
    const char *normalizer;    /* null */
};

static inline const char *or_default(const char *given, const char *otherwise)
{
    return given ? given : otherwise;
}

/* "Ā":0,"ā":1,… */
static inline void small_bytes(struct strbuf *out)
{
    for (int i = 0; i < 256; i++) {
        char byte = (char)i;
        strbuf_printf(out, "%s\"%s", i ? "," : "",
                      byte == '"' || byte == '\\' ? "\\" : "");
        byte_chars_write(out, &byte, 1);
        strbuf_printf(out, "\":%d", i);
    }
}

static inline void small_tokenizer_write(struct strbuf *out,
                                         const struct small_tokenizer *t)
{
    strbuf_printf(out,
                  "{\"version\":\"1.0\",\"truncation\":null,\"padding\":null,"
                  "\"added_tokens\":%s,\"normalizer\":%s,\"pre_tokenizer\":%s,"
                  "\"post_processor\":null,\"decoder\":%s,\"model\":{\"type\":\"BPE\","
                  "\"vocab\":{",
                  or_default(t->added, "[]"), or_default(t->normalizer, "null"),
                  or_default(t->pre_tokenizer, BYTE_LEVEL),
                  or_default(t->decoder, "null"));
    small_bytes(out);
    strbuf_printf(out, "%s},\"merges\":%s%s}}", or_default(t->vocab, ""),
                  or_default(t->merges, "[]"), or_default(t->model, ""));
}

#endif
