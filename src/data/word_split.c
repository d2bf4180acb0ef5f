#include "data/word_split.h"

#include "data/unicode_class.h"
#include "data/utf8.h"

#include <stdint.h>
#include <string.h>

const char *const word_pattern_text[WORD_PATTERN_COUNT] = {
    [WORD_PATTERN_GPT2] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| "
                          "?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    [WORD_PATTERN_LLAMA3] =
        "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
        "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
};

int word_pattern_find(const char *text)
{
    for (int i = 0; i < WORD_PATTERN_COUNT; i++)
        if (!strcmp(text, word_pattern_text[i]))
            return i;
    return -1;
}

static enum unicode_class class_at(const char *text, size_t *bytes)
{
    return unicode_class(utf8_code(text, bytes));
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* The end of the run of a class that holds text[at]. */
static size_t run_end(const char *text, size_t len, size_t at, enum unicode_class class)
{
    for (size_t bytes; at < len && class_at(text + at, &bytes) == class; at += bytes)
        ;
    return at;
}

/* 's 't 're 've 'm 'll 'd behind an apostrophe: bytes of it all, 0 where there is none.
 */
static size_t contraction(const char *text, size_t len)
{
    if (len < 2)
        return 0;
    if (strchr("stmd", text[1]) && text[1])
        return 2;
    bool two = len > 2 && ((text[2] == 'e' && (text[1] == 'r' || text[1] == 'v')) ||
                           (text[1] == 'l' && text[2] == 'l'));
    return two ? 3 : 0;
}

/* The same in any case; U+017F, the long s, is a lower-case form of S. */
static size_t contraction_any_case(const char *text, size_t len)
{
    char lower[3] = {'\''};
    size_t n = len < sizeof lower ? len : sizeof lower;
    for (size_t i = 1; i < n; i++)
        lower[i] = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
    size_t took = contraction(lower, n);
    if (!took && n == 3 && !memcmp(text + 1, "\xc5\xbf", 2))
        return 3;
    return took;
}

/* \s+(?!\S)|\s+ for white space that ends at `end` and begins with the text: the last
 * character is left to what follows, unless it is the only one or nothing follows. */
static size_t space_end(const char *text, size_t len, size_t end)
{
    if (end == len)
        return end;
    size_t last = end - 1;
    while (utf8_is_inside(text[last]))
        last--;
    return last ? last : end;
}

static size_t gpt2_next(const char *text, size_t len)
{
    if (text[0] == '\'') {
        size_t took = contraction(text, len);
        if (took)
            return took;
    }
    size_t begin = 0, bytes;
    if (text[0] == ' ' && len > 1 && class_at(text + 1, &bytes) != UNICODE_SPACE)
        begin = 1;
    enum unicode_class class = class_at(text + begin, &bytes);
    size_t end = run_end(text, len, begin + bytes, class);
    return class == UNICODE_SPACE ? space_end(text, len, end) : end;
}

static size_t numbers_end(const char *text, size_t len, int most)
{
    size_t at = 0;
    for (size_t bytes; most && at < len; most--, at += bytes)
        if (class_at(text + at, &bytes) != UNICODE_NUMBER)
            break;
    return at;
}

/* ?[^\s\p{L}\p{N}]+[\r\n]* from where its first such character stands. */
static size_t punctuation_end(const char *text, size_t len, size_t at)
{
    at = run_end(text, len, at, UNICODE_OTHER);
    while (at < len && is_newline(text[at]))
        at++;
    return at;
}

/* \s*[\r\n]+|\s+(?!\S)|\s+: to behind the last line break of the run, if it has one. */
static size_t llama3_space_end(const char *text, size_t len)
{
    size_t end = run_end(text, len, 0, UNICODE_SPACE);
    for (size_t at = end; at > 0; at--)
        if (is_newline(text[at - 1]))
            return at;
    return space_end(text, len, end);
}

static size_t llama3_next(const char *text, size_t len)
{
    if (text[0] == '\'') {
        size_t took = contraction_any_case(text, len);
        if (took)
            return took;
    }
    size_t bytes, more;
    enum unicode_class class = class_at(text, &bytes);
    if (class == UNICODE_LETTER)
        return run_end(text, len, bytes, UNICODE_LETTER);
    if (class == UNICODE_NUMBER)
        return numbers_end(text, len, 3);
    enum unicode_class next = bytes < len ? class_at(text + bytes, &more) : UNICODE_SPACE;
    if (next == UNICODE_LETTER && !is_newline(text[0]))
        return run_end(text, len, bytes, UNICODE_LETTER);
    if (class == UNICODE_OTHER)
        return punctuation_end(text, len, 0);
    if (text[0] == ' ' && next == UNICODE_OTHER)
        return punctuation_end(text, len, 1);
    return llama3_space_end(text, len);
}

size_t word_next(enum word_pattern pattern, const char *text, size_t len)
{
    return pattern == WORD_PATTERN_GPT2 ? gpt2_next(text, len) : llama3_next(text, len);
}

/* The class of the character at text[at], UNICODE_SPACE where there is none: a sure end
 * is asked for in texts that nobody has looked at yet. */
static enum unicode_class class_or_none(const char *text, size_t len, size_t at)
{
    size_t bytes;
    int64_t code = utf8_read(text + at, len - at, &bytes);
    return code < 0 ? UNICODE_SPACE : unicode_class((uint32_t)code);
}

bool word_ends_surely(const char *text, size_t len, size_t at)
{
    size_t bytes;
    if (at == 0 || at >= len || utf8_read(text + at, len - at, &bytes) < 0)
        return false;
    size_t before = at - 1;
    while (before && at - before < UTF8_MAX_BYTES && utf8_is_inside(text[before]))
        before--;
    enum unicode_class class = class_or_none(text, at, before);
    return (class == UNICODE_LETTER || class == UNICODE_NUMBER) &&
           class_or_none(text, len, at) != class;
}
