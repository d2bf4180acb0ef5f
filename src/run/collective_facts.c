#include "run/collective_facts.h"

#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *dtype;
    int bytes;
} element_size[] = {
    {"Float", 4},       {"BFloat16", 2},
    {"Half", 2},        {"Double", 8},
    {"Long", 8},        {"Int", 4},
    {"Short", 2},       {"Byte", 1},
    {"Char", 1},        {"Bool", 1},
    {"Float8_e5m2", 1}, {"Float8_e4m3fn", 1},
    {"UInt64", 8},      {"UInt32", 4},
    {"UInt16", 2},      {"Float8_e4m3fnuz", 1},
    {"float", 4},       {"ComplexFloat", 8},
    {"int", 4},         {"Float8_e5m2fnuz", 1},
    {"QInt8", 1},       {"ComplexDouble", 16},
};

/* A word between spaces holds none; none at all is "-". */
static void put_word(char out[COLLECTIVE_WORD_MAX], const struct collective_word *w)
{
    size_t n = w->len < COLLECTIVE_WORD_MAX - 1 ? w->len : COLLECTIVE_WORD_MAX - 1;
    for (size_t i = 0; i < n; i++)
        out[i] = w->s[i];
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)out[i] <= ' ')
            out[i] = '_';
    out[n] = '\0';
    if (!n)
        strcpy(out, "-");
}

size_t collective_facts_text(char out[COLLECTIVE_TEXT_MAX],
                             const struct collective_facts *f)
{
    char operation[COLLECTIVE_WORD_MAX], dtype[COLLECTIVE_WORD_MAX];
    char group[COLLECTIVE_WORD_MAX];
    put_word(operation, &f->operation);
    put_word(dtype, &f->dtype);
    put_word(group, &f->group);
    int n =
        snprintf(out, COLLECTIVE_TEXT_MAX, "%s %s in=%lld out=%lld ranks=%lld group=%s%s",
                 operation, dtype, (long long)f->elements_in, (long long)f->elements_out,
                 (long long)f->ranks, group, f->numbered ? " numbered" : "");
    return (size_t)n;
}

static struct collective_word take_word(const char **p)
{
    struct collective_word w = {*p, strcspn(*p, " ")};
    *p += w.len;
    *p += **p == ' ';
    if (w.len == 1 && w.s[0] == '-')
        w.len = 0;
    return w;
}

/* "in=4096 ": false where another word stands there; negative numbers are none. */
static bool take_number(int64_t *v, const char **p, const char *word)
{
    char *end;
    size_t n = strlen(word);
    if (strncmp(*p, word, n) != 0)
        return false;
    long long number = strtoll(*p + n, &end, 10);
    if (end == *p + n || *end != ' ')
        return false;
    *v = number > 0 ? number : 0;
    *p = end + 1;
    return true;
}

bool collective_facts_parse(struct collective_facts *f, const char *text, size_t len)
{
    const char *p = text;
    *f = (struct collective_facts){0};
    if (len >= COLLECTIVE_TEXT_MAX || strlen(text) != len)
        return false;
    f->operation = take_word(&p);
    f->dtype = take_word(&p);
    if (!take_number(&f->elements_in, &p, "in=") ||
        !take_number(&f->elements_out, &p, "out=") ||
        !take_number(&f->ranks, &p, "ranks=") || strncmp(p, "group=", 6) != 0)
        return false;
    p += 6;
    f->group = take_word(&p);
    f->numbered = !strcmp(p, "numbered");
    return true;
}

int64_t collective_facts_bytes(const struct collective_facts *f)
{
    int64_t elements =
        f->elements_in > f->elements_out ? f->elements_in : f->elements_out;
    for (size_t i = 0; i < sizeof element_size / sizeof *element_size; i++)
        if (strlen(element_size[i].dtype) == f->dtype.len &&
            !memcmp(element_size[i].dtype, f->dtype.s, f->dtype.len))
            return elements < RUN_TIME_MAX_NS / 16 ? elements * element_size[i].bytes : 0;
    return 0;
}
