#include "mutate.h"

#include <stdio.h>
#include <string.h>

void mutator_init(struct mutator *m, uint64_t seed, uint64_t number)
{
    *m = (struct mutator){.random = (seed + 1) * 0x9e3779b97f4a7c15u ^
                                    (number + 1) * 0xbf58476d1ce4e5b9u};
    for (int i = 0; i < 4; i++)
        mutator_below(m, 2);
}

uint64_t mutator_below(struct mutator *m, uint64_t n)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return (m->random >> 11) % n;
}

/* A piece of s: mostly short, now and then long. */
static size_t piece_len(struct mutator *m, size_t max)
{
    size_t want =
        mutator_below(m, 8) ? 1 + mutator_below(m, 40) : mutator_below(m, max + 1);
    return want < max ? want : max;
}

static void replace(struct strbuf *text, size_t at, size_t len, const char *with,
                    size_t with_len)
{
    struct strbuf out;
    strbuf_init(&out);
    strbuf_add(&out, text->s, at);
    strbuf_add(&out, with, with_len);
    strbuf_add(&out, text->s + at + len, text->len - at - len);
    strbuf_release(text);
    *text = out;
}

static void flip_bits(struct mutator *m, struct strbuf *text, const struct strbuf *other)
{
    (void)other;
    for (uint64_t n = 1 + mutator_below(m, 4); n > 0; n--)
        text->s[mutator_below(m, text->len)] ^= (char)(1 << mutator_below(m, 8));
}

static void set_byte(struct mutator *m, struct strbuf *text, const struct strbuf *other)
{
    static const char bytes[] = "{}[]\",:\\\n 0123456789-.eEutnX\x00\x01\x1f\x7f\x80\xff";
    (void)other;
    text->s[mutator_below(m, text->len)] = bytes[mutator_below(m, sizeof bytes - 1)];
}

static void delete_piece(struct mutator *m, struct strbuf *text,
                         const struct strbuf *other)
{
    size_t at = mutator_below(m, text->len);
    (void)other;
    replace(text, at, piece_len(m, text->len - at), "", 0);
}

static void insert_token(struct mutator *m, struct strbuf *text,
                         const struct strbuf *other)
{
    static const char *const tokens[] = {"\"",
                                         "\\",
                                         "{",
                                         "}",
                                         "[",
                                         "]",
                                         ",",
                                         ":",
                                         "null",
                                         "-1",
                                         "1e999",
                                         "\\ud800",
                                         "\\u0000",
                                         "\xff",
                                         "},{\"ph\":\"X\"",
                                         "]}",
                                         "{\"ph\":",
                                         "\r\n",
                                         "\xef\xbb\xbf",
                                         "9223372036854775808",
                                         "\"ts\":",
                                         "\"args\":{",
                                         "\"traceEvents\": [",
                                         "\x1f\x8b\x08",
                                         "NaN"};
    const char *token = tokens[mutator_below(m, sizeof tokens / sizeof *tokens)];
    (void)other;
    replace(text, mutator_below(m, text->len + 1), 0, token, strlen(token));
}

static void splice(struct mutator *m, struct strbuf *text, const struct strbuf *other)
{
    if (!other->len)
        return;
    size_t from = mutator_below(m, other->len), at = mutator_below(m, text->len);
    size_t len = piece_len(m, other->len - from), cut = piece_len(m, text->len - at);
    replace(text, at, cut, other->s + from, len);
}

static void repeat_piece(struct mutator *m, struct strbuf *text,
                         const struct strbuf *other)
{
    char piece[256];
    size_t from = mutator_below(m, text->len), len = piece_len(m, text->len - from);
    len = len < sizeof piece ? len : sizeof piece;
    (void)other;
    memcpy(piece, text->s + from, len);
    for (uint64_t n = 1 + mutator_below(m, 20); n > 0; n--)
        replace(text, from, 0, piece, len);
}

static void zero_piece(struct mutator *m, struct strbuf *text, const struct strbuf *other)
{
    size_t at = mutator_below(m, text->len);
    (void)other;
    memset(text->s + at, 0, piece_len(m, text->len - at));
}

static void truncate_text(struct mutator *m, struct strbuf *text,
                          const struct strbuf *other)
{
    (void)other;
    text->len = mutator_below(m, text->len + 1);
}

static void swap_halves(struct mutator *m, struct strbuf *text,
                        const struct strbuf *other)
{
    struct strbuf out;
    size_t at = mutator_below(m, text->len);
    (void)other;
    strbuf_init(&out);
    strbuf_add(&out, text->s + at, text->len - at);
    strbuf_add(&out, text->s, at);
    strbuf_release(text);
    *text = out;
}

void mutate(struct mutator *m, struct strbuf *text, const struct strbuf *other)
{
    static const struct {
        const char *name;
        void (*change)(struct mutator *m, struct strbuf *text,
                       const struct strbuf *other);
        unsigned weight; /* the rough ones are rarer */
    } changes[] = {
        {"flip", flip_bits, 4},      {"set", set_byte, 4},
        {"delete", delete_piece, 3}, {"insert", insert_token, 4},
        {"splice", splice, 2},       {"repeat", repeat_piece, 2},
        {"zero", zero_piece, 1},     {"truncate", truncate_text, 2},
        {"swap", swap_halves, 1},
    };
    size_t used = 0;
    for (uint64_t n = 1 + mutator_below(m, 6); n > 0 && text->len; n--) {
        uint64_t pick = mutator_below(m, 23);
        size_t i = 0;
        while (pick >= changes[i].weight)
            pick -= changes[i++].weight;
        changes[i].change(m, text, other);
        int more =
            snprintf(m->what + used, sizeof m->what - used, " %s", changes[i].name);
        used += more > 0 && used + (size_t)more < sizeof m->what ? (size_t)more : 0;
    }
}
