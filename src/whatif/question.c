#include "whatif/question.h"

#include "base/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double FACTOR_MAX = 1000;
static const double NET_MAX_BYTES_PER_S = 1e15;
enum { RANKS_MAX = 1000000 };

static const struct {
    const char *word;
    enum question_kind kind;
} verbs[] = {
    {"remove", QUESTION_REMOVE},   {"scale", QUESTION_SCALE},
    {"no-wait", QUESTION_NO_WAIT}, {"no-loader", QUESTION_NO_LOADER},
    {"batch=", QUESTION_BATCH},    {"ranks=", QUESTION_NETWORK},
    {"net=", QUESTION_NETWORK},
};

/* The verb at the beginning of a word; -1: none. A verb with = goes on, others end. */
static int verb_of(const char *word)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        size_t len = strlen(verbs[i].word);
        if (strncmp(word, verbs[i].word, len) != 0)
            continue;
        if (verbs[i].word[len - 1] == '=' || !word[len] || word[len] == ' ')
            return (int)i;
    }
    return -1;
}

bool question_begins(const char *word)
{
    return verb_of(word) >= 0;
}

const char *question_near(const char *word)
{
    enum { EDITS_MAX = 2 };
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strpbrk(word, "./*?[") && strlen(word) > EDITS_MAX + 1 &&
            edit_distance(word, verbs[i].word) <= EDITS_MAX)
            return verbs[i].word;
    return NULL;
}

/* --- numbers --- */

/* A plain decimal number at *at, which moves behind it: no signs, hex or "nan". */
static bool take_number(const char **at, double *out)
{
    char *end;
    if (!isdigit((unsigned char)**at) && **at != '.')
        return false;
    if ((*at)[0] == '0' && tolower((unsigned char)(*at)[1]) == 'x')
        return false;
    errno = 0;
    *out = strtod(*at, &end);
    bool good = end != *at && !errno && isfinite(*out);
    *at = end;
    return good;
}

/* "25GB/s", "200Gbit/s", "900000000B/s": bytes a second. */
static bool take_rate(const char **at, double *out)
{
    static const char prefixes[] = "kMGT";
    double unit = 1;
    if (!take_number(at, out))
        return false;
    const char *prefix = **at ? strchr(prefixes, **at) : NULL;
    if (prefix) {
        for (const char *p = prefixes; p <= prefix; p++)
            unit *= 1000;
        ++*at;
    }
    if (!strncmp(*at, "bit/s", 5)) {
        unit /= 8;
        *at += 5;
    } else if (!strncmp(*at, "B/s", 3)) {
        *at += 3;
    } else {
        return false;
    }
    *out *= unit;
    return *out >= 1 && *out <= NET_MAX_BYTES_PER_S;
}

/* --- the forms --- */

/* What stands behind the verb: in its word, or in the next one. */
struct rest {
    const char *text;
    size_t len;
};

static bool take_rest(struct rest *r, const char *const *words, size_t n, size_t *used,
                      size_t verb_len)
{
    const char *behind = words[0] + verb_len;
    while (*behind == ' ')
        behind++;
    if (!*behind && *used < n)
        behind = words[(*used)++];
    r->text = behind;
    r->len = strlen(behind);
    while (r->len && r->text[r->len - 1] == ' ')
        r->len--;
    return r->len > 0;
}

static enum status needs_selector(const char *verb, struct err *err)
{
    return err_set(err, STATUS_USAGE,
                   "%s needs to know what: for example '%s op:aten::item%s'", verb, verb,
                   strcmp(verb, "scale") ? "" : " 0.5");
}

static enum status parse_remove(struct question *q, size_t *used,
                                const char *const *words, size_t n, struct err *err)
{
    struct rest r;
    if (!take_rest(&r, words, n, used, strlen("remove")))
        return needs_selector("remove", err);
    enum status st = selector_parse(&q->selector, r.text, r.len, err);
    if (!st)
        snprintf(q->text, sizeof q->text, "remove %s:%s", select_word[q->selector.what],
                 q->selector.pattern);
    return st;
}

/* The factor is what stands behind the last blank, or the next word. */
static enum status parse_scale(struct question *q, size_t *used, const char *const *words,
                               size_t n, struct err *err)
{
    struct rest r;
    const char *factor = NULL;
    if (!take_rest(&r, words, n, used, strlen("scale")))
        return needs_selector("scale", err);
    for (size_t i = r.len; i-- > 0 && !factor;)
        if (r.text[i] == ' ') {
            factor = r.text + i + 1;
            r.len = i;
        }
    if (!factor && *used < n)
        factor = words[(*used)++];
    while (r.len && r.text[r.len - 1] == ' ')
        r.len--;
    const char *end = factor ? factor : "";
    if (!factor || !take_number(&end, &q->factor) || end[strspn(end, " ")] ||
        q->factor > FACTOR_MAX)
        return err_set(err, STATUS_USAGE,
                       "scale needs a factor from 0 to %g at its end: for example "
                       "'scale kernel:*gemm* 0.5'",
                       FACTOR_MAX);
    enum status st = selector_parse(&q->selector, r.text, r.len, err);
    if (!st)
        snprintf(q->text, sizeof q->text, "scale %s:%s %g", select_word[q->selector.what],
                 q->selector.pattern, q->factor);
    return st;
}

