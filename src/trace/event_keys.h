/*
 * The keys of an event's args that Gait uses, found by their length and letters, eight at
 * a time. The table is made once from the lists in event_reader.h.
 */
#ifndef GAIT_TRACE_EVENT_KEYS_H
#define GAIT_TRACE_EVENT_KEYS_H

#include "trace/event_reader.h"

#include <string.h>

enum { EVENT_KEY_WORDS = 5, EVENT_KEY_SLOTS = 256 };

/* A key is the number or the text `index`. */
struct event_key {
    uint64_t word[EVENT_KEY_WORDS]; /* small letters, then spaces */
    uint8_t len;                    /* 0: a free slot */
    uint8_t is_text;
    uint8_t is_raw; /* a text that is wanted as JSON, brackets and all */
    uint8_t index;
};

struct event_keys {
    struct event_key slot[EVENT_KEY_SLOTS];
};

/* Lives as long as the process. */
const struct event_keys *event_keys(void);

/* Up to 8 bytes, letters made small (and signs that no key has made others); what is
 * beyond len is spaces. 8 bytes are read whatever len is. */
static inline uint64_t event_key_word(const char *s, size_t len)
{
    uint64_t word;
    memcpy(&word, s, sizeof word);
    if (len < 8)
        word &= (UINT64_C(1) << 8 * len) - 1;
    return word | UINT64_C(0x2020202020202020);
}

static inline size_t event_key_slot(uint64_t word, size_t len)
{
    return (size_t)(((word ^ len) * UINT64_C(0x9e3779b97f4a7c15)) >> 56);
}

/* key[0..len), whatever its capitals, or NULL where it is of no use. Up to 8 bytes behind
 * it are read. */
static inline const struct event_key *event_key_find(const struct event_keys *keys,
                                                     const char *key, size_t len)
{
    uint64_t word = event_key_word(key, len);
    for (size_t i = event_key_slot(word, len); keys->slot[i].len;
         i = (i + 1) % EVENT_KEY_SLOTS) {
        const struct event_key *k = &keys->slot[i];
        if (k->len != len || k->word[0] != word)
            continue;
        size_t w = 1;
        while (w * 8 < len && k->word[w] == event_key_word(key + w * 8, len - w * 8))
            w++;
        if (w * 8 >= len)
            return k;
    }
    return NULL;
}

#endif
