#include "base/content_hash.h"

#include "base/mem.h"
#include "base/status.h"

#include <stdio.h>
#include <xxhash.h>

enum { STATE_BYTES = 576 }; /* of XXH3, which keeps its type to itself: for a message */

struct content_hash {
    XXH3_state_t *state;
};

struct content_hash *content_hash_new(void)
{
    struct content_hash *h = mem_alloc(sizeof *h);
    h->state = XXH3_createState();
    if (!h->state)
        mem_refused(STATE_BYTES);
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
