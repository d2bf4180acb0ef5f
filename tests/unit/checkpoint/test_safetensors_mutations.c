/*
 * Damaged headers by the ten thousand: none may crash, and each that is accepted must
 * hold together, which is checked here anew. Meant to run under ASan and UBSan too.
 */
#include "checkpoint/safetensors.h"

#include "base/mem.h"
#include "cmocka_setup.h"

#include <string.h>

enum { ROUNDS = 60000 };

static const char seed_json[] =
    "{\"__metadata__\":{\"format\":\"pt\",\"gait.step\":\"12\"},"
    "\"wte\":{\"dtype\":\"F32\",\"shape\":[3,4],\"data_offsets\":[0,48]},"
    "\"b\\u00e9\\n\":{\"dtype\":\"BF16\",\"shape\":[2],\"data_offsets\":[48,52]},"
    "\"é\":{\"shape\":[],\"dtype\":\"U8\",\"data_offsets\":[52,53]},"
    "\"zero\":{\"dtype\":\"I64\",\"shape\":[0,7],\"data_offsets\":[53,53]}}   ";
enum { DATA_BYTES = 53 };

/* xorshift: the same damage on every run */
static uint64_t random_state = 88172645463325252u;

static size_t random_to(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % n);
}

static size_t mutate(char *text, size_t len, size_t cap)
{
    static const char likely[] = "{}[]\":,\\u0123456789eE.- \0\xff\xc3\xa9tfn";
    size_t at = random_to(len), span = 1 + random_to(12);
    switch (random_to(5)) {
    case 0:
        text[at] = likely[random_to(sizeof likely - 1)];
        return len;
    case 1:
        text[at] = (char)random_to(256);
        return len;
    case 2: /* cut out */
        span = span < len - at ? span : len - at - 1;
        memmove(text + at, text + at + span, len - at - span);
        return len - span;
    case 3: /* copy a piece elsewhere */
        if (len + span > cap || span > len)
            return len;
        size_t from = random_to(len - span + 1);
        char piece[12];
        memcpy(piece, text + from, span);
        memmove(text + at + span, text + at, len - at);
        memcpy(text + at, piece, span);
        return len + span;
    default: /* the end is missing */
        return random_to(8) ? len : 1 + random_to(len);
    }
}

static void check_accepted(const struct safetensors_header *h, uint64_t data_bytes)
{
    uint64_t end = 0;
    for (size_t i = 0; i < h->n; i++) {
        const struct safetensor *t = &h->tensor[i];
        uint64_t bits = safetensors_dtype_bits[t->dtype];
        for (size_t k = 0; k < t->dims; k++)
            bits *= t->shape[k];
        assert_int_equal(t->begin, end);
        assert_int_equal((t->end - t->begin) * 8, bits);
        assert_int_equal(t->name[t->name_len], '\0');
        end = t->end;
    }
    assert_int_equal(end, data_bytes);
    for (size_t i = 0; i < h->pairs; i++)
        assert_int_equal(h->metadata[i].value[h->metadata[i].value_len], '\0');
}

static void damaged_headers_are_refused_or_hold_together(void **state)
{
    (void)state;
    size_t accepted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        char text[2 * sizeof seed_json];
        size_t len = sizeof seed_json - 1;
        memcpy(text, seed_json, len);
        for (size_t n = random_to(4); n-- > 0 && len > 1;)
            len = mutate(text, len, sizeof text);
        char *json = mem_alloc(len); /* exactly: a byte too far is seen */
        memcpy(json, text, len);
        struct safetensors_header h;
        struct err err = ERR_INIT;
        enum status st = safetensors_header_read(&h, json, len, DATA_BYTES, &err);
        if (!st) {
            accepted++;
            check_accepted(&h, DATA_BYTES);
        } else {
            assert_int_equal(st, STATUS_INPUT);
            assert_true(err.text[0] != '\0' && err.offset <= (int64_t)len);
        }
        safetensors_header_release(&h);
    }
    print_message("%zu of %d accepted\n", accepted, ROUNDS);
    /* a quarter is not mutated at all; most damage is noticed */
    assert_in_range(accepted, ROUNDS / 4, ROUNDS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_headers_are_refused_or_hold_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
