#include "trace/event_keys.h"

#include "base/status.h"

#include <pthread.h>

static struct event_keys table;
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void table_add(const char *key, size_t len, struct event_key k)
{
    char padded[EVENT_KEY_WORDS * 8 + 8] = "";
    if (len > EVENT_KEY_WORDS * 8)
        BUG("the key \"%s\" is too long", key);
    memcpy(padded, key, len);
    k.len = (uint8_t)len;
    for (size_t w = 0; w * 8 < len; w++)
        k.word[w] = event_key_word(padded + w * 8, len - w * 8);
    size_t i = event_key_slot(k.word[0], len);
    while (table.slot[i].len)
        i = (i + 1) % EVENT_KEY_SLOTS;
    table.slot[i] = k;
}

static void table_fill(void)
{
#define ADD_NUMBER(v, key)                                                               \
    table_add(key, sizeof key - 1, (struct event_key){.index = EVENT_NUMBER_##v});
#define ADD_TEXT(v, key, raw)                                                            \
    table_add(key, sizeof key - 1,                                                       \
              (struct event_key){.is_text = 1, .is_raw = raw, .index = EVENT_TEXT_##v});
    EVENT_NUMBER_LIST(ADD_NUMBER)
    EVENT_TEXT_LIST(ADD_TEXT)
}

const struct event_keys *event_keys(void)
{
    pthread_once(&table_once, table_fill);
    return &table;
}
