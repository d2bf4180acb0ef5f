/*
 * A pattern is a row of steps: a character, a set, a star. As with an automaton, all the
 * steps where the text read so far may stand are kept at once, so that no pattern makes
 * it slow: there is nothing to go back to.
 */
#include "base/glob.h"

#include "base/mem.h"

#include <string.h>
#include <wctype.h>

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
    const char *set; /* (set_len) with its brackets */
    size_t set_len;
};

enum { CLASS_NAME_MAX = 8 }; /* "xdigit" */

struct steps {
    struct step *step;
    size_t n;
};

/* A set's item: a character, a range, or a class as [:alpha:], whose range is empty. */
struct set_item {
    unsigned char low, high;
    wctype_t of_class; /* 0: there is no class of that name */
    bool is_class;
};

static struct set_item one_character(char c)
{
    return (struct set_item){(unsigned char)c, (unsigned char)c, 0, false};
}

/* "[:alpha:]" at s: its length; 0 where it is none. Letters alone are looked at, so that a
 * row of "[:" takes no time that grows with its square. */
static size_t read_class(struct set_item *out, const char *s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[CLASS_NAME_MAX] = "";
    size_t len = s[0] == '[' && s[1] == ':' ? strspn(s + 2, letters) : 0;
    if (!len || s[len + 2] != ':' || s[len + 3] != ']')
        return 0;
    if (len < sizeof name)
        memcpy(name, s + 2, len);
    *out = (struct set_item){1, 0, wctype(name), true};
    return len + 4;
}

/* A character, perhaps behind a backslash: its length. */
static size_t read_character(char *out, const char *s)
{
    size_t escaped = *s == '\\' && s[1];
    *out = s[escaped];
    return 1 + escaped;
}

/* The item at s, which is not the set's end: its length. */
static size_t read_item(struct set_item *out, const char *s)
{
    char low, high;
    size_t len = read_class(out, s);
    if (len)
        return len;
    len = read_character(&low, s);
    *out = one_character(low);
    if (s[len] != '-' || !s[len + 1] || s[len + 1] == ']')
        return len;
    len += 1 + read_character(&high, s + len + 1);
    out->high = (unsigned char)high;
    return len;
}

static bool item_has(const struct set_item *i, unsigned char c)
{
    return i->is_class ? c < 0x80 && iswctype(c, i->of_class)
                       : i->low <= c && c <= i->high;
}

/* Behind "[", "[!" or "[^". */
static const char *first_item(const char *set)
{
    return set + 1 + (set[1] == '!' || set[1] == '^');
}

/* The length of the set at s ("[...]"), 0: it has no end, or an unknown class. A bracket
 * right at the begin is an item. */
static size_t set_length(const char *s)
{
    const char *first = first_item(s), *at = first;
    struct set_item item;
    while (*at && (at == first || *at != ']')) {
        at += read_item(&item, at);
        if (item.is_class && !item.of_class)
            return 0;
    }
    return *at ? (size_t)(at - s) + 1 : 0;
}

static bool set_has(const struct step *s, unsigned char c)
{
    const char *at = first_item(s->set), *end = s->set + s->set_len - 1;
    bool found = false, inverted = at > s->set + 1;
    while (at < end && !found) {
        struct set_item item;
        at += read_item(&item, at);
        found = item_has(&item, c);
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
        out->set = p;
        out->set_len = set;
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
        if (!memchr(now, true, s.n))
            break;
    }
    bool all = !*text && now[s.n - 1];
    mem_free(both);
    mem_free(s.step);
    return all;
}

bool glob_is_whole(const char *pattern)
{
    for (const char *s = pattern; *s; s++) {
        size_t set = *s == '[' ? set_length(s) : 1;
        if (!set || (*s == '\\' && !s[1]))
            return false;
        s += *s == '\\' ? 1 : set - 1;
    }
    return true;
}

bool glob_is_pattern(const char *s)
{
    return strpbrk(s, "*?[");
}
