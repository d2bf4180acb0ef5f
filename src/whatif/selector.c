#include "whatif/selector.h"

#include <string.h>

#define SELECT_WORD(v, word, kinds, device) word,
const char *const select_word[SELECT_COUNT] = {SELECT_LIST(SELECT_WORD)};
#define SELECT_KINDS(v, word, kinds, device) (kinds),
static const unsigned select_kinds[SELECT_COUNT] = {SELECT_LIST(SELECT_KINDS)};
#define SELECT_DEVICE(v, word, kinds, device) device,
static const bool select_device[SELECT_COUNT] = {SELECT_LIST(SELECT_DEVICE)};

/* Where the text goes wrong after a star, the star takes one character more. */
bool pattern_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *taken = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            taken = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

enum status selector_parse(struct selector *s, const char *text, size_t len,
                           struct err *err)
{
    for (int k = 0; k < SELECT_COUNT; k++) {
        size_t word = strlen(select_word[k]);
        if (len <= word || strncmp(text, select_word[k], word) != 0 || text[word] != ':')
            continue;
        size_t rest = len - word - 1;
        if (!rest || rest >= sizeof s->pattern)
            return err_set(
                err, STATUS_USAGE, "\"%.*s\" needs a name of at most %d bytes after %s:",
                (int)(len < 80 ? len : 80), text, PATTERN_MAX - 1, select_word[k]);
        s->what = (enum select)k;
        memcpy(s->pattern, text + word + 1, rest);
        s->pattern[rest] = '\0';
        return STATUS_OK;
    }
    return err_set(
        err, STATUS_USAGE,
        "\"%.*s\" does not say what it is about; begin with op:, call:, range:, "
        "frame:, kernel:, copy: or collective:, like op:aten::item",
        (int)(len < 80 ? len : 80), text);
}

bool selector_on_device(const struct selector *s)
{
    return select_device[s->what];
}

bool selector_takes(const struct selector *s, enum span_kind kind, const char *name)
{
    return (select_kinds[s->what] >> kind & 1) && pattern_matches(s->pattern, name);
}