static enum status parse_batch(struct question *q, const char *word, struct err *err)
{
    const char *at = word + strlen("batch=");
    if (!take_number(&at, &q->factor) || q->factor <= 0 || q->factor > FACTOR_MAX ||
        strcmp(at, "x") != 0)
        return err_set(err, STATUS_USAGE,
                       "\"%.80s\" should be a factor above 0 and up to %g, like batch=2x",
                       word, FACTOR_MAX);
    snprintf(q->text, sizeof q->text, "batch=%gx", q->factor);
    return STATUS_OK;
}

static bool take_ranks(const char **at, int *out)
{
    char *end;
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    long n = strtol(*at, &end, 10);
    *at = end;
    *out = (int)n;
    return !errno && n >= 1 && n <= RANKS_MAX;
}

/* "ranks=64" and "net=25GB/s" in any order, in one word or two. */
static bool take_network(struct question *q, const char *at)
{
    while (*at) {
        if (!strncmp(at, "ranks=", 6) && !q->ranks) {
            at += 6;
            if (!take_ranks(&at, &q->ranks))
                return false;
        } else if (!strncmp(at, "net=", 4) && q->net_bytes_per_s == 0) {
            at += 4;
            if (!take_rate(&at, &q->net_bytes_per_s))
                return false;
        } else {
            return false;
        }
        if (*at && *at != ' ')
            return false;
        at += strspn(at, " ");
    }
    return true;
}

/* Is the word what this question does not say yet? */
static bool is_other_half(const struct question *q, const char *word)
{
    return (!q->ranks && !strncmp(word, "ranks=", 6)) ||
           (q->net_bytes_per_s == 0 && !strncmp(word, "net=", 4));
}

static enum status parse_network(struct question *q, size_t *used,
                                 const char *const *words, size_t n, struct err *err)
{
    bool good = take_network(q, words[0]);
    bool more = good && *used < n && is_other_half(q, words[*used]);
    const char *bad = words[0];
    if (more) {
        bad = words[*used];
        good = take_network(q, words[(*used)++]);
    }
    if (!good)
        return err_set(err, STATUS_USAGE,
                       "\"%.80s\" should be like 'ranks=64 net=25GB/s': ranks from 1 to "
                       "%d, a rate in B/s or bit/s with k, M, G or T, each once",
                       bad, RANKS_MAX);
    int len = 0;
    if (q->ranks)
        len = snprintf(q->text, sizeof q->text, "ranks=%d", q->ranks);
    if (q->net_bytes_per_s > 0)
        snprintf(q->text + len, sizeof q->text - (size_t)len, "%snet=%gGB/s",
                 len ? " " : "", q->net_bytes_per_s / 1e9);
    return STATUS_OK;
}

static enum status parse_alone(struct question *q, int verb, const char *word,
                               struct err *err)
{
    const char *behind = word + strlen(verbs[verb].word);
    if (behind[strspn(behind, " ")])
        return err_set(err, STATUS_USAGE,
                       "%s takes nothing behind it; give other questions in words of "
                       "their own",
                       verbs[verb].word);
    snprintf(q->text, sizeof q->text, "%s", verbs[verb].word);
    return STATUS_OK;
}

enum status question_parse(struct question *q, size_t *used, const char *const *words,
                           size_t n, struct err *err)
{
    int verb = n ? verb_of(words[0]) : -1;
    if (verb < 0)
        return err_set(
            err, STATUS_USAGE,
            "\"%.80s\" is not a question; questions begin with remove, scale, no-wait, "
            "no-loader, batch=, ranks= or net=",
            n ? words[0] : "");
    *q = (struct question){.kind = verbs[verb].kind};
    *used = 1;
    switch (q->kind) {
    case QUESTION_REMOVE:
        return parse_remove(q, used, words, n, err);
    case QUESTION_SCALE:
        return parse_scale(q, used, words, n, err);
    case QUESTION_BATCH:
        return parse_batch(q, words[0], err);
    case QUESTION_NETWORK:
        return parse_network(q, used, words, n, err);
    case QUESTION_NO_WAIT:
    case QUESTION_NO_LOADER:
        return parse_alone(q, verb, words[0], err);
    }
    BUG("question %d", (int)q->kind);
}
