/*
 * A pattern is a row of steps: a character, a set, a star. As with an automaton, all the
 * steps where the text read so far may stand are kept at once, so that no pattern makes
 * it slow: there is nothing to go back to.
 */
#include "base/glob.h"

#include "base/mem.h"

#include <string.h>

enum step_kind {
    STEP_CHARACTER,
    STEP_ANY,     /* ? */
    STEP_SET,     /* [...] */
    STEP_STAR,    /* any number of characters */
    STEP_FOLDERS, /* "**" and a slash: nothing, or all up to and with some slash */
    STEP_END,
};

struct step {
    enum step_kind kind;
    bool crosses; /* may it take a slash? */
    char character;
    const char *set; /* behind the bracket */
    size_t set_len;
};

struct steps {
    struct step *step;
    size_t n;
};

/* The length of the set at s ("[...]"), 0: the bracket is a plain character. */
static size_t set_length(const char *s)
{
    size_t i = 1;
    if (s[i] == '!' || s[i] == '^')
        i++;
    if (s[i] == ']')
        i++;
    while (s[i] && s[i] != ']')
        i++;
    return s[i] ? i + 1 : 0;
}

static bool set_has(const struct step *s, unsigned char c)
{
    size_t i = 0;
    bool inverted = s->set[0] == '!' || s->set[0] == '^', found = false;
    for (i += inverted; i < s->set_len; i++) {
        unsigned char low = (unsigned char)s->set[i], high = low;
        if (i + 2 < s->set_len && s->set[i + 1] == '-') {
            high = (unsigned char)s->set[i + 2];
            i += 2;
        }
        found |= low <= c && c <= high;
    }
    return found != inverted;
}

/* "**" that is a whole component, with the slash behind it, takes folders; at the end, or
 * as part of a name, it takes any characters. */
static size_t star_step(struct step *out, const char *pattern, size_t at, bool crosses)
{
    size_t n = strspn(pattern + at, "*");
    bool whole = n == 2 && (!at || pattern[at - 1] == '/');
    if (whole && pattern[at + 2] == '/') {
        *out = (struct step){.kind = STEP_FOLDERS};
        return 3;
    }
    bool last = whole && !pattern[at + 2];
    *out = (struct step){.kind = STEP_STAR, .crosses = crosses || last};
    return n;
}

static size_t next_step(struct step *out, const char *pattern, size_t at, bool crosses)
{
    const char *p = pattern + at;
    size_t set = *p == '[' ? set_length(p) : 0;
    if (*p == '*')
        return star_step(out, pattern, at, crosses);
    *out = (struct step){.kind = STEP_CHARACTER, .character = *p, .crosses = crosses};
    if (*p == '?') {
        out->kind = STEP_ANY;
    } else if (set) {
        out->kind = STEP_SET;
        out->set = p + 1;
        out->set_len = set - 2;
    } else if (*p == '\\' && p[1]) {
        out->character = p[1];
        return 2;
    }
    return set ? set : 1;
}

static struct steps compile(const char *pattern, bool crosses)
{
    struct steps s = {mem_zalloc(strlen(pattern) + 1, sizeof *s.step), 0};
    for (size_t at = 0; pattern[at];)
        at += next_step(&s.step[s.n++], pattern, at, crosses);
    s.step[s.n++].kind = STEP_END;
    return s;
}

/* Stars match nothing too: where one may begin, so may what stands behind it. */
static void reach(const struct steps *s, bool *here, size_t i)
{
    here[i] = true;
    while (s->step[i].kind == STEP_STAR || s->step[i].kind == STEP_FOLDERS)
        here[++i] = true;
}

static bool takes(const struct step *s, char c)
{
    switch (s->kind) {
    case STEP_CHARACTER:
        return c == s->character;
    case STEP_ANY:
    case STEP_STAR:
        return s->crosses || c != '/';
    case STEP_SET:
        return (s->crosses || c != '/') && set_has(s, (unsigned char)c);
    case STEP_FOLDERS:
        return true;
    case STEP_END:
        break;
    }
    return false;
}

/* From the steps before c to those behind it. Within "**" and a slash, what follows may
 * begin behind a slash only. */
static void advance(const struct steps *s, bool *to, const bool *from, char c)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct step *step = &s->step[i];
        if (!from[i] || !takes(step, c))
            continue;
        if (step->kind == STEP_FOLDERS) {
            to[i] = true;
            if (c == '/')
                reach(s, to, i + 1);
        } else {
            reach(s, to, step->kind == STEP_STAR ? i : i + 1);
        }
    }
}

bool glob_match(const char *pattern, const char *text, enum glob_star star)
{
    struct steps s = compile(pattern, star == GLOB_STAR_CROSSES);
    bool *now = mem_zalloc(2 * s.n, sizeof *now), *next = now + s.n, *both = now;
    reach(&s, now, 0);
    for (; *text; text++) {
        advance(&s, next, now, *text);
        memset(now, 0, s.n * sizeof *now);
        bool *old = now;
        now = next;
        next = old;
    }
    bool all = now[s.n - 1];
    mem_free(both);
    mem_free(s.step);
    return all;
}

bool glob_is_pattern(const char *s)
{
    return strpbrk(s, "*?[");
}
