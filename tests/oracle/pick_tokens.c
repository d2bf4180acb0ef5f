/*
 * The distributions and draws of generate/pick.h, for pick_agrees.py.
 *
 *   pick_tokens FILE VOCAB PENALTY TEMPERATURE TOP_K TOP_P MIN_P [SEED DRAWS]
 *
 * FILE holds rows of VOCAB floats, an int32 n and n int32 ids that were seen. Without
 * SEED the probabilities of each row go to stdout, VOCAB doubles a row. With it, DRAWS
 * int32 tokens of the first row do: draw i is position i % 1000 of sequence i / 1000.
 */
#include "base/mem.h"
#include "generate/pick.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEEN_MAX = 1 << 20 };

struct row {
    float *logits;
    int32_t *seen;
    int32_t n_seen;
};

static bool read_row(struct row *row, int64_t vocab, FILE *f)
{
    size_t v = (size_t)vocab;
    if (fread(row->logits, sizeof(float), v, f) != v ||
        fread(&row->n_seen, sizeof(int32_t), 1, f) != 1 || row->n_seen < 0 ||
        row->n_seen > SEEN_MAX)
        return false;
    size_t n = (size_t)row->n_seen;
    return fread(row->seen, sizeof(int32_t), n, f) == n;
}

static void put_distributions(struct pick_work *w, const struct pick_options *o,
                              struct row *row, FILE *f)
{
    while (read_row(row, w->vocab, f)) {
        pick_distribution(w, o, row->logits, row->seen, (size_t)row->n_seen);
        fwrite(w->probability, sizeof(double), (size_t)w->vocab, stdout);
    }
}

static void put_draws(struct pick_work *w, const struct pick_options *o, struct row *row,
                      FILE *f, uint32_t draws)
{
    if (!read_row(row, w->vocab, f))
        return;
    for (uint32_t i = 0; i < draws; i++) {
        int32_t token = (int32_t)pick_token(w, o, row->logits, row->seen,
                                            (size_t)row->n_seen, i / 1000, i % 1000);
        fwrite(&token, sizeof token, 1, stdout);
    }
}

int main(int argc, char **argv)
{
    FILE *f = argc == 8 || argc == 10 ? fopen(argv[1], "rb") : NULL;
    if (!f) {
        fprintf(stderr, "usage: pick_tokens FILE VOCAB PENALTY TEMPERATURE TOP_K TOP_P "
                        "MIN_P [SEED DRAWS]\n");
        return 2;
    }
    int64_t vocab = atoll(argv[2]);
    struct pick_options o = {.repetition_penalty = atof(argv[3]),
                             .temperature = atof(argv[4]),
                             .top_k = atoll(argv[5]),
                             .top_p = atof(argv[6]),
                             .min_p = atof(argv[7]),
                             .seed = argc == 10 ? strtoull(argv[8], NULL, 10) : 0};
    struct err err = ERR_INIT;
    if (pick_check(&o, &err)) {
        fprintf(stderr, "pick_tokens: %s\n", err.text);
        return 2;
    }
    void *memory = mem_alloc(pick_work_bytes(vocab));
    struct row row = {.logits = mem_zalloc((size_t)vocab, sizeof(float)),
                      .seen = mem_zalloc(SEEN_MAX, sizeof(int32_t))};
    struct pick_work w;
    pick_work_init(&w, memory, vocab);
    if (argc == 10)
        put_draws(&w, &o, &row, f, (uint32_t)atol(argv[9]));
    else
        put_distributions(&w, &o, &row, f);
    mem_free(memory);
    mem_free(row.logits);
    mem_free(row.seen);
    fclose(f);
    return 0;
}
