#include "anonymous/public_words.h"

#include "anonymous/public_lists.h"
#include "run/op_list.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

const char *telling_word(size_t i)
{
    return telling[i];
}

static bool listed(const char *list, const char *s, size_t len)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (!strncasecmp(at + 1, s, len) && at[1 + len] == ' ')
            return true;
    return false;
}

static bool listed_exactly(const char *list, const char *s, size_t len)
{
    for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
        if (!strncmp(at + 1, s, len) && at[1 + len] == ' ')
            return true;
    return false;
}

/* Where the part of an identifier that begins at s ends. */
static size_t part_length(const char *s, size_t len)
{
    size_t n = 1;
    if (isupper((unsigned char)s[0])) /* DDPSink: DDP, Sink */
        while (n < len && isupper((unsigned char)s[n]) &&
               !(n + 1 < len && islower((unsigned char)s[n + 1])))
            n++;
    while (n < len && islower((unsigned char)s[n]))
        n++;
    return n;
}

static bool is_operator(const char *s, size_t len)
{
#define OPERATOR(op, family, rule, parameter) op,
    static const char *const all[] = {OP_LIST(OPERATOR)};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const char *name = strstr(all[i], "::");
        name = name ? name + 2 : all[i];
        if (strlen(name) == len && !memcmp(name, s, len))
            return true;
    }
    return false;
}

/* AddmmBackward0: PyTorch's own nodes are numbered, a user's are not. */
static bool is_backward_node(const char *s, size_t len)
{
    static const char word[] = "Backward";
    size_t end = len;
    while (end && isdigit((unsigned char)s[end - 1]))
        end--;
    return end < len && end >= sizeof word - 1 &&
           !memcmp(s + end - (sizeof word - 1), word, sizeof word - 1);
}

/* The length of the list's word that it begins with, or 0. */
static size_t beginning_of(const char *list, const char *s, size_t len)
{
    for (const char *at = list + 1; *at; at += strcspn(at, " ") + 1) {
        size_t n = strcspn(at, " ");
        if (n && n <= len && !strncmp(at, s, n))
            return n;
    }
    return 0;
}

/* Is each part on the common list, or on the other one? */
static bool parts_are_listed(const char *s, size_t len, const char *other)
{
    for (size_t at = 0; at < len;) {
        if (!isalpha((unsigned char)s[at])) {
            if (s[at] != '_' && !isdigit((unsigned char)s[at]))
                return false; /* no ASCII */
            at++;
            continue;
        }
        size_t n = part_length(s + at, len - at);
        if (!listed(parts, s + at, n) && !listed(other, s + at, n))
            return false;
        at += n;
    }
    return true;
}

static bool is_driver_call(const char *s, size_t len)
{
    size_t n = beginning_of(drivers, s, len);
    return n && n < len && isupper((unsigned char)s[n]) &&
           parts_are_listed(s + n, len - n, driver_parts);
}

static bool begins_publicly(const char *s, size_t len)
{
    return beginning_of(beginnings, s, len) || is_driver_call(s, len);
}

bool public_identifier(const char *s, size_t len)
{
    return begins_publicly(s, len) || is_backward_node(s, len) || is_operator(s, len) ||
           parts_are_listed(s, len, "");
}

bool public_in_std(const char *s, size_t len)
{
    return listed_exactly(standard_cpp, s, len) || public_identifier(s, len);
}

bool public_namespace(const char *s, size_t len)
{
    return listed_exactly(namespaces, s, len) || begins_publicly(s, len);
}

bool public_package(const char *s, size_t len)
{
    return listed_exactly(packages, s, len);
}

bool public_root(const char *s, size_t len)
{
    return listed_exactly(roots, s, len);
}

bool public_standard(const char *s, size_t len)
{
    return listed_exactly(standard, s, len);
}

bool public_folder(const char *s, size_t len)
{
    return listed_exactly(folders, s, len) || (len > 6 && !strncmp(s, "python", 6) &&
                                               strspn(s + 6, "0123456789.") >= len - 6);
}

bool public_function(const char *s, size_t len)
{
    return listed_exactly(functions, s, len);
}
