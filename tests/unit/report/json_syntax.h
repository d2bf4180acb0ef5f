/* A JSON checker small enough to be read in one go: does the whole text parse, and what
 * stands at a path such as "ranks.0.steps.count"? Written apart from the writer it
 * checks. */
#ifndef GAIT_TESTS_JSON_SYNTAX_H
#define GAIT_TESTS_JSON_SYNTAX_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *json_skip(const char *s); /* past one value, or NULL */

static const char *json_blank(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

static const char *json_skip_string(const char *s)
{
    if (*s != '"')
        return NULL;
    for (s++; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s == '\\' && !strchr("\"\\/bfnrtu", *++s))
            return NULL;
        if (s[-1] == '\\' && *s == 'u')
            for (int i = 0; i < 4; i++)
                if (!isxdigit((unsigned char)*++s))
                    return NULL;
    }
    return s + 1;
}

static const char *json_skip_number(const char *s)
{
    s += *s == '-';
    if (!isdigit((unsigned char)*s) || (*s == '0' && isdigit((unsigned char)s[1])))
        return NULL;
    s += strspn(s, "0123456789");
    if (*s == '.') {
        if (!isdigit((unsigned char)*++s))
            return NULL;
        s += strspn(s, "0123456789");
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        if (!isdigit((unsigned char)*s))
            return NULL;
        s += strspn(s, "0123456789");
    }
    return s;
}

static const char *json_skip_key(const char *s)
{
    s = json_skip_string(s);
    if (!s)
        return NULL;
    s = json_blank(s);
    return *s == ':' ? json_blank(s + 1) : NULL;
}

static const char *json_skip_list(const char *s, char close)
{
    s = json_blank(s + 1);
    if (*s == close)
        return s + 1;
    for (;;) {
        if (close == '}' && !(s = json_skip_key(s)))
            return NULL;
        s = json_skip(s);
        if (!s)
            return NULL;
        s = json_blank(s);
        if (*s == close)
            return s + 1;
        if (*s != ',')
            return NULL;
        s = json_blank(s + 1);
    }
}

static const char *json_skip(const char *s)
{
    static const char *const words[] = {"true", "false", "null"};
    if (*s == '{')
        return json_skip_list(s, '}');
    if (*s == '[')
        return json_skip_list(s, ']');
    if (*s == '"')
        return json_skip_string(s);
    for (int i = 0; i < 3; i++)
        if (!strncmp(s, words[i], strlen(words[i])))
            return s + strlen(words[i]);
    return json_skip_number(s);
}

static bool json_is_valid(const char *text)
{
    const char *end = json_skip(json_blank(text));
    return end && !*json_blank(end);
}

/* The member of the object or array at s that `name` (of len bytes) asks for. */
static const char *json_member(const char *s, const char *name, size_t len)
{
    bool object = *s == '{';
    long index = strtol(name, NULL, 10);
    for (s = json_blank(s + 1); *s && !strchr("]}", *s);
         s = json_blank(s + (*s == ','))) {
        const char *key = s + 1;
        if (object)
            s = json_skip_key(s);
        if (object ? !strncmp(key, name, len) && key[len] == '"' : !index--)
            return s;
        s = json_blank(json_skip(s));
    }
    return NULL;
}

/* The text of the value at a path, in a buffer of its own; "(none)" where there is none.
 * The document is valid. */
static inline const char *json_at(const char *text, const char *path)
{
    static char value[512];
    const char *s = json_blank(text);
    while (s && *path) {
        size_t len = strcspn(path, ".");
        s = json_member(s, path, len);
        path += len + (path[len] == '.');
    }
    if (!s)
        return "(none)";
    snprintf(value, sizeof value, "%.*s", (int)(json_skip(s) - s), s);
    return value;
}

#endif
