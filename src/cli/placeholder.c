#include "cli/placeholder.h"

#include "base/status.h"

#include <ctype.h>
#include <string.h>

#define TRACE_ENDINGS "json json.gz json.zst"

static const struct placeholder table[] = {
    {.name = "AFTER", .endings = "gait yaml yml " TRACE_ENDINGS},
    {.name = "BEFORE", .endings = "gait yaml yml " TRACE_ENDINGS},
    {.name = "BOOL", .words = "true|false"},
    {.name = "CHECKPOINT", .folder = true},
    {.name = "COMMAND", .names = NAMES_COMMANDS},
    {.name = "CONFIG", .endings = "yaml yml"},
    {.name = "DIR", .folder = true},
    {.name = "F"},
    {.name = "FILE", .endings = ""},
    {.name = "FILE.py", .endings = "py"},
    {.name = "FOLDER", .folder = true},
    {.name = "FORMAT", .words = "text|concise|json|brief|sarif|github|junit"},
    {.name = "I"},
    {.name = "ID"},
    {.name = "INPUT", .endings = ""},
    {.name = "K"},
    {.name = "KEY", .names = NAMES_KEYS},
    {.name = "LINT-RULE", .names = NAMES_LINT_RULES},
    {.name = "LIST"},
    {.name = "N"},
    {.name = "NAME"},
    {.name = "P"},
    {.name = "PAGE", .names = NAMES_PAGES},
    {.name = "PATH", .endings = ""},
    {.name = "PATTERN"},
    {.name = "PATTERNS", .endings = ""},
    {.name = "PERCENT"},
    {.name = "PRESET", .words = "auto|laptop|desktop|server"},
    {.name = "PROCESS"},
    {.name = "PROMPT"},
    {.name = "QUESTION", .words = "no-wait|no-loader|batch=2x"},
    {.name = "RULE", .names = NAMES_RULES},
    {.name = "RULES", .words = "ALL", .names = NAMES_LINT_RULES},
    {.name = "RUN", .endings = "gait"},
    {.name = "S"},
    {.name = "SECONDS"},
    {.name = "SIZE"},
    {.name = "T", .words = "bytes|chars|gpt2", .endings = ""},
    {.name = "TEXT", .endings = ""},
    {.name = "TIME"},
    {.name = "TOKEN"},
    {.name = "TRACE", .endings = TRACE_ENDINGS},
    {.name = "X"},
};

/* "KEY=A,B,…" is a KEY, "I,I,…" an I: what follows is told by the help. */
static size_t name_len(const char *s, size_t len)
{
    static const char dots[] = "…";
    for (size_t i = 0; i < len; i++)
        if (strchr("]=,", s[i]) || !strncmp(s + i, dots, sizeof dots - 1))
            return i;
    return len;
}

static bool is_word(const struct usage_word *w)
{
    return w->len && *w->s != '-';
}

size_t usage_words(struct usage_word out[USAGE_WORDS_MAX], const char *usage)
{
    size_t n = 0, place = 0;
    for (const char *s = usage; *(s += strspn(s, " ")); place++) {
        const char *end = s + strcspn(s, " ");
        while (s < end) {
            size_t len = strcspn(s, " |"), open = *s == '[';
            if (n == USAGE_WORDS_MAX)
                BUG("more than %d words in \"%s\"", USAGE_WORDS_MAX, usage);
            out[n] = (struct usage_word){s + open, name_len(s + open, len - open), place};
            n += is_word(&out[n]);
            s += len + (s[len] == '|');
        }
    }
    return n;
}

bool usage_is_literal(const struct usage_word *w)
{
    return !isupper((unsigned char)*w->s);
}

const struct placeholder *placeholder_find(const struct usage_word *w)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strlen(table[i].name) == w->len && !memcmp(table[i].name, w->s, w->len))
            return &table[i];
    return NULL;
}
