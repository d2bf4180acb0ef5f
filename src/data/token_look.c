#include "data/token_look.h"

#include "base/mem.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { IDS = 1 << 16, BLOCKS = 64, BLOCK_IDS = 1024 };

/* At least three bytes: two are one token, which any file may begin with. */
static const struct {
    const char *name;
    size_t at, len;
    const char *bytes;
} formats[] = {
    {"an ELF program", 0, 4, "\177ELF"},
    {"gzip", 0, 3, "\x1f\x8b\x08"},
    {"zstd", 0, 4, "\x28\xb5\x2f\xfd"},
    {"xz", 0, 6,
     "\xfd"
     "7zXZ\0"},
    {"bzip2", 0, 3, "BZh"},
    {"zip (also PyTorch's checkpoints)", 0, 4, "PK\3\4"},
    {"a pickle", 0, 3, "\x80\x04\x95"},
    {"a NumPy array", 0, 6, "\x93NUMPY"},
    {"HDF5", 0, 4, "\x89HDF"},
    {"Parquet", 0, 4, "PAR1"},
    {"SQLite", 0, 15, "SQLite format 3"},
    {"PNG", 0, 4, "\x89PNG"},
    {"JPEG", 0, 3, "\xff\xd8\xff"},
    {"PDF", 0, 5, "%PDF-"},
    {"GGUF", 0, 4, "GGUF"},
    {"safetensors", 5, 5, "\0\0\0{\""},
};

static const char *format_of(const uint16_t *id, size_t n)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].at + formats[i].len <= n * sizeof *id &&
            !memcmp((const char *)id + formats[i].at, formats[i].bytes, formats[i].len))
            return formats[i].name;
    return NULL;
}

static bool is_printable(unsigned byte)
{
    return (byte >= ' ' && byte < 0x7f) || (byte >= '\t' && byte <= '\r');
}

struct sample {
    uint32_t count[IDS]; /* of each id */
    size_t n, printable; /* ids; bytes */
    uint32_t largest;
};

static void add_block(struct sample *s, const uint16_t *id, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->count[id[i]]++;
        s->printable += is_printable(id[i] & 0xff);
        s->printable += is_printable(id[i] >> 8);
        s->largest = id[i] > s->largest ? id[i] : s->largest;
    }
    s->n += n;
}

static void take_sample(struct sample *s, const uint16_t *id, size_t n)
{
    if (n <= (size_t)BLOCKS * BLOCK_IDS) {
        add_block(s, id, n);
        return;
    }
    for (size_t b = 0; b < BLOCKS; b++)
        add_block(s, id + (n - BLOCK_IDS) / (BLOCKS - 1) * b, BLOCK_IDS);
}

/* Pairs of the same id over all pairs, times the ids there could be. */
static double repeats_of(const struct sample *s)
{
    double pairs = 0, n = (double)s->n;
    if (s->n < TOKEN_LOOK_SAMPLE_MIN)
        return NAN;
    for (size_t i = 0; i < IDS; i++)
        pairs += (double)s->count[i] * ((double)s->count[i] - 1);
    return pairs / (n * (n - 1)) * (s->largest + 1.0);
}

struct token_look token_look(const uint16_t *id, size_t n)
{
    struct token_look look = {.format = format_of(id, n)};
    struct sample *s = mem_zalloc(1, sizeof *s);
    take_sample(s, id, n);
    look.printable_frac = s->n ? (double)s->printable / (2.0 * (double)s->n) : 0;
    look.repeats = repeats_of(s);
    bool enough = s->n >= TOKEN_LOOK_SAMPLE_MIN;
    if (look.format)
        look.kind = TOKEN_LOOK_FORMAT;
    else if (enough && look.printable_frac >= TOKEN_LOOK_TEXT_MIN_FRAC)
        look.kind = TOKEN_LOOK_TEXT;
    else if (s->largest + 1 >= TOKEN_LOOK_VOCABULARY_MIN &&
             look.repeats < TOKEN_LOOK_REPEATS_MIN)
        look.kind = TOKEN_LOOK_UNIFORM;
    mem_free(s);
    return look;
}
