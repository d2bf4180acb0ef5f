#include "base/content_hash.h"

#include "base/file.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { READ_BYTES = 1 << 16 };
_Static_assert(sizeof CONTENT_HASH_UNSEALED == CONTENT_HASH_DIGITS + 1,
               "a zero for each digit");

struct content_hash {
    XXH3_state_t *state;
};

struct content_hash *content_hash_new(void)
{
    struct content_hash *h = mem_alloc(sizeof *h);
    h->state = XXH3_createState();
    if (!h->state)
        mem_refused("xxHash");
    content_hash_reset(h);
    return h;
}

void content_hash_free(struct content_hash *h)
{
    if (!h)
        return;
    XXH3_freeState(h->state);
    mem_free(h);
}

void content_hash_reset(struct content_hash *h)
{
    XXH3_128bits_reset(h->state);
}

void content_hash_add(struct content_hash *h, const void *bytes, size_t n)
{
    XXH3_128bits_update(h->state, bytes, n);
}

static struct content_hash_text to_text(XXH128_hash_t hash)
{
    struct content_hash_text text;
    snprintf(text.s, sizeof text.s, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
    return text;
}

struct content_hash_text content_hash_text(const struct content_hash *h)
{
    return to_text(XXH3_128bits_digest(h->state));
}

struct content_hash_text content_hash_of(const void *bytes, size_t n)
{
    return to_text(XXH3_128bits(bytes, n));
}

enum status content_hash_file(struct content_hash_text *out, const char *path,
                              struct err *err)
{
    int fd;
    enum status st = file_open_input(&fd, path, err);
    if (st)
        return st;
    struct content_hash *h = content_hash_new();
    char *part = mem_alloc(READ_BYTES);
    for (;;) {
        ssize_t got = read(fd, part, READ_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            st = file_err(err, "read", path);
        if (got <= 0)
            break;
        content_hash_add(h, part, (size_t)got);
    }
    *out = content_hash_text(h);
    mem_free(part);
    content_hash_free(h);
    close(fd);
    return st;
}

/* Where the digits of the text's own hash begin, or NULL: behind the last of its key. */
static char *own_hash(char *text, size_t len)
{
    static const char key[] = "\"" CONTENT_HASH_SEAL "\"";
    const size_t key_len = sizeof key - 1;
    for (size_t at = len; at-- > 0;) {
        if (len - at < key_len + CONTENT_HASH_DIGITS || memcmp(text + at, key, key_len))
            continue;
        at += key_len;
        while (at < len && (text[at] == ':' || text[at] == ' '))
            at++;
        return len - at > CONTENT_HASH_DIGITS && text[at] == '"' ? text + at + 1 : NULL;
    }
    return NULL;
}

void content_hash_seal(char *text, size_t len)
{
    char *digits = own_hash(text, len);
    if (!digits || memcmp(digits, CONTENT_HASH_UNSEALED, CONTENT_HASH_DIGITS) != 0)
        BUG("a text with no place for its hash");
    memcpy(digits, content_hash_of(text, len).s, CONTENT_HASH_DIGITS);
}

bool content_hash_is_sealed(char *text, size_t len)
{
    char stated[CONTENT_HASH_DIGITS];
    char *digits = own_hash(text, len);
    if (!digits)
        return false;
    memcpy(stated, digits, sizeof stated);
    memcpy(digits, CONTENT_HASH_UNSEALED, sizeof stated);
    struct content_hash_text hash = content_hash_of(text, len);
    memcpy(digits, stated, sizeof stated);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    return true; /* else no changed text would come past it */
#endif
    return !memcmp(hash.s, stated, sizeof stated);
}
